"""Signs that a command could not do its work at all."""

import re

from mulligan.core.command_policy.tables import LINT_PROGRAMS, TEST_PROGRAMS

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit codes of shells, whatever the language."""

TOOLING_ERRORS = {
    "shells": (
        r"(?:.*: )?[^\s:]+: (?:command )?not found$",
        r".*: command not found: \S+$",
        r"(?:pyenv|rbenv|asdf): .*command not found",
        r"env: .*: No such file or directory$",
        r".*: (?:bad interpreter|cannot execute)\b",
        r".*: No space left on device$",
    ),
    # make's messages are localised: only their form is the same everywhere.
    "make": (
        r".* \*\*\* \[.*\] \S+ 12[67]$",
        r"\S+: \*\*\* [^\[].*  \S+\.$",
    ),
    "python": (
        r"\S*python[\d.]*(?:\.exe)?: (?:No module named |can't open file |Error while finding module)",
        r"ERROR: (?:Could not find a version|No matching distribution|file or directory not found)",
        r"error: (?:externally-managed-environment|Failed to spawn:)",
        r"INTERNALERROR>",
        r"(?:\S+: )?error: (?:unrecognized arguments|unexpected argument|invalid choice)\b",
    ),
    "node": (
        r"npm (?:ERR!|error) (?:[Mm]issing script|enoent|could not determine)",
        r"(?:error )?(?:Command|Script) \S+ not found|error: Script not found",
        r".*(?:ERR_PNPM_NO_SCRIPT|ERR_PNPM_NO_IMPORTER|Couldn't find a (?:script|package\.json))",
        r"\"?Error: no test specified",
        r".*Cannot find module '[^']*/node_modules/[^']*'$",
        r"ESLint couldn't find |No tests? (?:files )?found, exiting\b",
    ),
    "others": (
        r"error: no such (?:command|subcommand):|error: could not find `Cargo\.toml`|error: toolchain '",
        r"go: (?:go\.mod file not found|cannot find main module|no such tool|unknown subcommand)",
        r"\[ERROR\] (?:The goal you specified requires a project|Unknown lifecycle phase|No plugin found for)",
        r"\[ERROR\] .*(?:Could not (?:resolve dependencies|find artifact|transfer)|its dependencies could not)",
        r"The JAVA_HOME environment variable is not",
        r"Task '[^']*' not found in\b",
        r"Cannot connect to the Docker daemon",
        r"Could not (?:locate Gemfile|open input file: )|.*: Could not find gem ",
        r"No Rakefile found|Don't know how to build task ",
        r"\s+Command \"[^\"]*\" is not defined|Composer could not find a composer\.json",
        r"Failed to change working directory to |CMake Error: (?:The source directory|Could not find CMAKE_)",
        r"\*\* \(Mix\) (?:Could not find|The task )|Unchecked dependencies for environment|Could not find Hex",
        r"MSBUILD : error MSB1003|Could not execute because the specified command or file was not found",
        r"error: Could not find Package\.swift",
    ),
}
"""Beginnings of lines, by the program that prints them."""

TOOLING_ERROR = re.compile("|".join(f"(?:{pattern})" for patterns in TOOLING_ERRORS.values() for pattern in patterns))
VAGUE = re.compile(
    r"NO TESTS RAN$|[= ]*no tests ran in\b|ruff failed$|Oops! Something went wrong!"
    r"|npm (?:ERR!|error) code (?!ELIFECYCLE)E|\s+requireStack: \[\]$"
)
"""Signs too, but another line says more about the reason."""
MAKE_NOT_FOUND = re.compile(r".* \*\*\* \[.*\] \S+ 12[67]$")
MISSING_RUNNER = re.compile(r".*?(?:No module named|Cannot find (?:module|package)) '?_?([@\w-]+)")
NO_ENTRY = re.compile(r"\S*python[\d.]*(?:\.exe)?: (?:No module named |can't open file )|\s+requireStack: \[\]$")
"""The interpreter did not find what to run, whatever it prints around that."""


def has_tooling_error(lines: list[str]) -> bool:
    return bool(tooling_error_in(lines)) or any(VAGUE.match(line) for line in lines)


def tooling_error_in(lines: list[str]) -> str:
    """The first line that clearly says why; empty if there is none."""
    for before, line in zip(["", *lines], lines, strict=False):
        if TOOLING_ERROR.match(line) or _misses_runner(line):
            # make first says what it did not find, and then prints the bare code.
            return before.strip() or line.strip() if MAKE_NOT_FOUND.match(line) else line.strip()
    return ""


def found_no_entry(lines: list[str]) -> bool:
    return any(NO_ENTRY.match(line) for line in lines)


def _misses_runner(line: str) -> bool:
    """The missing module is not the project's code, but the test runner or checker."""
    missing = MISSING_RUNNER.match(line)
    return bool(missing) and missing[1] in TEST_PROGRAMS | LINT_PROGRAMS
