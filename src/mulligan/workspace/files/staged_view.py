"""A project as one chat sees it: the disk, unsaved text of an editor, and the chat's pending changes."""

import asyncio
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

from mulligan.ports.changes import ChangeRepository
from mulligan.types.changes import FileState, PendingChange
from mulligan.types.errors import CallRejected
from mulligan.workspace.changes.merging import MergedFile, fit_change
from mulligan.workspace.files.targets import StagedFiles
from mulligan.workspace.files.unsaved import UnsavedFiles


class StagedView:
    """Shows each file as it would be if the chat's pending changes were applied now, one after the other.

    A change that no longer fits, because the disk changed under it, is passed over, as applying would do.
    """

    def __init__(self, unsaved: UnsavedFiles, store: ChangeRepository, *, project: str, chat_id: str) -> None:
        self._unsaved = unsaved
        self._store = store
        self._project = project
        self._chat_id = chat_id

    async def pending(self) -> list[PendingChange]:
        return await self._store.list(self._project, statuses=("pending",), chat_id=self._chat_id)

    async def images(self) -> StagedFiles:
        """Files that differ from the disk."""
        return await self.images_of(await self.pending())

    async def images_of(self, changes: list[PendingChange]) -> StagedFiles:
        there = dict(self._unsaved.images)
        return {**there, **await asyncio.to_thread(self._images, changes)} if changes else there

    async def image(self, path: str) -> FileState | None:
        """The file as the chat sees it. Raises `CallRejected` if it is not a file."""
        changes = [change for change in await self.pending() if change.path == path]
        present = await self._unsaved.present(path)
        return await asyncio.to_thread(done_to, present, changes)

    def _images(self, changes: list[PendingChange]) -> StagedFiles:
        images: dict[str, FileState | None] = {}
        by_path = attrgetter("path")
        for path, group in groupby(sorted(changes, key=by_path), key=by_path):
            try:
                present = self._unsaved.known(path)
            except CallRejected:  # a folder, or a link to one, replaced it: that is what is seen
                continue
            image = done_to(present, group)
            if image != present:
                images[path] = image
        return images


def done_to(present: FileState | None, changes: Iterable[PendingChange]) -> FileState | None:
    """A file after these changes; those that don't fit are skipped."""
    for change in changes:
        fitted = fit_change(change.before, change.after, present)
        if isinstance(fitted, MergedFile):
            present = fitted.image
    return present
