"""Checkpoints as a whole: the files in git, the rows in the store, and restoring both.

The store records a restore before the first file moves and its end after the last one has. If a process is killed in
between, the record stays, and the next process finishes the restore.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Unpack

from mulligan.ports.callbacks import Notify
from mulligan.ports.checkpoints import CheckpointStore
from mulligan.runtime.counted import counted
from mulligan.types.checkpoints import Checkpoint, CheckpointKind, Owners, Restore, RestoreResult
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints import (
    FileChange,
    Head,
    RestorePlan,
    Snapshot,
    WorkChanged,
    capture,
    changes_between,
    diff_text,
    disk_use,
    drop,
    execute_restore,
    plan_restore,
    read_snapshot,
)
from mulligan.workspace.checkpoints.model import StepHook, no_interruption
from mulligan.workspace.git import open_repository

ATTEMPTS = 3
"""How often a restore starts over because somebody changes files meanwhile."""

QUOTA_BYTES = 2 * 1024**3
KEEP_AT_LEAST = 10
QUOTA_CHECK_INTERVAL = 16
"""Checkpoints between two checks of their disk use, since a check reads all of them."""


@frozen
class Made:
    """A checkpoint that was taken."""

    checkpoint: Checkpoint
    snapshot: Snapshot
    pruned: int
    """Older checkpoints that were deleted to stay within the quota."""


@frozen
class Pruned:
    ids: tuple[str, ...]
    bytes_left: int


async def open_checkpoints(
    folder: Path,
    store: CheckpointStore,
    *,
    new_id: Callable[[], str],
    quota_bytes: int = QUOTA_BYTES,
) -> "Checkpoints":
    """The checkpoints of the work tree around a folder. Raises `NoRepository` or `GitMissing`."""
    repository = await open_repository(folder)
    return Checkpoints(repository.work_tree, store, new_id=new_id, quota_bytes=quota_bytes)


class Checkpoints:
    """The checkpoints of one work tree."""

    def __init__(self, root: Path, store: CheckpointStore, *, new_id: Callable[[], str], quota_bytes: int) -> None:
        self.root = root
        self._store = store
        self._new_id = new_id
        self._quota = quota_bytes

    async def create(self, *, label: str = "", kind: CheckpointKind = "manual", **owners: Unpack[Owners]) -> Made:
        """Keep the files as they are. Raises `CheckpointRefused`, `GitError` or `StoreError`, with nothing kept."""
        checkpoint_id = self._new_id()
        snapshot = await capture(self.root, checkpoint_id=checkpoint_id, label=label)
        try:
            checkpoint = await self._store.checkpoints.add(
                checkpoint_id, root=str(self.root), commit=snapshot.commit, label=label, kind=kind, **owners
            )
        except BaseException:
            await drop(self.root, [checkpoint_id])
            raise
        pruned = await self._keep_to_quota() if checkpoint.seq % QUOTA_CHECK_INTERVAL == 0 else ()
        return Made(checkpoint, snapshot, len(pruned))

    async def find(self, prefix: str) -> Checkpoint:
        return await self._store.checkpoints.find(str(self.root), prefix)

    async def all(self) -> list[Checkpoint]:
        """In the order of creation."""
        return await self._store.checkpoints.list(root=str(self.root))

    async def since(self, checkpoint: Checkpoint) -> tuple[list[FileChange], str]:
        """What changed in the files since the checkpoint, as a list and as a diff."""
        then = await read_snapshot(self.root, checkpoint.id)
        now = await capture(self.root, checkpoint_id=None)
        return await changes_between(self.root, then, now), await diff_text(self.root, then, now)

    async def preview(self, checkpoint: Checkpoint) -> RestorePlan:
        """What a restore would do. Keeps nothing."""
        target = await read_snapshot(self.root, checkpoint.id)
        now = await capture(self.root, checkpoint_id=None, before=target)
        return await _plan(self.root, target, now)

    async def restore(
        self, checkpoint: Checkpoint, *, tell: Notify, on_step: StepHook = no_interruption
    ) -> RestoreResult:
        """Return to a checkpoint, files and chat together. Takes a safety checkpoint first, so that it can be undone.

        Raises `MulliganError`. Then the files are as they were, or the next start finishes the restore.
        """
        for _ in range(ATTEMPTS - 1):
            try:
                return await self._restore(checkpoint, tell=tell, on_step=on_step)
            except WorkChanged as changed:
                tell(f"{changed} Starting again from what is there now.")
        return await self._restore(checkpoint, tell=tell, on_step=on_step)

    async def undo(self, *, tell: Notify) -> RestoreResult:
        """Return to the state before the last restore. This can be undone too."""
        return await self.restore(await self.before_last_restore(), tell=tell)

    async def before_last_restore(self) -> Checkpoint:
        """Raises `ConfigurationError` if nothing was restored here."""
        safety = [each for each in await self.all() if each.kind == "safety"]
        if not safety:
            raise ConfigurationError(f"nothing was restored in {self.root}, so there is nothing to undo")
        return safety[-1]

    async def prune(self, keep: int) -> Pruned:
        """Drop all but the newest."""
        every = await self.all()
        dropped = await self.drop(every[: max(0, len(every) - keep)])
        return Pruned(dropped, await disk_use(self.root))

    async def recover(self, *, tell: Notify) -> None:
        """Finish restores that a killed process began."""
        for left in await self._store.restores.interrupted(str(self.root)):
            tell(f"A restore to checkpoint {left.checkpoint.id} was interrupted; finishing it.")
            await self._finish(left, tell=tell)

    async def _restore(self, checkpoint: Checkpoint, *, tell: Notify, on_step: StepHook) -> RestoreResult:
        await self.recover(tell=tell)
        plan, safety = await self._prepare(checkpoint)
        tell(f"what is there now is kept as checkpoint {safety.id}")
        on_step("before it is noted")
        try:
            noted = await self._store.restores.begin(str(self.root), checkpoint.id, safety.id)
        except MulliganError:
            await self.drop([safety])
            raise
        on_step("after it is noted")
        await self._execute(noted, plan, on_step)
        tell(_moved(plan))
        on_step("before the store follows")
        result = await self._store.restores.end(noted.id)
        on_step("after the store followed")
        return result

    async def _prepare(self, checkpoint: Checkpoint) -> tuple[RestorePlan, Checkpoint]:
        """Take the safety checkpoint and make the plan. Nothing is kept if the restore is not possible."""
        target = await read_snapshot(self.root, checkpoint.id)
        safety_id = self._new_id()
        label = f"before the restore to {checkpoint.id}"
        now = await capture(self.root, checkpoint_id=safety_id, label=label, before=target)
        try:
            plan = await _plan(self.root, target, now)
            safety = await self._store.checkpoints.add(
                safety_id,
                root=str(self.root),
                commit=now.commit,
                label=label,
                kind="safety",
                chat_id=checkpoint.chat_id,
                session_id=checkpoint.session_id,
                worktree_id=checkpoint.worktree_id,
            )
        except BaseException:
            await drop(self.root, [safety_id])
            raise
        return plan, safety

    async def _execute(self, noted: Restore, plan: RestorePlan, on_step: StepHook) -> None:
        """Move the files. If that fails, move them back, so that files and chat still match."""
        try:
            await execute_restore(self.root, plan, on_step=on_step)
        except WorkChanged:
            # Some files may have moved. They are in the safety checkpoint, and the next attempt continues from here.
            await self._store.restores.abandon(noted.id)
            raise
        except MulliganError:
            await self._go_back(noted, plan)
            raise

    async def _go_back(self, noted: Restore, plan: RestorePlan) -> None:
        """Undo a failed restore. If that fails too, its record stays, and the next start tries again."""
        here = await capture(self.root, checkpoint_id=None, before=plan.now)
        await execute_restore(self.root, await _plan(self.root, plan.now, here))
        await self._store.restores.abandon(noted.id)

    async def _finish(self, left: Restore, *, tell: Notify) -> None:
        try:
            target = await read_snapshot(self.root, left.checkpoint.id)
            now = await read_snapshot(self.root, left.safety.id)
        except MulliganError as error:
            tell(f"It can't be finished ({error}). The files are left as they are.")
            await self._store.restores.abandon(left.id)
            return
        plan = await _plan(self.root, target, now)
        try:
            await execute_restore(self.root, plan)
        except WorkChanged as changed:
            tell(f"{changed} Starting again from what is there now.")
            await self._store.restores.abandon(left.id)
            await self.restore(left.checkpoint, tell=tell)
        else:
            await self._store.restores.end(left.id)

    async def _keep_to_quota(self) -> tuple[str, ...]:
        """Delete the oldest until the quota is met; the newest stay, whatever their size."""
        dropped: list[str] = []
        every = await self.all()
        while len(every) > KEEP_AT_LEAST and await disk_use(self.root) > self._quota:
            oldest, every = every[: max(1, len(every) // 4)], every[max(1, len(every) // 4) :]
            dropped += await self.drop(oldest)
        return tuple(dropped)

    async def drop(self, checkpoints: Sequence[Checkpoint]) -> tuple[str, ...]:
        """Delete them, except those that an interrupted restore needs. Git frees the space at its next cleanup."""
        gone = await self._store.checkpoints.delete([each.id for each in checkpoints])
        await drop(self.root, gone)
        return tuple(each.id for each in checkpoints if each.id in gone)


async def _plan(root: Path, target: Snapshot, now: Snapshot) -> RestorePlan:
    """The refs that keep commits are named after the commits of all branches: the same for a preview, for the restore
    and after a crash, and different when there are other commits to keep."""
    stand = repr((now.head, sorted(now.branches.items())))
    return await plan_restore(root, target, now, restore_id=sha256(stand.encode()).hexdigest()[:10])


def _moved(plan: RestorePlan) -> str:
    """What was done, in a sentence."""
    count = len(plan.writes)
    files = f"{counted(count, 'file')} written, {len(plan.deletes)} deleted"
    words = [files if plan.writes or plan.deletes else "no file had to change"]
    if plan.head_moves:
        words.append(f"HEAD is at {head_words(plan.target.head)} again")
    words += [f"commits made since are kept under {ref.kept_under}" for ref in plan.refs if ref.kept_under]
    return "; ".join(words)


def result_words(result: RestoreResult) -> str:
    """The result of a restore, in a sentence."""
    words = [f"restored to checkpoint {result.checkpoint_id}"]
    if result.messages_deleted:
        words.append(f"{counted(result.messages_deleted, 'message')} taken out of the chat")
    if result.backend_reset:
        words.append("the agent's session starts afresh")
    return "; ".join(words)


def place_words(head: Head) -> str:
    """Where HEAD is, with its commit."""
    return f"{head_words(head)}, at {(head.commit or 'no commit')[:10]}"


def head_words(head: Head) -> str:
    """`main`, or a commit where HEAD is detached."""
    if head.branch:
        return head.branch.removeprefix("refs/heads/")
    return head.commit[:10] if head.commit else "no commit"
