"""Compares and reads git trees and blobs."""

import os
from collections.abc import Collection, Iterable

from mulligan.workspace.checkpoints.model import GITLINK, Blob, FileDelta, Snapshot
from mulligan.workspace.checkpoints.scan import select
from mulligan.workspace.git import Git


async def file_deltas(git: Git, before: str, after: str) -> list[FileDelta]:
    """The moves from one tree to another, without submodules, whose files we don't handle."""
    moves = [
        FileDelta(move.path, _file(move.before), _file(move.after)) for move in await tree_deltas(git, before, after)
    ]
    return [move for move in moves if move.before or move.after]


async def snapshot_deltas(git: Git, before: Snapshot, after: Snapshot) -> list[FileDelta]:
    """The moves from one snapshot to another, including secret files."""
    moves = {move.path: move for move in await file_deltas(git, before.tree, after.tree)}
    for path in sorted({*before.secrets, *after.secrets}):
        held = moves.pop(path, FileDelta(path, None, None))
        sides = [
            snapshot.secrets[path].blob if path in snapshot.secrets else side
            for snapshot, side in ((before, held.before), (after, held.after))
        ]
        if sides[0] != sides[1]:
            moves[path] = FileDelta(path, *sides)
    return list(moves.values())


async def tree_deltas(git: Git, before: str, after: str) -> list[FileDelta]:
    """The moves from one tree to another, including submodules."""
    fields = (await git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, after)).fields
    return [_move(header, path) for header, path in zip(fields[::2], fields[1::2], strict=True)]


async def sizes_of(git: Git, blobs: Iterable[Blob | None]) -> dict[str, int]:
    oids = sorted({blob.oid for blob in blobs if blob})
    if not oids:
        return {}
    stdin = "".join(f"{oid}\n" for oid in oids).encode()
    answer = await git.run("cat-file", "--batch-check=%(objectsize)", stdin=stdin)
    return dict(zip(oids, map(int, os.fsdecode(answer.stdout).split()), strict=True))


async def entries_at(git: Git, tree: str, paths: Collection[str]) -> dict[str, Blob]:
    """What a tree holds at these paths, including submodules."""
    fields = (await select(git, "ls-tree", "-z", "--full-tree", tree, paths=sorted(paths))).fields
    split = [field.partition("\t") for field in fields]
    found = {path: Blob(*header.split(" ")[::2]) for header, _, path in split}
    return {path: blob for path, blob in found.items() if blob.mode != "040000"}


async def read_blobs(git: Git, oids: Iterable[str]) -> dict[str, bytes]:
    """Read small blobs in one call."""
    asked = sorted(set(oids))
    rest = (await git.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in asked).encode())).stdout
    found: dict[str, bytes] = {}
    for oid in asked:
        header, _, rest = rest.partition(b"\n")
        size = int(header.split()[2])
        found[oid], rest = rest[:size], rest[size + 1 :]
    return found


def _move(header: str, path: str) -> FileDelta:
    mode_before, mode_after, before, after, _ = header.lstrip(":").split(" ")
    return FileDelta(path, _blob(mode_before, before), _blob(mode_after, after))


def _blob(mode: str, oid: str) -> Blob | None:
    return None if mode == "000000" else Blob(mode, oid)


def _file(blob: Blob | None) -> Blob | None:
    return blob if blob and blob.mode != GITLINK else None
