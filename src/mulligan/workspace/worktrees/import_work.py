"""Brings the work done in a work tree back to the project as pending changes, each difference once."""

import json
import time
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from mulligan.ports.changes import ChangeRepository
from mulligan.types.changes import FileMode, FileState, PendingChange
from mulligan.types.checkpoints import WorkTree
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.heads import commit_of
from mulligan.workspace.checkpoints.model import Blob, FileDelta, SkippedPath
from mulligan.workspace.checkpoints.objects import file_deltas, read_blobs, sizes_of
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.checkpoints.scan import parents
from mulligan.workspace.checkpoints.user_index import commit_tree
from mulligan.workspace.files.confined_folders import refuse_closed
from mulligan.workspace.git import Git, nul_list, open_repository
from mulligan.workspace.worktrees.agent_byproducts import is_byproduct, keep_patterns
from mulligan.workspace.worktrees.layout import BRINGING, BROUGHT, write_refs
from mulligan.workspace.worktrees.locks import hold_lock
from mulligan.workspace.worktrees.model import ImportedWork
from mulligan.workspace.worktrees.work_since import starting_point, work_apart, work_since

BATCH_BYTES = 64_000_000
BATCH_FILES = 200


async def import_work(
    tree: WorkTree,
    store: ChangeRepository,
    *,
    project: str,
    chat_id: str | None = None,
    message_id: str | None = None,
    leaves_behind: Sequence[str] | None = None,
) -> ImportedWork:
    """Stage what differs between the work tree and its base, or what was imported back last.

    `project` is the checkout or a folder in it. Commits made in the work tree are included, since contents are
    compared. What can't be staged is listed and stays where it is. If killed and run again, it finishes: nothing is
    staged twice. `leaves_behind`: files that the agent writes and that are not work, as lines of a .gitignore; None:
    those given last. Raises `NoRepository`, `CheckpointRefused`, `GitError`, `StoreError`.
    """
    git = await open_repository(Path(tree.path))
    with translate_os_errors("Nothing more was imported back"):
        lock = git.git_dir / "mulligan" / "bringing-back.lock"
        async with hold_lock(lock, busy=f"another process is bringing back what is in {tree.path}; try again"):
            if leaves_behind is not None:
                keep_patterns(git, leaves_behind)
            return await _ImportingWork(git, tree, store, project, chat_id, message_id).run()


def sort_out(
    moves: Iterable[FileDelta], not_covered: Collection[SkippedPath], folder: str
) -> tuple[list[FileDelta], list[SkippedPath]]:
    """What can be staged for the project in this folder of the checkout, and what can't and why."""
    reasons = {apart.path: apart.reason for apart in not_covered}
    staged: list[FileDelta] = []
    left: list[SkippedPath] = []
    for move in moves:
        reason = next((reasons[place] for place in (move.path, *parents(move.path)) if place in reasons), None)
        reason = reason or _closed(move.path, folder)
        if reason:
            left.append(SkippedPath(move.path, reason))
        else:
            staged.append(move)
    return staged, left


def in_order(moves: Sequence[FileDelta]) -> list[FileDelta]:
    """Sorted so that each can be applied after those before it. Deletions come last, so that nothing is missing
    meanwhile, unless the deleted file blocks a write."""
    written = {move.path for move in moves if move.after}
    above = {folder for path in written for folder in parents(path)}

    def rank(move: FileDelta) -> int:
        if move.after:
            return 1
        return 0 if move.path in above or not written.isdisjoint(parents(move.path)) else 2

    return sorted(moves, key=lambda move: (rank(move), move.path))


