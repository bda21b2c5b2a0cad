"""Programs that run code: interpreters, shells, and the scripts that a project names in its own files."""

import re

from mulligan.core.command_policy.call import Call, strip_options
from mulligan.core.command_policy.findings import PolicyFinding, ask, of_kind
from mulligan.core.command_policy.options import PLAIN
from mulligan.core.command_policy.tables import SCRIPT_NAMES, SUBCOMMANDS
from mulligan.types.commands import CommandKind

CODE_OPTIONS = {
    "python": "c", "pypy": "c", "node": "ep", "tsx": "e", "ts-node": "e", "ruby": "en", "perl": "eEnpi", "php": "rBE",
    "lua": "e", "Rscript": "e", "java": "", "julia": "eE", "elixir": "e",
    "sh": "cs", "bash": "cs", "zsh": "cs", "dash": "cs", "ksh": "cs", "ash": "cs", "fish": "c", "source": "", ".": "",
}  # fmt: skip
"""Interpreters, and the letters of their options that take code."""

LONG_CODE_OPTIONS = frozenset({"--eval", "--print", "--run", "--command"})
VALUED = frozenset(
    {"-W", "-X", "-r", "-I", "-C", "-cp", "-classpath", "-d", "-o", "-O", "--require", "--import", "--loader",
     "--rcfile", "--init-file"}
)  # fmt: skip
"""Options whose value is the next word."""
VERSIONS = frozenset({"--version", "-V", "-v", "--help", "-version"})
CHECKS = {"bash": "-n", "sh": "-n", "zsh": "-n", "dash": "-n", "ksh": "-n", "php": "-l", "ruby": "-c", "perl": "-c",
          "node": "--check"}  # fmt: skip
"""Options under which an interpreter only checks the syntax."""

FOREIGN_FOLDERS = frozenset({"node_modules", "site-packages", "dist-packages", ".venv", "venv", "vendor", ".tox"})
CHANGING = frozenset(
    {"fix", "write", "publish", "deploy", "release", "push", "upload", "install", "clean", "update", "prune"}
)
"""Words in a script's name that matter more than how it begins."""

CODE_IN_COMMAND = "runs code that is part of the command, not of a file of the project"


def judge_interpreter(call: Call) -> PolicyFinding:
    letters = CODE_OPTIONS[call.name]
    if CHECKS.get(call.name, "?") in _options(call):
        return of_kind("lint")
    if any(_brings_code(text, letters) for text in _options(call) if not _names_folder(call.name, text)):
        return ask(CODE_IN_COMMAND, "app")
    if call.name == "node" and "--test" in call.flags:
        return of_kind("test")
    words = strip_options(call.words, VALUED)
    if not words or words[0].text == "-":
        if call.flags & VERSIONS:
            return of_kind("read")
        return ask("runs code from its standard input", "app")
    script = words[0]
    if script.may_be_option or (script.computed and not script.values):
        return ask("runs a script whose name is known only when it runs", "app")
    if is_foreign(script.text) and not script.text.endswith("/activate"):
        return ask("runs what belongs to a package, not to the project", "app")
    if call.places([script]) <= {"inside", "project"}:
        return of_kind("app")
    return ask("runs a script from outside the project", "app")


def judge_package_script(call: Call) -> PolicyFinding:
    """npm, yarn, pnpm, bun and composer: their own subcommands, and the scripts of the project's manifest."""
    operands = [word.text for word in call.operands]
    first = call.first
    if first in ("run", "run-script") or (call.name in ("yarn", "pnpm", "bun") and first not in SUBCOMMANDS[call.name]):
        script = operands[1:2] if first in ("run", "run-script") else operands[:1]
        return of_kind(script_kind(script[0])) if script else of_kind("read")
    return of_kind(SUBCOMMANDS[call.name].get(first, "unknown"))


def judge_make(call: Call) -> PolicyFinding:
    valued = frozenset({"-C", "-f", "-o", "-I", "-W", "--directory", "--file", "--makefile"})
    texts = call.texts
    targets = [
        text
        for index, text in enumerate(texts)
        if not text.startswith("-")
        and "=" not in text
        and not (index and (texts[index - 1] in valued or (text.isdigit() and texts[index - 1] in ("-j", "-l"))))
    ]
    if any("=" in text and not _is_verbose(text) for text in texts):
        return ask("changes how make runs commands")
    if any(word.computed for word in call.words):
        return ask("makes what is known only when it runs")
    kinds: list[CommandKind] = [script_kind(target) for target in targets] or ["build"]
    return next((found for found in map(of_kind, kinds) if found.decision != "allow"), of_kind(kinds[0]))


def is_foreign(path: str) -> bool:
    """Whether it is where packages are installed: part of the folder, but not of the project's own code."""
    return not FOREIGN_FOLDERS.isdisjoint(path.split("/"))


def _is_verbose(text: str) -> bool:
    """Variables of make that only make it print more."""
    name, _, value = text.partition("=")
    if text.startswith("-"):
        return not text.startswith("--ev")
    return name in ("V", "VERBOSE", "DEBUG", "Q", "CI", "NO_COLOR") and set(value) <= PLAIN


def script_kind(name: str) -> CommandKind:
    if not CHANGING.isdisjoint(re.split(r"[-_:.]", name)[1:]):
        return "write"
    for pattern, kind in SCRIPT_NAMES:
        if re.fullmatch(pattern, name):
            return kind
    return "unknown"


def _options(call: Call) -> list[str]:
    """The options before the script: those after it are the script's own."""
    behind = strip_options(call.words, VALUED)
    return call.texts[: len(call.words) - len(behind)]


def _names_folder(program: str, option: str) -> bool:
    """`-Itest`: the rest of the word is a folder, not more option letters."""
    return program in ("ruby", "perl") and option.startswith("-I")


def _brings_code(option: str, letters: str) -> bool:
    if option.startswith("--"):
        return option.partition("=")[0] in LONG_CODE_OPTIONS
    return any(letter in option[1:] for letter in letters)
