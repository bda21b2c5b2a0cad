"""Decides from two snapshots what a restore would do. Writes nothing."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mulligan.workspace.checkpoints.area import Area, private_area
from mulligan.workspace.checkpoints.heads import OPERATIONS
from mulligan.workspace.checkpoints.manifest import KEPT, valid_id
from mulligan.workspace.checkpoints.model import (
    CheckpointRefused,
    Commit,
    FileDelta,
    RefMove,
    RestorePlan,
    SkippedPath,
    Snapshot,
)
from mulligan.workspace.checkpoints.objects import snapshot_deltas
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.checkpoints.rules import ignored_then, same_rules
from mulligan.workspace.checkpoints.scan import ignored, parents, passes_link
from mulligan.workspace.git import Git, run_both

COMMITS_NAMED = 100


async def plan_restore(root: Path, target: Snapshot, now: Snapshot, *, restore_id: str) -> RestorePlan:
    """The plan to get from `now`, which was captured with `before=target`, to `target`.

    After a crash the same two snapshots give the same plan, however much of it was done. Raises `CheckpointRefused` if
    a restore is not possible.
    """
    if not target.branches.keys() <= now.branches.keys():
        raise ValueError("the safety checkpoint was not made for this restore")
    _refuse_other_operation(now, target)
    with translate_os_errors("The restore can't be planned"):
        async with private_area(root) as area:
            moves, refs = await run_both(
                snapshot_deltas(area.git, now, target),
                _ref_moves(area.repository, now, target, valid_id(restore_id)),
            )
            files = await _sort_out(area, now, target, moves)
    return RestorePlan(
        now=now,
        target=target,
        writes=tuple(files.writes),
        deletes=tuple(files.deletes),
        folders_made=tuple(files.folders_made),
        folders_removed=tuple(files.folders_removed),
        left_alone=tuple(files.left_alone),
        refs=refs,
    )


@dataclass(slots=True)
class _Files:
    writes: list[FileDelta] = field(default_factory=list[FileDelta])
    deletes: list[FileDelta] = field(default_factory=list[FileDelta])
    folders_made: list[str] = field(default_factory=list[str])
    folders_removed: list[str] = field(default_factory=list[str])
    left_alone: list[SkippedPath] = field(default_factory=list[SkippedPath])


async def _sort_out(area: Area, now: Snapshot, target: Snapshot, moves: Collection[FileDelta]) -> _Files:
    files = _Files()
    covered: list[FileDelta] = []
    uncovered = _Uncovered(now, target)
    for move in moves:
        if reason := uncovered.reason(move.path):
            files.left_alone.append(SkippedPath(move.path, reason))
        else:
            covered.append(move)
    deletes = [move for move in covered if move.after is None]
    created = sorted(set(now.folders) - set(target.folders))
    same = same_rules(now, target, [move.path for move in moves])
    spared = await _ignored_by_either(area, now, target, [move.path for move in deletes], created, same=same)
    files.deletes = [move for move in deletes if move.path not in spared]
    files.left_alone += [SkippedPath(move.path, "ignored, now or then") for move in deletes if move.path in spared]
    going = {move.path for move in files.deletes}
    for move in covered:
        if move.after:
            reason = _in_the_way(area.root, move.path, going)
            if reason:
                files.left_alone.append(SkippedPath(move.path, reason))
            else:
                files.writes.append(move)
    emptied = {folder for path in going for folder in parents(path)} | (set(created) - spared)
    files.folders_made = [folder for folder in target.folders if not uncovered.reason(folder)]
    # The innermost first.
    files.folders_removed = sorted(emptied - set(target.folders), key=lambda folder: (-folder.count("/"), folder))
    return files


class _Uncovered:
    """Paths that one of the snapshots does not cover: a restore must not touch them or anything below them."""

    def __init__(self, now: Snapshot, target: Snapshot) -> None:
        self._reasons = {apart.path: apart.reason for apart in (*target.not_covered, *now.not_covered)}
        self._above = {folder for apart in now.not_covered for folder in parents(apart.path)}

    def reason(self, path: str) -> str | None:
        own = next((self._reasons[place] for place in (path, *parents(path)) if place in self._reasons), None)
        if own:
            return f"not covered: {own}"
        return "something that is not covered lies in a folder of this name" if path in self._above else None


async def _ignored_by_either(
    area: Area, now: Snapshot, target: Snapshot, files: Collection[str], folders: Collection[str], *, same: bool
) -> set[str]:
    """Paths that the current rules or the target's rules ignore, so that we must not delete them."""
    found = set(now.forced) & set(files)
    # Checked in the work tree too: a .gitignore that ignores itself is in no snapshot.
    found |= await ignored(area.git, _standing(area.root, files))
    if not same:
        found |= await ignored_then(area, target, files, folders)
    return found


