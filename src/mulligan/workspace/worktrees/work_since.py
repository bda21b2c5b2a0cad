"""The work done in a work tree since its base that was not brought back yet."""

import filecmp
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from mulligan.types.checkpoints import WorkTree
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints import capture
from mulligan.workspace.checkpoints.heads import commit_of
from mulligan.workspace.checkpoints.model import Commit, FileDelta, SkippedPath, Snapshot
from mulligan.workspace.checkpoints.objects import file_deltas
from mulligan.workspace.files.file_bytes import MAX_FILE_BYTES
from mulligan.workspace.git import Git, open_repository
from mulligan.workspace.worktrees.agent_byproducts import is_byproduct
from mulligan.workspace.worktrees.layout import BROUGHT, WorktreeLayout, is_away, is_empty
from mulligan.workspace.worktrees.model import Loss

COMMITS_NAMED = 100


@frozen
class WorkDone:
    now: Snapshot
    moves: list[FileDelta]
    """The differences from the starting point to now."""


async def snapshot_work(root: Path, *, label: str = "", before: Snapshot | None = None) -> Snapshot:
    """A snapshot of a checkout or a work tree, without files too large for a pending change."""
    return await capture(root, checkpoint_id=None, label=label, limit_bytes=MAX_FILE_BYTES, before=before)


async def starting_point(git: Git, base: str) -> str:
    """The content to compare with: what was brought back last, or the base."""
    return await commit_of(git, BROUGHT) or base


async def work_since(git: Git, start: str, *, label: str = "") -> WorkDone:
    """How a work tree differs from the content of a commit."""
    now = await snapshot_work(git.work_tree, label=label)
    moves = await file_deltas(git, start, now.tree)
    if any(move.after is None and not is_away(git.work_tree / move.path) for move in moves):
        # Not deleted but now ignored: capture it anyway.
        now = await snapshot_work(git.work_tree, label=label, before=replace(now, tree=start, branches={}))
        moves = await file_deltas(git, start, now.tree)
    return WorkDone(now, moves)


async def find_loss(tree: WorkTree, *, label: str = "") -> tuple[Loss, Snapshot]:
    """What would be lost with the work tree, and a snapshot of it."""
    root = Path(tree.path)
    git = await open_repository(root)
    work = await work_since(git, await starting_point(git, tree.base_commit), label=label)
    apart = work_apart(root, Path(tree.project), work.now.outside_tree)
    is_left = is_byproduct(git)
    moved = {move.path for move in work.moves if move.before or not is_left(move.path)}
    files = moved | {each.path for each in apart if not is_left(each.path)}
    return Loss(tuple(sorted(files)), await _loose_commits(git, tree, work.now)), work.now


def work_apart(root: Path, checkout: Path, not_covered: Iterable[SkippedPath]) -> list[SkippedPath]:
    """Paths that no snapshot covers and that may be somebody's work: a folder that is not empty, and a file that the
    checkout lacks or has with other content."""
    return [each for each in not_covered if _may_be_work(root / each.path, checkout / each.path)]


def _may_be_work(path: Path, original: Path) -> bool:
    try:
        if path.is_dir() and not path.is_symlink():
            return not is_empty(path)
        if not path.is_file():
            return False
        return not original.is_file() or not filecmp.cmp(path, original, shallow=False)
    except OSError:
        return True


async def _loose_commits(git: Git, tree: WorkTree, now: Snapshot) -> tuple[Commit, ...]:
    if now.head.commit is None:
        return ()
    own = WorktreeLayout(git.git_dir.name, Path()).branch.removeprefix("refs/heads/")
    others = (f"--exclude={own}", "--branches", "--tags", "--remotes", tree.base_commit)
    shown = ("log", f"--max-count={COMMITS_NAMED}", "-z", "--format=%H %s")
    lines = (await git.run(*shown, now.head.commit, "--not", *others, "--")).stdout.decode("utf-8", "replace")
    return tuple(Commit(*line.split(" ", 1)) for line in lines.split("\0") if line)
