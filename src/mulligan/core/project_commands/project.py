"""A folder of a project, with what is needed to find its commands."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from typing import Literal

from mulligan.core.project_commands.manifests import is_ours
from mulligan.types.fixing import ProjectCommand

AUTOMATION = (
    "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile", ".github/workflows/*.y*ml",
    ".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml", "azure-pipelines.yml", ".pre-commit-config.yaml",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """Paths are relative to the folder."""

    files: Mapping[str, str]
    """Texts of manifests and tests."""
    paths: frozenset[str]
    """All files, without downloaded and built ones."""
    automation: str
    """The whole project's Makefile, CI and hooks, in one text."""
    above: frozenset[str] = frozenset()
    """Names of files in the folders above this one."""

    @classmethod
    def at_top(cls, files: Mapping[str, str], paths: Collection[str]) -> "ProjectFolder":
        ours = frozenset(path for path in {*paths, *files} if is_ours(path))
        automation = [files[path] for path in sorted(files) if any(fnmatchcase(path, glob) for glob in AUTOMATION)]
        return cls({path: text for path, text in files.items() if path in ours}, ours, "\n".join(automation))

    def below(self, folder: str) -> "ProjectFolder":
        start = f"{folder}/"
        files = {path.removeprefix(start): text for path, text in self.files.items() if path.startswith(start)}
        paths = frozenset(path.removeprefix(start) for path in self.paths if path.startswith(start))
        outer = ["", *(folder[: slash.start()] for slash in re.finditer("/", folder))]
        names = {path.rpartition("/")[2] for path in self.paths if path.rpartition("/")[0] in outer}
        return ProjectFolder(files, paths, self.automation, self.above | names)

    def text(self, path: str) -> str:
        return self.files.get(path, "")

    def present(self, names: Iterable[str]) -> tuple[str, ...]:
        """The files of this folder itself that exist, in the order given; globs are allowed."""
        here = sorted(path for path in self.paths if "/" not in path)
        return tuple(dict.fromkeys(path for name in names for path in here if fnmatchcase(path, name)))

    def named(self, *globs: str) -> list[str]:
        """Files with these names in this folder and below."""
        pattern = re.compile("|".join(map(translate, globs)))
        return sorted(path for path in self.paths if pattern.match(path.rpartition("/")[2]))

    def has_section(self, path: str, name: str) -> bool:
        """Whether an INI or TOML file has a table with this name, or one below it."""
        return re.search(rf"^[ \t]*+\[{{1,2}}\s*{re.escape(name)}\s*[\].]", self.text(path), re.MULTILINE) is not None

    def configures(self, place: tuple[str, str]) -> bool:
        """Whether the file exists, and has the section, if one is given."""
        path, section = place
        return path in self.paths and (not section or self.has_section(path, section))

    def automates(self, pattern: str) -> bool:
        return re.search(pattern, self.automation) is not None


def found(
    command: str, why: str, defined_in: Iterable[str] = (), *, kind: Literal["test", "lint"] = "test"
) -> ProjectCommand:
    return ProjectCommand(command=command, kind=kind, why=why, defined_in=tuple(defined_in))


def linter(command: str, why: str, defined_in: Iterable[str] = ()) -> ProjectCommand:
    return found(command, why, defined_in, kind="lint")
