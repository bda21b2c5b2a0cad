"""How two snapshots differ."""

from pathlib import Path

from mulligan.workspace.checkpoints.area import private_area
from mulligan.workspace.checkpoints.capture import capture
from mulligan.workspace.checkpoints.model import LINK, ChangeOf, FileChange, FileDelta, Snapshot
from mulligan.workspace.checkpoints.objects import sizes_of, snapshot_deltas
from mulligan.workspace.checkpoints.secret_files import secret_sizes
from mulligan.workspace.git import open_repository


async def changes_between(root: Path, before: Snapshot, after: Snapshot | None = None) -> list[FileChange]:
    """Files that differ, sorted by path. Without `after`, the current work tree is compared."""
    later = after or await capture(root, checkpoint_id=None)
    git = await open_repository(root)
    moves = await snapshot_deltas(git, before, later)
    secret = secret_sizes(git, (before, later))
    blobs = (blob for move in moves for blob in (move.before, move.after))
    sizes = secret | await sizes_of(git, (blob for blob in blobs if blob and blob.oid not in secret))
    return [
        FileChange(
            path=move.path,
            kind=_kind(move),
            size_before=sizes[move.before.oid] if move.before else None,
            size_after=sizes[move.after.oid] if move.after else None,
        )
        for move in moves
    ]


async def diff_text(root: Path, before: Snapshot, after: Snapshot | None = None) -> str:
    """A unified diff. Bytes that are not UTF-8 are replaced; secret files are in it only if tracked."""
    later = after or await capture(root, checkpoint_id=None)
    async with private_area(root) as area:  # here the user's settings can't change how a diff looks
        args = ("diff-tree", "-r", "-p", "--find-renames", "--no-color")
        answer = await area.git.run(*args, before.tree, later.tree, "--")
    return answer.stdout.decode("utf-8", "replace")


def _kind(move: FileDelta) -> ChangeOf:
    if move.before is None:
        return "added"
    if move.after is None:
        return "deleted"
    if LINK in {move.before.mode, move.after.mode}:
        return "link"
    return "mode" if move.before.oid == move.after.oid else "modified"
