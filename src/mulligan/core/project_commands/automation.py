"""Tests run by a Makefile, a justfile or CI, for projects whose own runner is not recognised."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from mulligan.core.command_policy import judge_command
from mulligan.core.project_commands.project import ProjectFolder, found, linter
from mulligan.types.commands import CommandKind
from mulligan.types.fixing import ProjectCommand

MAKEFILES = (("make", ("GNUmakefile", "makefile", "Makefile")), ("just", ("justfile", "Justfile", ".justfile")))
"""In make's search order."""
TEST_TARGETS = ("test", "tests", "check", "unittest", "unit-test", "test-unit")
LINT_TARGETS = ("lint",)
CI_FILES = (".github/workflows/*.y*ml", ".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml", "azure-pipelines.yml")
REWRITES = re.compile(r"--fix\b|--write\b|\bruff format(?!.*--check)|\bblack\b(?!.*--check)")
STEP = re.compile(r"\s*(?:-\s+)?(?:run|script|command|bash):\s*(.*)|\s*-\s+(.*)|(.*)")
COMPUTED = re.compile(r"[$`|<>{}]")
MAX_STEP_CHARS = 300
ONLY_TESTS: frozenset[CommandKind] = frozenset({"test"})


def find_automated_tests(project: ProjectFolder) -> Iterator[ProjectCommand]:
    """Yields at most one command."""
    for command, path, name, _ in _targets(project, TEST_TARGETS):
        yield found(command, f"target `{name}` in {path}", (path,))
        return
    for path, step in _steps(project):
        verdict = judge_command(step)
        if verdict.kinds == ONLY_TESTS and verdict.decision == "allow":
            yield found(step, f"a step in {path}", (path,))
            return


def find_automated_linters(project: ProjectFolder) -> Iterator[ProjectCommand]:
    for command, path, name, recipe in _targets(project, LINT_TARGETS):
        if not REWRITES.search(recipe):
            yield linter(command, f"target `{name}` in {path}", (path,))
            return


def _targets(project: ProjectFolder, names: tuple[str, ...]) -> Iterator[tuple[str, str, str, str]]:
    """Command, file, target and recipe."""
    for program, paths in MAKEFILES:
        for path in project.present(paths)[:1]:
            for name in names:
                head = rf"@?{name}\b(?!-)[^:=\n]*:" if program == "just" else rf"{name}[ \t]*::?"
                rule = re.search(rf"^{head}(?!=).*\n((?:[ \t].*\n?|\n)*)", f"{project.text(path)}\n", re.MULTILINE)
                if rule:
                    yield f"{program} {name}", path, name, rule[1]


def _steps(project: ProjectFolder) -> Iterator[tuple[str, str]]:
    for path in sorted(project.files):
        if any(fnmatchcase(path, glob) for glob in CI_FILES):
            for line in project.text(path).splitlines():
                match = STEP.fullmatch(line[:MAX_STEP_CHARS])
                step = next((group for group in match.groups() if group), "").strip(" \"'") if match else ""
                if step and not COMPUTED.search(step):
                    yield path, step
