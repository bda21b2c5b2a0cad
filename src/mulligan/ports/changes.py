"""Changes of files, and where they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from mulligan.types.frozen import frozen

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.changes import ChangeStatus, FileImage, FileWrite, PendingChange
    from mulligan.types.edits import TextEdit


@frozen
class Staged:
    """What came of a staged change."""

    change: PendingChange
    """`pending`, or `applied` where changes are applied as they come."""
    before: str | None
    """The text it was made from; None for a new file or one that is no text."""
    after: str | None
    state: str
    """The project as the turn has changed it by now, by content."""
    notes: tuple[str, ...] = ()
    """What was overlooked to find the place."""


class Editing(Protocol):
    """Changes that one agent makes to one project. Its own reads see them at once; the disk only once they are applied.

    Every method raises `CallRejected`, and `EditRefused` where the place of an edit is not certain.
    """

    async def edit(self, path: str, edits: Sequence[TextEdit]) -> Staged:
        """All of the edits, one after the other, or none."""
        ...

    async def create(self, path: str, text: str) -> Staged: ...

    async def delete(self, path: str) -> Staged: ...

    async def pending_count(self) -> int:
        """How many changes are pending."""
        ...


class ChangeRepository(Protocol):
    """Where pending changes are kept. Every method is one transaction.

    A file is written between `begin_write` and `end_write`. What a killed process began and did not end is found by
    `interrupted_writes`, and settled by looking at the disk.
    """

    async def add(
        self,
        *,
        project: str,
        path: str,
        before: FileImage | None,
        after: FileImage | None,
        chat_id: str | None = None,
        message_id: str | None = None,
    ) -> PendingChange:
        """Stage a change behind all others of its project."""
        ...

    async def find(self, project: str, prefix: str) -> PendingChange:
        """The change whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
        ...

    async def set_status(self, change_id: str, status: ChangeStatus, *, expected: ChangeStatus) -> bool:
        """False, and nothing done, if it has another status by now or is being written."""
        ...

    async def split(
        self,
        change: PendingChange,
        *,
        rest: tuple[FileImage, FileImage],
        chosen: tuple[FileImage, FileImage],
        status: ChangeStatus,
    ) -> PendingChange | None:
        """Leave only the rest to a pending change, and stage what was chosen as a change of its own, with this status.
        None, and nothing done, if it is not as given any more, or is being written."""
        ...

    async def begin_write(self, change_id: str, write: FileWrite, *, expected: ChangeStatus) -> bool:
        """Note that this process is about to write. False if it has another status by now, or is being written, be it
        by a dead process."""
        ...

    async def end_write(self, change_id: str, status: ChangeStatus) -> None:
        """The write that was begun came to this. `applied` takes its images over as those of the change."""
        ...

    async def interrupted_writes(self, project: str) -> list[PendingChange]:
        """Changes whose write was begun by a process that is gone, in the order they were staged."""
        ...

    async def list(
        self, project: str, *, statuses: Sequence[ChangeStatus] = (), chat_id: str | None = None
    ) -> list[PendingChange]:
        """In the order they were staged; all statuses if none is named."""
        ...