@frozen
class _ImportingWork:
    git: Git
    tree: WorkTree
    store: ChangeRepository
    project: str
    chat_id: str | None
    message_id: str | None

    async def run(self) -> ImportedWork:
        changes = await self._finish_left()
        start = await starting_point(self.git, self.tree.base_commit)
        done = await work_since(self.git, start)
        is_left = is_byproduct(self.git)
        # A file that existed before belongs to the project, whatever its name.
        left = {move.path for move in done.moves if not move.before and is_left(move.path)}
        moves, apart = sort_out(
            (move for move in done.moves if move.path not in left), done.now.not_covered, self._folder
        )
        named = {each.path for each in apart}
        others = work_apart(Path(self.tree.path), Path(self.tree.project), done.now.outside_tree)
        left |= {each.path for each in others if is_left(each.path)}
        apart += [each for each in others if each.path not in named | left]
        if moves:
            changes += await self.stage(start, await self._begin(start, moves), known=())
        return ImportedWork(tuple(changes), tuple(sorted(apart, key=lambda each: each.path)), tuple(sorted(left)))

    @property
    def _folder(self) -> str:
        inner = Path(self.project).relative_to(self.tree.project).as_posix()
        return "" if inner == "." else f"{inner}/"

    async def _begin(self, start: str, moves: Sequence[FileDelta]) -> str:
        """Record what is about to be staged, and after which change, so that a later run sees how far it got."""
        last = max((change.seq for change in await self.store.list(self.project)), default=0)
        tree = await _tree_with(self.git, start, moves)
        date = f"@{int(time.time())} +0000"
        note = json.dumps({"behind": last, "project": self.project})
        noted = await commit_tree(self.git, tree, [start], note, date=date)
        await write_refs(self.git, [f"update {BRINGING} {noted}"])
        return noted

    async def _finish_left(self) -> list[PendingChange]:
        """Stage the rest of what a killed process began to stage."""
        noted = await commit_of(self.git, BRINGING)
        if noted is None:
            return []
        note = json.loads((await self.git.run("cat-file", "commit", noted)).stdout.partition(b"\n\n")[2])
        begun = replace(self, project=note["project"])
        known = [change for change in await self.store.list(begun.project) if change.seq > note["behind"]]
        return await begun.stage(await starting_point(self.git, self.tree.base_commit), noted, known=known)

    async def stage(self, start: str, noted: str, *, known: Iterable[PendingChange]) -> list[PendingChange]:
        """Stage the differences between two commits that are not in `known`. Returns only the new changes."""
        staged = {(change.path, change.before, change.after) for change in known}
        changes: list[PendingChange] = []
        moves = in_order(await file_deltas(self.git, start, noted))
        async for move, before, after in _images(self.git, moves):
            path = move.path.removeprefix(self._folder)
            if (path, before, after) not in staged:
                changes.append(
                    await self.store.add(
                        project=self.project,
                        path=path,
                        before=before,
                        after=after,
                        chat_id=self.chat_id,
                        message_id=self.message_id,
                    )
                )
        await write_refs(self.git, [f"update {BROUGHT} {noted}", f"delete {BRINGING} {noted}"])
        return changes


def _closed(path: str, folder: str) -> str | None:
    if not path.startswith(folder):
        return f"outside the project, which is {folder} here"
    try:
        refuse_closed(path.removeprefix(folder))
    except CallRejected as refused:
        return str(refused)
    return None


async def _tree_with(git: Git, start: str, moves: Sequence[FileDelta]) -> str:
    """A commit's tree with some files replaced."""
    index = git.git_dir / "mulligan" / "bringing-back.index"
    for left in (index, index.with_name(f"{index.name}.lock")):
        left.unlink(missing_ok=True)
    nowhere = "0" * len(start)
    rows = [f"{move.after.mode} {move.after.oid}\t" if move.after else f"0 {nowhere}\t" for move in in_order(moves)]
    stdin = b"".join(row.encode() + nul_list([move.path]) for row, move in zip(rows, in_order(moves), strict=True))
    own = replace(git, index=index)
    try:
        await own.run("read-tree", "--no-sparse-checkout", start)
        await own.run("update-index", "-z", "--index-info", stdin=stdin)
        return (await own.run("write-tree", "--missing-ok")).text
    finally:
        index.unlink(missing_ok=True)


async def _images(
    git: Git, moves: Sequence[FileDelta]
) -> AsyncGenerator[tuple[FileDelta, FileState | None, FileState | None]]:
    """Moves with the contents before and after, read in batches."""
    sizes = await sizes_of(git, (blob for move in moves for blob in (move.before, move.after)))
    for batch in _batches(moves, sizes):
        contents = await read_blobs(git, (blob.oid for move in batch for blob in (move.before, move.after) if blob))
        for move in batch:
            yield move, _image(move.before, contents), _image(move.after, contents)


def _batches(moves: Sequence[FileDelta], sizes: dict[str, int]) -> Iterator[list[FileDelta]]:
    batch: list[FileDelta] = []
    held_bytes = 0
    for move in moves:
        batch.append(move)
        held_bytes += sum(sizes[blob.oid] for blob in (move.before, move.after) if blob)
        if held_bytes >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, held_bytes = [], 0
    if batch:
        yield batch


def _image(blob: Blob | None, contents: dict[str, bytes]) -> FileState | None:
    return FileState(contents[blob.oid], cast("FileMode", blob.mode)) if blob else None
