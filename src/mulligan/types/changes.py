"""Pending changes: an agent's changes to the user's files, which wait for approval."""

from typing import Literal

from mulligan.types.frozen import frozen

ChangeKind = Literal["create", "edit", "delete"]

ChangeStatus = Literal["pending", "applied", "rejected", "reverted"]
"""`pending` → `applied` or `rejected`; `applied` → `reverted`; `rejected` → `pending`, if the user reconsiders."""

FileMode = Literal["100644", "100755", "120000"]
"""Git's modes: a file, a program, a symbolic link."""

WriteAction = Literal["apply", "revert"]

HunkAction = Literal["apply", "reject"]


@frozen
class FileState:
    """A file's content and mode. `FileState | None` is None if there is no file."""

    data: bytes
    """Its bytes; for a symbolic link, its target."""
    mode: FileMode = "100644"


@frozen
class FileWrite:
    """A write that has begun. Stored until it is known to be done, so that it can be settled if the process is
    killed."""

    action: WriteAction
    before: FileState | None
    """The file when the write began."""
    after: FileState | None
    """The file once the write is done."""


@frozen
class PendingChange:
    """A change of one file."""

    id: str
    project: str
    seq: int
    """Changes of a project are applied in this order, and reverted in reverse."""
    chat_id: str | None
    message_id: str | None
    """The turn that made it."""
    path: str
    """Relative to the project, with forward slashes."""
    status: ChangeStatus
    before: FileState | None
    """The file that the change was made from; once applied, the file on disk before that."""
    after: FileState | None
    """The changed file; once applied, what was written."""
    created_at: float
    updated_at: float
    under_way: FileWrite | None = None

    @property
    def kind(self) -> ChangeKind:
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "edit"
