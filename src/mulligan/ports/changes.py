"""Changes to files, and where they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from mulligan.types.frozen import frozen

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.changes import ChangeStatus, FileState, FileWrite, PendingChange
    from mulligan.types.edits import TextEdit


@frozen
class Staged:
    """The result of a staged change."""

    change: PendingChange
    """`pending`, or `applied` if changes are applied immediately."""
    before: str | None
    """The text it was made from; None for a new file or one that is not text."""
    after: str | None
    state: str
    """The project as the turn has changed it so far, by content."""
    notes: tuple[str, ...] = ()
    """What was overlooked to find the place."""


class Editing(Protocol):
    """Changes that one agent makes to one project. Its own reads see them immediately; the disk only once applied.

    Every method raises `CallRejected`, and `EditRefused` if the place of an edit is not certain.
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
    """Where pending changes are stored. Every method is one transaction.

    A file is written between `begin_write` and `end_write`. `interrupted_writes` finds what a killed process started
    and did not finish; it is settled by looking at the disk.
    """

    async def add(
        self,
        *,
        project: str,
        path: str,
        before: FileState | None,
        after: FileState | None,
        chat_id: str | None = None,
        message_id: str | None = None,
    ) -> PendingChange:
        """Stage a change after all others of its project."""
        ...

    async def find(self, project: str, prefix: str) -> PendingChange:
        """The change whose id starts like this. Raises `ConfigurationError` if there is none, or more than one."""
        ...

    async def set_status(self, change_id: str, status: ChangeStatus, *, expected: ChangeStatus) -> bool:
        """False, with nothing done, if it has another status by now or is being written."""
        ...

    async def split(
        self,
        change: PendingChange,
        *,
        rest: tuple[FileState, FileState],
        chosen: tuple[FileState, FileState],
        status: ChangeStatus,
    ) -> PendingChange | None:
        """Reduce a pending change to the rest, and stage the chosen part as a separate change, with this status. None,
        with nothing done, if it has changed meanwhile, or is being written."""
        ...

    async def begin_write(self, change_id: str, write: FileWrite, *, expected: ChangeStatus) -> bool:
        """Note that this process is about to write. False if it has another status by now, or is being written, even by
        a dead process."""
        ...

    async def end_write(self, change_id: str, status: ChangeStatus) -> None:
        """The outcome of the write. `applied` adopts its contents as those of the change."""
        ...

    async def interrupted_writes(self, project: str) -> list[PendingChange]:
        """Changes whose write was started by a process that is gone, in staging order."""
        ...

    async def list(
        self, project: str, *, statuses: Sequence[ChangeStatus] = (), chat_id: str | None = None
    ) -> list[PendingChange]:
        """In staging order; all statuses by default."""
        ...
