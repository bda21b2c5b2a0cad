"""Pending changes: what an agent wants to do to the user's files, until the user says yes or no."""

from typing import Literal

from mulligan.types.frozen import frozen

ChangeKind = Literal["create", "edit", "delete"]

ChangeStatus = Literal["pending", "applied", "rejected", "reverted"]
"""`pending` → `applied` or `rejected`; `applied` → `reverted`; `rejected` → `pending`, if the user thinks again."""

FileMode = Literal["100644", "100755", "120000"]
"""As git has it: a file, a program, a symbolic link."""

WriteAction = Literal["apply", "revert"]

HunkAction = Literal["apply", "reject"]


@frozen
class FileImage:
    """A file as it stands or shall stand. Where there is none, None is written in its place."""

    data: bytes
    """Its bytes; of a symbolic link, where it leads."""
    mode: FileMode = "100644"


@frozen
class FileWrite:
    """A write that was begun. Kept until it is known to be done, so that a killed process leaves no doubt."""

    action: WriteAction
    before: FileImage | None
    """What stood there when it began."""
    after: FileImage | None
    """What is there once it is done."""


@frozen
class PendingChange:
    """One change of one file."""

    id: str
    project: str
    seq: int
    """Changes of a project are applied in this order and reverted in the opposite one."""
    chat_id: str | None
    message_id: str | None
    """The turn that made it."""
    path: str
    """From the project, with forward slashes."""
    status: ChangeStatus
    before: FileImage | None
    """What the change was made from; once it was applied, what stood on the disk until then."""
    after: FileImage | None
    """What it leads to; once it was applied, what was written."""
    created_at: float
    updated_at: float
    under_way: FileWrite | None = None

    @property
    def kind(self) -> ChangeKind:
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "edit"
