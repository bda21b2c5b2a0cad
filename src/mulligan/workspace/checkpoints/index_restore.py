"""Restores the user's index, and keeps its cached status of files that did not change."""

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from mulligan.workspace.checkpoints.area import Area
from mulligan.workspace.checkpoints.index_file import Entry, compose, entries
from mulligan.workspace.checkpoints.model import RestorePlan
from mulligan.workspace.checkpoints.objects import entries_at, tree_deltas
from mulligan.workspace.checkpoints.quick_tree import are_few
from mulligan.workspace.checkpoints.user_index import copy_index, flagged_entries

Flagged = dict[str, frozenset[Entry]]
"""By path: the stages of a merge share a path."""


async def restore_index(area: Area, plan: RestorePlan, present: str) -> None:
    """`present` is the commit of the index's current content. The caller holds the index's lock."""
    moved = [move.path for move in (*plan.writes, *plan.deletes)]
    if present == plan.target.index.commit and are_few(area, moved):
        # Git notices by their status that these files changed, and reads them when next needed.
        return
    copy = await copy_index(area, "restored")
    if present != plan.target.index.commit:
        await _set_entries(area, plan, copy)
    # Whether a file matches depends on the user's conversions, so the user's settings apply. The exit code only says
    # that some files differ from the index.
    user_git = replace(area.repository, index=copy, user_config=True)
    await user_git.run("update-index", "-q", "--unmerged", "--refresh", accept=None)
    _install(area, copy)


async def _set_entries(area: Area, plan: RestorePlan, copy: Path) -> None:
    git = replace(area.repository, index=copy)
    before = _by_path(await flagged_entries(git, plan.now.index))
    after = _by_path(await flagged_entries(git, plan.target.index))
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    rows = [_row("0", "0" * area.oid_bytes * 2, path) for path in touched]
    for move in await tree_deltas(git, plan.now.index.tree, plan.target.index.tree):
        if move.path not in touched:
            blob = move.after
            rows.append(
                _row(blob.mode, blob.oid, move.path) if blob else _row("0", "0" * area.oid_bytes * 2, move.path)
            )
    plain = await entries_at(git, plan.target.index.tree, touched - after.keys())
    rows += [_row(blob.mode, blob.oid, path) for path, blob in plain.items()]
    await git.run("update-index", "-z", "--index-info", stdin=b"".join(rows))
    added = [entry for path in touched & after.keys() for entry in after[path]]
    if added:
        _add(copy, added, area.oid_bytes)


def _add(copy: Path, added: Iterable[Entry], oid_bytes: int) -> None:
    times = copy.stat()
    copy.write_bytes(compose([*entries(copy.read_bytes(), oid_bytes), *added], oid_bytes))
    os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))


def _by_path(flagged: Iterable[Entry]) -> Flagged:
    grouped: dict[str, set[Entry]] = defaultdict(set)
    for entry in flagged:
        grouped[os.fsdecode(entry.path)].add(entry)
    return {path: frozenset(group) for path, group in grouped.items()}


def _row(mode: str, oid: str, path: str) -> bytes:
    return f"{mode} {oid}\t".encode() + os.fsencode(path) + b"\0"


def _install(area: Area, copy: Path) -> None:
    index = area.repository.git_dir / "index"
    if index.exists():
        copy.chmod(index.stat().st_mode & 0o777)
    copy.replace(index)
