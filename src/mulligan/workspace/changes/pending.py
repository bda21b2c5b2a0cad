"""Applies, reverts and rejects pending changes, whole or by hunk, and settles them after a crash."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from mulligan.ports.changes import ChangeRepository
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.types.changes import ChangeStatus, FileState, FileWrite, HunkAction, PendingChange, WriteAction
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen
from mulligan.workspace.changes.file_locks import file_lock
from mulligan.workspace.changes.merging import MergedFile, Misfit, fit_change
from mulligan.workspace.changes.splitting import SplitChange, split_change
from mulligan.workspace.changes.writing import remove_left_behind, write_file_state
from mulligan.workspace.files.confined_folders import present_file, split
from mulligan.workspace.files.paths import printable
from mulligan.workspace.files.unsaved import UnsavedFiles

FROM: dict[WriteAction, ChangeStatus] = {"apply": "pending", "revert": "applied"}
TO: dict[WriteAction, ChangeStatus] = {"apply": "applied", "revert": "reverted"}

Result = TypeVar("Result")


@frozen
class ChangeOutcome:
    """The result of one change."""

    change: PendingChange
    """The change after the action."""
    success: bool
    message: str


class PendingChanges:
    """The changes of one project, in its store and on its disk.

    A change that does not fit is an outcome, never an exception, and the others go on. Raises `StoreError`.
    """

    def __init__(
        self, root: Path, store: ChangeRepository, *, project: str, unsaved: UnsavedFiles | None = None
    ) -> None:
        self._root = root.resolve()
        self._unsaved = unsaved or UnsavedFiles(self._root)
        self._store = store
        self._project = project

    async def recover(self) -> list[ChangeOutcome]:
        """Settle writes that dead processes left unfinished, by what is on disk, and remove their temporary files."""
        left = await self._store.interrupted_writes(self._project)
        outcomes = [await self._guarded(change, partial(self._recovered, change)) for change in left]
        await asyncio.to_thread(remove_left_behind, self._root, [split(change.path)[0] for change in left])
        return [outcome for outcome in outcomes if outcome]

    async def apply(self, changes: Sequence[PendingChange]) -> list[ChangeOutcome]:
        """Apply in the order of staging, not the order given."""
        return await self._carry_out("apply", sorted(changes, key=lambda change: change.seq))

    async def revert(self, changes: Sequence[PendingChange]) -> list[ChangeOutcome]:
        """Revert the newest first, whatever order is given."""
        return await self._carry_out("revert", sorted(changes, key=lambda change: -change.seq))

    async def reject(self, changes: Sequence[PendingChange]) -> list[ChangeOutcome]:
        return [await self._rejected(change) for change in changes]

    async def reopen(self, changes: Sequence[PendingChange]) -> list[ChangeOutcome]:
        """Make rejected changes pending again."""
        return [await self._set("rejected", "pending", change, "pending again") for change in changes]

    async def settle_hunks(self, action: HunkAction, change: PendingChange, hunks: Collection[int]) -> ChangeOutcome:
        """Apply or reject some hunks of a pending change, as a separate change; the others stay pending. All or none:
        if a hunk does not fit, the change stays whole."""
        return await self._guarded(change, partial(self._settled_hunks, action, change, hunks))

    async def _settled_hunks(self, action: HunkAction, change: PendingChange, hunks: Collection[int]) -> ChangeOutcome:
        split = await asyncio.to_thread(split_change, change, hunks, action)
        if split is None:
            return await (self._carried_out("apply", change) if action == "apply" else self._rejected(change))
        if isinstance(split, SplitChange) and action == "apply":
            # Checked before the split: the change stays whole if the chosen part does not fit.
            present = await self._unsaved.to_be_written(change.path)
            fitted = await asyncio.to_thread(fit_change, *split.chosen, present)
            split = fitted if isinstance(fitted, Misfit) else split
        if isinstance(split, Misfit):
            return ChangeOutcome(change, success=False, message=f"{_shown(change)} {split.why}.")
        status: ChangeStatus = "pending" if action == "apply" else "rejected"
        apart = await self._store.split(change, rest=split.rest, chosen=split.chosen, status=status)
        if apart is None:
            return _outcome(change, "it is not what you saw any more; look at it again", success=False)
        if action == "apply":
            return await self._carried_out("apply", apart)
        return _outcome(apart, "rejected", success=True)

    async def _rejected(self, change: PendingChange) -> ChangeOutcome:
        return await self._set("pending", "rejected", change, "rejected")

    async def _set(self, before: ChangeStatus, after: ChangeStatus, change: PendingChange, past: str) -> ChangeOutcome:
        done = await self._store.set_status(change.id, after, expected=before)
        now = await self._store.find(self._project, change.id)
        words = past if done else _not_possible(now, f"only {before} changes can be {past}")
        return _outcome(now, words, success=done)

    async def _carry_out(self, action: WriteAction, changes: Sequence[PendingChange]) -> list[ChangeOutcome]:
        return [await self._guarded(change, partial(self._carried_out, action, change)) for change in changes]

    async def _guarded(
        self, change: PendingChange, work: Callable[[], Coroutine[Any, Any, Result]]
    ) -> Result | ChangeOutcome:
        """Run `work` under the file's lock. A cancel must not interrupt it between the store's records of the write's
        begin and end."""
        try:
            async with file_lock(self._root, change.path):
                return await finish_despite_cancel(work())
        except CallRejected as refused:
            return ChangeOutcome(change, success=False, message=str(refused))

    async def _carried_out(self, action: WriteAction, given: PendingChange) -> ChangeOutcome:
        change = await self._store.find(self._project, given.id)
        if change.status != FROM[action]:
            rule = f"only {FROM[action]} changes can be {_PAST[action]}"
            return _outcome(change, _not_possible(change, rule), success=False)
        try:
            present = await self._unsaved.to_be_written(change.path)
        except CallRejected as refused:
            return ChangeOutcome(change, success=False, message=str(refused))
        old, new = (change.before, change.after) if action == "apply" else (change.after, change.before)
        fitted = await asyncio.to_thread(fit_change, old, new, present)
        if isinstance(fitted, Misfit):
            return ChangeOutcome(change, success=False, message=f"{_shown(change)} {fitted.why}.")
        if fitted.image == present:
            return await self._already(action, change, present)
        return await self._write(action, change, present, fitted)

    async def _already(self, action: WriteAction, change: PendingChange, present: FileState | None) -> ChangeOutcome:
        """Record a write from `present` to `present`: a revert must not undo what somebody else did."""
        done = await self._store.begin_write(change.id, FileWrite(action, present, present), expected=FROM[action])
        if done:
            await self._store.end_write(change.id, TO[action])
        now = await self._store.find(self._project, change.id)
        words = f"{_PAST[action]}; the file already had that content" if done else _BUSY
        return _outcome(now, words, success=done)

    async def _write(
        self, action: WriteAction, change: PendingChange, present: FileState | None, fitted: MergedFile
    ) -> ChangeOutcome:
        write = FileWrite(action, present, fitted.image)
        if not await self._store.begin_write(change.id, write, expected=FROM[action]):
            return _outcome(change, _BUSY, success=False)
        if fitted.image and self._unsaved.writes(change.path, fitted.image):
            failure = await self._unsaved.write(change.path, fitted.image)
        else:
            failure = await asyncio.to_thread(self._put, change.path, present, fitted.image)
        await self._store.end_write(change.id, FROM[action] if failure else TO[action])
        now = await self._store.find(self._project, change.id)
        if failure:
            return ChangeOutcome(now, success=False, message=failure)
        onto = " onto the file as it is now, which had changed on disk" if fitted.merged else ""
        return _outcome(now, f"{_PAST[action]}{onto}", success=True)

    def _put(self, path: str, present: FileState | None, image: FileState | None) -> str | None:
        """Returns why it failed. The content on disk decides: an error may come after the write is complete."""
        try:
            write_file_state(self._root, path, expected=present, image=image)
        except CallRejected as refused:
            with suppress(CallRejected):
                if present_file(self._root, path) == image:
                    return None
            return str(refused)
        return None

    async def _recovered(self, given: PendingChange) -> ChangeOutcome | None:
        """None if another process has settled it."""
        change = await self._store.find(self._project, given.id)
        write = change.under_way
        if write is None or given.under_way != write:
            return None
        try:
            present = await asyncio.to_thread(present_file, self._root, change.path)
            known = present in (write.before, write.after)
        except CallRejected:
            present, known = None, False
        done = known and present == write.after
        await self._store.end_write(change.id, TO[write.action] if done else FROM[write.action])
        now = await self._store.find(self._project, change.id)
        was = f"was being {_PAST[write.action]} when a process ended"
        if not known:
            words = f"{was}, and the file changed since: it counts as {now.status}. Look at the file"
        else:
            words = f"{was}; it is {now.status}, as the file on the disk shows"
        return _outcome(now, words, success=known)


_PAST: dict[WriteAction, str] = {"apply": "applied", "revert": "reverted"}

_BUSY = "another process is working on this change; try again"


def _not_possible(change: PendingChange, rule: str) -> str:
    if change.under_way:
        return "a process that is writing it, or was killed, has not released it; try again"
    return f"it is {change.status}; {rule}"


def _outcome(change: PendingChange, words: str, *, success: bool) -> ChangeOutcome:
    return ChangeOutcome(change, success, f"{_shown(change)}: {words}")


def _shown(change: PendingChange) -> str:
    return printable(change.path)
