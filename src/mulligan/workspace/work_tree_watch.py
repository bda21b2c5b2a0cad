"""Snapshots of what differs from HEAD in a work tree, by content: two of them show what changed in between."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.model import Blob, FileDelta
from mulligan.workspace.checkpoints.objects import tree_deltas
from mulligan.workspace.checkpoints.tree_files import Signature, TreeFiles
from mulligan.workspace.git import Git, open_repository

STATUS = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "-uall", "--ignore-submodules=all")

EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The tree of HEAD before the first commit. Git knows it without storing it."""

GITLINK_OR_NOTHING = frozenset({"000000", "160000"})


@frozen
class Differing:
    """A file that differs from HEAD or is not in HEAD."""

    now: Blob | None
    head: Blob | None


@frozen
class WorkTreeSnapshot:
    head: str | None
    """The commit; None before the first one."""
    files: Mapping[str, Differing]
    """By path, relative to the top of the work tree. All others are as in HEAD. Ignored files are not included."""


class WorkTreeWatch:
    """Takes snapshots of one work tree. Files that were not written to since the last one are not read again."""

    @classmethod
    async def open(cls, folder: Path) -> "WorkTreeWatch":
        """Watches the work tree around a folder. Raises `NoRepository` or `GitMissing`."""
        return cls(await open_repository(folder))

    def __init__(self, git: Git) -> None:
        self.git = git
        # What the user ignores in all their repositories is ignored here too.
        # Threads only pay off for very many files.
        self._asked = replace(git, user_config=True, settings=(*git.settings, "core.preloadIndex=false"))
        self._files = TreeFiles(git.work_tree, git.object_format)
        self._known: dict[str, tuple[Signature, Blob | None]] = {}

    async def snapshot(self) -> WorkTreeSnapshot:
        """Raises `GitError`."""
        return await asyncio.to_thread(self._read, (await self._asked.run(*STATUS)).fields)

    async def moves(self, before: WorkTreeSnapshot, after: WorkTreeSnapshot) -> list[FileDelta]:
        """The files whose content or mode differs between two snapshots, by path."""
        between = await self._between(before.head, after.head)
        left = {move.path: move.before for move in between}
        reached = {move.path: move.after for move in between}
        paths = sorted({*before.files, *after.files, *left})
        moves = [FileDelta(path, _at(path, before, left, after), _at(path, after, reached, before)) for path in paths]
        return [move for move in moves if move.before != move.after]

    async def _between(self, before: str | None, after: str | None) -> list[FileDelta]:
        if before == after:
            return []
        empty = EMPTY_TREE[self.git.object_format]
        moves = await tree_deltas(self.git, before or empty, after or empty)
        return [FileDelta(move.path, _file(move.before), _file(move.after)) for move in moves]

    def _read(self, fields: Sequence[str]) -> WorkTreeSnapshot:
        head = next(field for field in fields if field.startswith("# branch.oid ")).split(" ")[2]
        files = {path: Differing(self._blob(path), blob) for path, blob in _listed(fields)}
        self._known = {path: known for path, known in self._known.items() if path in files}
        return WorkTreeSnapshot(None if head == "(initial)" else head, files)

    def _blob(self, path: str) -> Blob | None:
        known = self._known.get(path)
        if known and known[0] == self._files.signature(path):
            return known[1]
        found = self._files.look(path)
        if found.signature is not None:
            self._known[path] = found.signature, found.blob
        return found.blob


def _at(path: str, seen: WorkTreeSnapshot, at_head: Mapping[str, Blob | None], other: WorkTreeSnapshot) -> Blob | None:
    """The file at a path in a snapshot; what it does not list was as in its HEAD."""
    if path in seen.files:
        return seen.files[path].now
    # If no commit between the two touched it, both HEADs have the same.
    return at_head[path] if path in at_head else other.files[path].head


def _listed(fields: Sequence[str]) -> Iterator[tuple[str, Blob | None]]:
    """Paths that differ, each with its file in HEAD."""
    for field in fields:
        kind, _, rest = field.partition(" ")
        match kind:
            case "1":
                _, _, mode, _, _, oid, _, path = rest.split(" ", 7)
                yield path, _file(Blob(mode, oid))
            case "u":  # of a merge: our side is HEAD's
                _, _, _, mode, _, _, _, oid, _, path = rest.split(" ", 9)
                yield path, _file(Blob(mode, oid))
            case "?" if not rest.endswith("/"):  # a folder is a repository of its own
                yield rest, None
            case _:
                pass


def _file(blob: Blob | None) -> Blob | None:
    return None if blob is None or blob.mode in GITLINK_OR_NOTHING else blob