def _standing(root: Path, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if os.path.lexists(root / path) and not passes_link(root, path)]


def _in_the_way(root: Path, path: str, going: Collection[str]) -> str | None:
    """What blocks a write: something that the plan does not delete."""
    for folder in parents(path):
        place = root / folder
        if os.path.lexists(place) and (place.is_symlink() or not place.is_dir()) and folder not in going:
            return f"{folder} is no folder any more, and is not covered"
    place = root / path
    if place.is_symlink() or not place.is_dir():
        return None
    for top, folders, names in os.walk(place):
        links = [name for name in folders if Path(top, name).is_symlink()]
        if any(os.path.relpath(Path(top, name), root) not in going for name in (*names, *links)):
            return "a folder of this name holds files that are not covered"
    return None


def _refuse_other_operation(now: Snapshot, target: Snapshot) -> None:
    if now.operation == target.operation:
        return
    present = [OPERATIONS[line.split(" ")[0]] for line in now.operation.splitlines()]
    past = [OPERATIONS[line.split(" ")[0]] for line in target.operation.splitlines()]
    words = f"{present[0]} is under way now; finish or abort it first" if present else f"{past[0]} was under way then"
    raise CheckpointRefused(f"This checkpoint can't be restored: {words}.")


async def _ref_moves(git: Git, now: Snapshot, target: Snapshot, restore_id: str) -> tuple[RefMove, ...]:
    moves: list[RefMove] = []
    for ref, after in target.branches.items():
        before = now.branches[ref]
        if before != after or (ref == target.head.branch != now.head.branch):
            await _refuse_used_elsewhere(git, ref)
        if before != after:
            moves.append(await _ref_move(git, ref, before, after, restore_id))
    if now.head.branch is None and now.head != target.head:
        kept = await _ref_move(git, "HEAD", now.head.commit, target.head.commit, restore_id)
        moves += [kept] if kept.set_aside else []
    return tuple(moves)


async def _ref_move(git: Git, ref: str, before: str | None, after: str | None, restore_id: str) -> RefMove:
    if before is None:
        return RefMove(ref, before, after)
    reached = (f"^{after}",) if after else ()
    args = (
        "log",
        f"--max-count={COMMITS_NAMED}",
        "-z",
        "--format=%H %s",
        before,
        *reached,
        "--",
    )
    lines = (await git.run(*args)).stdout.decode("utf-8", "replace").split("\0")
    commits = tuple(Commit(*line.split(" ", 1)) for line in lines if line)
    kept_under = f"{KEPT}{restore_id}/{ref.removeprefix('refs/heads/')}" if commits else None
    return RefMove(ref, before, after, commits, kept_under)


async def _refuse_used_elsewhere(git: Git, branch: str) -> None:
    asked = await git.run("for-each-ref", "--format=%(refname)%00%(worktreepath)", branch)
    for line in asked.text.splitlines():
        name, _, place = line.partition("\0")
        if name == branch and place and not _is_same(place, git.work_tree):
            short = branch.removeprefix("refs/heads/")
            raise CheckpointRefused(
                f"The branch {short} is checked out in another work tree, {place}, so it can't be restored here."
            )


def _is_same(place: str, work_tree: Path) -> bool:
    return os.path.realpath(place) == str(work_tree)
