"""The project's fast checkers, found in its manifests and settings; none is assumed."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from mulligan.core.project_commands.find import inner_folders
from mulligan.core.project_commands.javascript import find_configured_linters
from mulligan.core.project_commands.project import ProjectFolder
from mulligan.core.project_commands.python_linters import find_python_linters
from mulligan.core.project_commands.shell import quote

PYTHON = (".py", ".pyi")
TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", *TYPESCRIPT)

MAX_CHECKERS = 4
"""They run one after the other, within one time limit."""

PYTHON_TYPES = ("pyright", "basedpyright", "mypy")
"""The first that is configured is enough: they find the same."""


@dataclass(frozen=True, slots=True)
class Checker:
    name: str
    command: str
    """Checks its whole folder. Without a path: the project's environment is first on PATH."""
    endings: tuple[str, ...]
    """Extensions of the files it checks."""
    folder: str = ""
    """Where it runs, relative to the project."""
    by_file: bool = False
    """Its findings about a file depend on that file alone, so that only the changed files need checking."""

    def concerns(self, path: str) -> bool:
        return path.endswith(self.endings) and path.startswith(self._start)

    def covers(self, other: "Checker") -> bool:
        """A Go module and a TypeScript project end where the next begins."""
        same = self.name == other.name and self.name not in {"go vet", "tsc"}
        return same and f"{other.folder}/".startswith(self._start)

    def asks_all(self) -> str:
        return self._entered(f"{self.command} ." if self.by_file else self.command)

    def asks_about(self, paths: Collection[str]) -> str:
        """The command that shows the effect of changes to these files."""
        if not self.by_file:
            return self.asks_all()
        inside = (path.removeprefix(self._start) for path in sorted(paths))
        return self._entered(" ".join([self.command, *(quote(f"./{path}") for path in inside)]))

    @property
    def _start(self) -> str:
        return f"{self.folder}/" if self.folder else ""

    def _entered(self, command: str) -> str:
        return f"cd {quote(self.folder)} && {command}" if self.folder else command


def find_checkers(files: Mapping[str, str], paths: Collection[str]) -> tuple[Checker, ...]:
    """Checkers of the top folder, then those of folders with their own manifests that no checker above covers.

    `files` are the manifests' texts, `paths` all files of the project.
    """
    top = ProjectFolder.at_top(files, paths)
    found = list(_of_folder(top, ""))
    for folder in inner_folders(top):
        for checker in _of_folder(top.below(folder), folder):
            if not any(each.covers(checker) for each in found):
                found.append(checker)
    return tuple(found[:MAX_CHECKERS])


def _of_folder(project: ProjectFolder, folder: str) -> Iterator[Checker]:
    """Linters before type checkers, since they are faster."""
    python = {each.command.partition(" ")[0]: each.command for each in find_python_linters(project)}
    scripts = {each.command.partition(" ")[0] for each in find_configured_linters(project)}
    if "ruff" in python:
        command = "ruff check --no-cache --force-exclude --output-format concise"
        yield Checker("ruff", command, PYTHON, folder, by_file=True)
    if "eslint" in scripts:
        yield Checker("eslint", "eslint --no-color", SCRIPTS, folder, by_file=True)
    types = next((name for name in PYTHON_TYPES if name in python), None)
    if types:
        yield Checker(types, f"{python[types]} --no-pretty" if types == "mypy" else types, PYTHON, folder)
    if "tsc" in scripts:
        yield Checker("tsc", "tsc --noEmit --pretty false", TYPESCRIPT, folder)
    if "go.mod" in project.paths:
        yield Checker("go vet", "go vet ./...", (".go",), folder)
    if "Cargo.toml" in project.paths:
        # Includes tests, since they call the changed code. Offline, since commands have no network.
        command = "cargo check --quiet --offline --all-targets --message-format short"
        workspace = " --workspace" if project.has_section("Cargo.toml", "workspace") else ""
        yield Checker("cargo check", command + workspace, (".rs",), folder)
