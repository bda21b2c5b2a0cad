"""How a JavaScript or TypeScript project is tested and linted: by scripts in its package.json, else by its runners."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, cast

from mulligan.core.project_commands.manifests import is_sample
from mulligan.core.project_commands.project import ProjectFolder, found, linter
from mulligan.core.project_commands.shell import MAX_COMMAND_CHARS, read_simple
from mulligan.types.fixing import ProjectCommand

PACKAGE = "package.json"
LOCKS = (
    ("pnpm", ("pnpm-lock.yaml",)),
    ("yarn", ("yarn.lock",)),
    ("bun", ("bun.lock", "bun.lockb")),
    ("npm", ("package-lock.json", "npm-shrinkwrap.json")),
)
RUNS_BINARY = {"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn run", "bun": "bunx --no-install"}
"""How to run an installed program without downloading a missing one."""

NO_TEST = "no test specified"
"""What npm writes into a new package.json."""
ONE_OFF = ("test:ci", "test:run", "test:unit", "test:once")
"""Scripts to use instead of a `test` that watches."""
LINTS = ("lint", "lint:check", "typecheck", "type-check", "check-types", "check:types", "tsc",
         "format:check", "fmt:check", "prettier:check", "check:format")  # fmt: skip
TYPE_CHECKS = frozenset({"typecheck", "type-check", "check-types", "check:types", "tsc"})

RUNNER_FILES = ("vitest.config.*", "vite.config.*", "jest.config.*", ".mocharc*", "karma.conf.*", "playwright.config.*")
DIRECT = (("vitest", "vitest run"), ("jest", "jest --ci"), ("mocha", "mocha"), ("ava", "ava"))
"""Runners to try if no script names one."""

WATCHES = re.compile(r"--watch(?:All)?(?!\w|=false)|\bmocha\b.*\s-w\b|\bvitest\s+(?:watch|dev)\b")
WRITES = re.compile(r"--(?:fix|write)\b")
NODE_TEST = re.compile(r"""["']node:test["']""")


@dataclass(frozen=True, slots=True)
class Package:
    scripts: Mapping[str, str]
    dependencies: frozenset[str]
    runner: str
    """npm, pnpm, yarn or bun."""

    def run(self, script: str, arguments: str = "") -> str:
        words = [self.runner, script] if script == "test" and self.runner != "bun" else [self.runner, "run", script]
        if arguments:
            words += ["--", arguments] if self.runner == "npm" else [arguments]
        return " ".join(words)

    def binary(self, command: str) -> str:
        return f"{RUNS_BINARY[self.runner]} {command}"


def find_javascript_tests(project: ProjectFolder) -> Iterator[ProjectCommand]:
    package = _read_package(project)
    defined_in = project.present((PACKAGE, *RUNNER_FILES))
    script = _test_script(package)
    if script:
        command = _of_script(package, script)
        yield found(command, f"scripts.{script} in {PACKAGE}", defined_in)
        return
    for name, command in DIRECT:
        if name in package.dependencies:
            yield found(package.binary(command), f"{name} is a dependency in {PACKAGE}", defined_in)
            return
    for path in _node_tests(project):
        yield found("node --test", f"{path} is written for Node's own runner", defined_in)
        return


def find_javascript_linters(project: ProjectFolder) -> Iterator[ProjectCommand]:
    package = _read_package(project)
    scripts = [name for name in LINTS if name in package.scripts and not WRITES.search(package.scripts[name])]
    # Two names for the same command are one linter.
    by_text = {package.scripts[name]: name for name in reversed(scripts)}
    for name in scripts:
        if by_text[package.scripts[name]] == name:
            yield linter(package.run(name), f"scripts.{name} in {PACKAGE}", (PACKAGE,))
    in_scripts = " ".join(package.scripts[name] for name in scripts)
    for configured in find_configured_linters(project):
        if not _is_in_scripts(configured.command, in_scripts, scripts):
            yield configured.model_copy(update={"command": package.binary(configured.command)})


def find_configured_linters(project: ProjectFolder) -> Iterator[ProjectCommand]:
    """By their bare names, whatever the scripts: the package's dependencies that are configured."""
    dependencies = _read_package(project).dependencies
    for name, command, configurations in _CONFIGURED:
        files = project.present(configurations)
        if files and name in dependencies:
            yield linter(command, f"{name} is configured in {files[0]}", files)


_CONFIGURED = (
    ("eslint", "eslint .", ("eslint.config.*", ".eslintrc*")),
    ("typescript", "tsc --noEmit", ("tsconfig.json",)),
    ("prettier", "prettier --check .", (".prettierrc*", "prettier.config.*")),
    ("@biomejs/biome", "biome check", ("biome.json", "biome.jsonc")),
)
"""A dependency, its command, and its configuration files."""


def _is_in_scripts(command: str, scripts_text: str, scripts: list[str]) -> bool:
    """Whether one of the scripts already runs it."""
    program = command.partition(" ")[0]
    return re.search(rf"\b{program}\b", scripts_text) is not None or (
        program == "tsc" and not TYPE_CHECKS.isdisjoint(scripts)
    )


def _read_package(project: ProjectFolder) -> Package:
    try:
        read: Any = json.loads(project.text(PACKAGE) or "{}")
    except (ValueError, RecursionError):
        read = {}
    content = _table(read)
    dependencies = {*_table(content.get("dependencies")), *_table(content.get("devDependencies"))}
    scripts = {name: text for name, text in _table(content.get("scripts")).items() if isinstance(text, str)}
    scripts = {name: text for name, text in scripts.items() if len(text) <= MAX_COMMAND_CHARS}
    return Package(scripts, frozenset(dependencies), _package_manager(project, content.get("packageManager")))


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _package_manager(project: ProjectFolder, declared: Any) -> str:
    name = declared.partition("@")[0] if isinstance(declared, str) else ""
    if name in RUNS_BINARY:
        return name
    for names in (project.paths, project.above):
        for manager, locks in LOCKS:
            if not names.isdisjoint(locks):
                return manager
    return "npm"


def _test_script(package: Package) -> str | None:
    usual = package.scripts.get("test", "")
    if usual and NO_TEST not in usual and not WATCHES.search(usual):
        return "test"
    one_off = [name for name in ONE_OFF if name in package.scripts and not WATCHES.search(package.scripts[name])]
    if one_off:
        return one_off[0]
    return "test" if usual and NO_TEST not in usual else None


def _of_script(package: Package, script: str) -> str:
    """The script in a form that runs once and ends.

    Vitest and Jest get an option that they may have already: it shows the code that narrows the command which runner it
    is.
    """
    text = package.scripts[script]
    last = re.split(r"&&|\|\||;", text)[-1].strip()
    program = re.match(r"(?:[A-Za-z_]\w*=\S*\s+)*(?:cross-env\s+(?:\w+=\S*\s+)*)?(?:npx\s+)?([\w./@-]+)", last)
    name = program[1].rpartition("/")[2] if program else ""
    if WATCHES.search(text):
        return package.binary(dict(DIRECT)[name]) if name in dict(DIRECT) else package.run(script, "--watch=false")
    if name == "vitest":
        return package.run(script, "--run")
    if name == "jest":
        return package.run(script, "--ci")
    if name == "react-scripts" or "vitest" in text:
        return f"CI=true {package.run(script)}"
    if re.match(r"node\s+(?:--[\w-]+\s+)*--test\b", text) and read_simple(text):
        return text
    return package.run(script)


def _node_tests(project: ProjectFolder) -> list[str]:
    inner = {path.rpartition("/")[0] for path in project.named(PACKAGE)} - {""}
    return [
        path
        for path in sorted(project.files)
        if re.search(r"\.[cm]?js$", path)
        and NODE_TEST.search(project.text(path))
        and not is_sample(path)
        and not any(fnmatchcase(path, f"{folder}/*") for folder in inner)
    ]
