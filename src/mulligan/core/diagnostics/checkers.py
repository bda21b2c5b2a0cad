"""Which checkers a project has that answer quickly: found in its manifests and settings, none is invented."""

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

MOST_CHECKERS = 4
"""They are asked one after the other, within one time limit."""

PYTHON_TYPES = ("pyright", "basedpyright", "mypy")
"""One is enough, the first that is configured: they find the same."""


@dataclass(frozen=True, slots=True)
class Checker:
    name: str
    command: str
    """For all of its folder, by the program's bare name: the project's own environment is first on the path."""
    endings: tuple[str, ...]
    """Of files that it knows."""
    folder: str = ""
    """Where it runs, from the project."""
    by_file: bool = False
    """What it says of a file comes from that file alone, so that only files at hand need to be looked at."""

    def concerns(self, path: str) -> bool:
        return path.endswith(self.endings) and path.startswith(self._start)

    def covers(self, other: "Checker") -> bool:
        """A module of Go and a project of TypeScript end where the next begins."""
        same = self.name == other.name and self.name not in {"go vet", "tsc"}
        return same and f"{other.folder}/".startswith(self._start)

    def asks_all(self) -> str:
        return self._entered(f"{self.command} ." if self.by_file else self.command)

    def asks_about(self, paths: Collection[str]) -> str:
        """What shows the effect of changes of these files, which it is concerned with."""
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
    """Those of the top folder, then those of folders with manifests of their own that none above covers.

    `files` are texts of manifests, `paths` all files of the project.
    """
    top = ProjectFolder.at_top(files, paths)
    found = list(_of_folder(top, ""))
    for folder in inner_folders(top):
        for checker in _of_folder(top.below(folder), folder):
            if not any(each.covers(checker) for each in found):
                found.append(checker)
    return tuple(found[:MOST_CHECKERS])


def _of_folder(project: ProjectFolder, folder: str) -> Iterator[Checker]:
    """Linters before type checkers: they answer first."""
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
        # Tests call what is changed too. Nothing is fetched: commands have no network.
        command = "cargo check --quiet --offline --all-targets --message-format short"
        workspace = " --workspace" if project.has_section("Cargo.toml", "workspace") else ""
        yield Checker("cargo check", command + workspace, (".rs",), folder)
