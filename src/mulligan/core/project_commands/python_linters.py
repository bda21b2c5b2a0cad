"""Linters that a Python project configures; none is assumed."""

import re
from collections.abc import Iterator

from mulligan.core.project_commands.project import ProjectFolder, linter
from mulligan.core.project_commands.shell import quote
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.fixing import ProjectCommand

CONFIGURATIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "ruff": (("ruff.toml", ""), (".ruff.toml", ""), ("pyproject.toml", "tool.ruff")),
    "flake8": ((".flake8", ""), ("setup.cfg", "flake8"), ("tox.ini", "flake8")),
    "pylint": ((".pylintrc", ""), ("pylintrc", ""), (".pylintrc.toml", ""), ("pyproject.toml", "tool.pylint")),
    "mypy": (("mypy.ini", ""), (".mypy.ini", ""), ("pyproject.toml", "tool.mypy"), ("setup.cfg", "mypy")),
    "pyright": (("pyrightconfig.json", ""), ("pyproject.toml", "tool.pyright")),
    "basedpyright": (("pyproject.toml", "tool.basedpyright"),),
    "black": (("pyproject.toml", "tool.black"),),
}
"""A linter, and the files and sections that configure it."""

COMMANDS = {"ruff": "ruff check", "flake8": "flake8", "pyright": "pyright", "basedpyright": "basedpyright",
            "black": "black --check ."}  # fmt: skip
"""Linters that need no path."""

MAX_PACKAGES = 8


def find_python_linters(project: ProjectFolder) -> Iterator[ProjectCommand]:
    """By their bare names: the project's environment is first on PATH, and others may be installed separately."""
    if not any(path.endswith(".py") for path in project.paths):
        return
    for name, places in CONFIGURATIONS.items():
        where = [place[0] for place in places if project.configures(place)]
        if where:
            command = COMMANDS.get(name) or _automated(project, name) or _configured_in(project, name, where[0])
            yield linter(command, f"{name} is configured in {where[0]}", where)
            if name == "ruff" and project.automates(r"\bruff format\b.*--check|\bruff-format\b"):
                yield linter("ruff format --check", "CI, hooks or a Makefile check it", where)


def _automated(project: ProjectFolder, name: str) -> str | None:
    """As CI or a Makefile calls it: these know which paths to check."""
    call = re.compile(
        rf"\s*(?:-\s+)?(?:run:\s*)?@?(?:(?:uv|poetry|pdm|hatch)\s+run\s+|python3?\s+-m\s+)?({name}(?:\s+[\w./=-]+)+)\s*"
    )
    for line in project.automation.splitlines():
        if called := call.fullmatch(line):
            return called[1]
    return None


def _configured_in(project: ProjectFolder, name: str, configuration: str) -> str:
    if name == "mypy" and re.search(
        r"^[ \t]*+(?:files|packages|modules)[ \t]*=", project.text(configuration), re.MULTILINE
    ):
        return "mypy"
    folders = [path.partition("/")[0] for path in sorted(project.paths) if re.fullmatch(r"[^/]+/__init__\.py", path)]
    packages = [quote(folder) for folder in folders if not is_test_file(f"{folder}/__init__.py")]
    if any(path.startswith("src/") for path in project.paths):
        packages = ["src"]
    return " ".join([name, *(packages[:MAX_PACKAGES] or ["."])])
