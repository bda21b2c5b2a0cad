"""The paths of a project, for finding the files that imports mean."""

import posixpath
from collections.abc import Callable, Iterable
from functools import cached_property


class ProjectPaths:
    def __init__(self, paths: Iterable[str]) -> None:
        self.all = frozenset(paths)

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """The files directly in each folder, sorted."""
        return _grouped(self.all, lambda path: path.rpartition("/")[0])

    @cached_property
    def with_parents(self) -> frozenset[str]:
        """All folders, including those that contain only folders."""
        return frozenset(up for folder in self.folders for up in ancestors(f"{folder}/"))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _grouped(self.all, lambda path: path.rpartition("/")[2].lower())

    @cached_property
    def _folders_by_name(self) -> dict[str, list[str]]:
        return _grouped(self.folders, lambda folder: folder.rpartition("/")[2])

    def first(self, *candidates: str) -> str | None:
        return next((each for each in candidates if each in self.all), None)

    def ending_in(self, suffix: str, *, near: str) -> str | None:
        """The file whose path ends with `suffix`; of several, the one nearest to the file `near`."""
        named = self._by_name.get(suffix.rpartition("/")[2].lower(), ())
        return nearest([path for path in named if _ends(path, suffix)], near)

    def only_ending_in(self, *suffixes: str) -> str | None:
        """The file whose path ends with one of these, if there is exactly one."""
        found = {
            path
            for suffix in suffixes
            for path in self._by_name.get(suffix.rpartition("/")[2].lower(), ())
            if _ends(path, suffix)
        }
        return found.pop() if len(found) == 1 else None

    def folders_ending_in(self, suffix: str) -> list[str]:
        return [each for each in self._folders_by_name.get(suffix.rpartition("/")[2], ()) if _ends(each, suffix)]

    def named(self, name: str) -> list[str]:
        return self._by_name.get(name.lower(), [])


def nearest(paths: list[str], near: str) -> str | None:
    """The path that shares most folders with `near`; of equal ones, the shortest."""
    return min(paths, key=lambda path: (-_shared(path, near), path.count("/"), path), default=None)


def joined(path: str, relative: str) -> str:
    """A path that a file names relative to itself. One that leads out of the project begins with `../`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))


def ancestors(path: str) -> list[str]:
    """The folders a file is in, the innermost first, the project's own (empty) last."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts), -1, -1)]


def under(folder: str, relative: str) -> str:
    return f"{folder}/{relative}" if folder else relative


def _ends(path: str, suffix: str) -> bool:
    return path == suffix or path.endswith(f"/{suffix}")


def _shared(path: str, near: str) -> int:
    shared = 0
    for one, other in zip(path.split("/")[:-1], near.split("/")[:-1], strict=False):
        if one != other:
            break
        shared += 1
    return shared


def _grouped(names: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(key(name), []).append(name)
    return groups
