"""Files that judge a fix run: tests, their runner's configuration, definitions of the commands."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from mulligan.syntax.testfiles import is_named_as_test, is_test_file
from mulligan.types.fixing import ProjectCommand

CONFIGURATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("pytest", ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "conftest.py")),
    ("Python's tools", ("pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py")),
    ("how Python starts", ("sitecustomize.py", "usercustomize.py", "*.pth")),
    ("coverage", (".coveragerc",)),
    ("vitest", ("vitest.config.*", "vitest.workspace.*", "vitest.setup.*")),
    ("jest", ("jest.config.*", "jest.setup.*", "setupTests.*", "setup-jest.*")),
    ("mocha", (".mocharc*",)),
    ("karma", ("karma.conf.*",)),
    ("playwright", ("playwright.config.*",)),
    ("cypress", ("cypress.config.*", "cypress.json")),
    ("npm", (".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml")),
    ("RSpec", (".rspec",)),
    ("PHPUnit", ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")),
    ("which packages Go sees", ("go.mod", "go.work")),
    ("ruff", ("ruff.toml", ".ruff.toml")),
    ("flake8", (".flake8",)),
    ("mypy", ("mypy.ini", ".mypy.ini")),
    ("pyright", ("pyrightconfig.json",)),
    ("pylint", (".pylintrc", "pylintrc", ".pylintrc.toml")),
    ("eslint", (".eslintrc*", "eslint.config.*", ".eslintignore")),
    ("prettier", (".prettierrc*", "prettier.config.*", ".prettierignore")),
    ("biome", ("biome.json", "biome.jsonc")),
    ("the TypeScript compiler", ("tsconfig.json", "tsconfig.*.json", "jsconfig.json")),
    ("golangci-lint", (".golangci.*",)),
    ("clippy", ("clippy.toml", ".clippy.toml")),
    ("rustfmt", ("rustfmt.toml", ".rustfmt.toml")),
    ("cargo", (".cargo/config.toml", ".cargo/config")),
    ("RuboCop", (".rubocop.yml", ".rubocop_todo.yml")),
    ("PHPStan", ("phpstan.neon*", "phpstan-baseline.*")),
    ("Psalm", ("psalm.xml*",)),
    ("PHP_CodeSniffer", ("phpcs.xml*", ".phpcs.xml*")),
    ("Credo", (".credo.exs",)),
    ("SwiftLint", (".swiftlint.yml",)),
    ("pre-commit", (".pre-commit-config.yaml",)),
    (
        "CI",
        (".github/workflows/*", ".github/actions/*", ".gitlab-ci.yml", ".circleci/*", ".travis.yml",
         "azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile", ".drone.yml", "appveyor.yml"),
    ),
)  # fmt: skip
"""Tools and their configuration files, in any folder. Babel and bundlers are part of the program, so they are not
included."""

SAYS_WHAT_IT_DOES = {
    "make": ("Makefile", "makefile", "GNUmakefile", "*.mk"),
    "just": ("justfile", "Justfile", ".justfile"),
    "npm": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "bun": ("package.json", "bunfig.toml"),
    "deno": ("deno.json", "deno.jsonc"),
    "composer": ("composer.json",),
    "cargo": ("Cargo.toml",),
    "mvn": ("pom.xml",),
    "mvnw": ("pom.xml", "mvnw", ".mvn/*"),
    "gradle": ("*.gradle", "*.gradle.kts", "gradle.properties"),
    "gradlew": ("*.gradle", "*.gradle.kts", "gradle.properties", "gradlew"),
    "rake": ("Rakefile",),
    "mix": ("mix.exs",),
    "ctest": ("CMakeLists.txt", "*.cmake"),
    "swift": ("Package.swift",),
    "dotnet": ("*.csproj", "*.fsproj", "*.sln", "Directory.Build.*"),
}
"""Programs, and the files that define their commands. A new one counts too: make prefers `GNUmakefile`."""

JUDGING_SCRIPT = re.compile(r"[\w./-]+\.(?:sh|bash)|[\w./-]*/[\w-]*(?:test|check|verify|lint)[\w-]*")
"""A script that a command names. One in another language may be the program that has to be fixed."""

RUNNERS = frozenset(
    {"pytest", "_pytest", "unittest", "pluggy", "iniconfig", "coverage", "ruff", "flake8", "mypy", "pylint", "black",
     "pyright", "django", "doctest"}
)  # fmt: skip
"""Modules that a new file of the same name would hide from Python."""

FETCHED = frozenset({"node_modules", "site-packages", ".venv", "venv"})


def judges_the_run(path: str, commands: Sequence[ProjectCommand], *, existed: bool) -> str | None:
    """Why a fix run may not change this file; None if it may. `existed` before the run: a new test may be added."""
    if reason := _says_what_a_command_does(path, commands):
        return reason
    for what, globs in CONFIGURATIONS:
        if any(_is_named(path, glob) for glob in globs):
            return f"it configures {what}" if what != "CI" else "it says what CI runs"
    *folders, name = path.split("/")
    if not FETCHED.isdisjoint(folders):
        return "it was installed, and belongs to a dependency"
    if not existed and (hidden := _hides_runner(path)):
        return f"it would hide {hidden} itself"
    if is_test_file(path):
        return "a test" if existed or not is_named_as_test(name) else None
    return None


def _says_what_a_command_does(path: str, commands: Sequence[ProjectCommand]) -> str | None:
    for command in commands:
        words = re.findall(r"[^\s'\"&|;()<>]+", command.command)
        programs = {word.rpartition("/")[2] for word in words}
        names = [glob for program in programs for glob in SAYS_WHAT_IT_DOES.get(program, ())]
        names += [word.removeprefix("./") for word in words if JUDGING_SCRIPT.fullmatch(word)]
        if path in command.defined_in or any(_is_named(path, name) for name in names):
            return f"it says what `{command.command}` does"
    return None


def _is_named(path: str, glob: str) -> bool:
    if "/" in glob:
        return fnmatchcase(path, glob) or fnmatchcase(path, f"*/{glob}")
    return fnmatchcase(path.rpartition("/")[2], glob)


def _hides_runner(path: str) -> str | None:
    if not path.endswith(".py"):
        return None
    parts = path.removesuffix(".py").removeprefix("src/").split("/")
    return parts[0] if parts[0] in RUNNERS else None
