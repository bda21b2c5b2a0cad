"""Where checkpoints, restores and work trees are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Unpack

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.checkpoints import Checkpoint, CheckpointKind, Owners, Restore, RestoreResult, WorkTree


class CheckpointRepository(Protocol):
    """Where checkpoints are stored. Every method is one transaction."""

    async def add(
        self, checkpoint_id: str, *, root: str, commit: str, label: str, kind: CheckpointKind, **owners: Unpack[Owners]
    ) -> Checkpoint:
        """Store what was captured. A `safety` checkpoint of a chat also records how long the chat is now."""
        ...

    async def find(self, root: str, prefix: str) -> Checkpoint:
        """The one of this work tree whose id starts like this. Raises `ConfigurationError` for none or several."""
        ...

    async def delete(self, ids: Sequence[str]) -> list[str]:
        """Delete them, except what a running restore needs. Returns the ids whose shadow commits nobody needs any more:
        theirs, and those of checkpoints that a deleted safety checkpoint had kept for an undo."""
        ...

    async def list(self, *, root: str | None = None, chat_id: str | None = None) -> list[Checkpoint]:
        """In the order they were made."""
        ...


class RestoreRepository(Protocol):
    """Where restores are recorded, and carried out in the store. Every method is one transaction."""

    async def begin(self, root: str, checkpoint_id: str, safety_id: str) -> Restore:
        """Note that this process is about to restore. Raises `ConfigurationError` if another restore of this work tree
        is running, `ChatBusy` if the chat is being answered."""
        ...

    async def end(self, restore_id: str) -> RestoreResult:
        """The files are back: now the chat, the changes, the sessions and the later checkpoints follow, all at once.

        The chat is trimmed from the checkpoint's message on; for a safety checkpoint, from the length it had then, and
        what the undone restore had trimmed comes back. Everything removed is kept with the restore's own safety
        checkpoint. Only reports if it has already ended.
        """
        ...

    async def abandon(self, restore_id: str) -> None:
        """Nothing was done: the files are as they were. An ended one stays."""
        ...

    async def interrupted(self, root: str) -> list[Restore]:
        """Restores started by a process that is gone."""
        ...


class CheckpointStore(Protocol):
    """Both, for code that takes checkpoints and restores them."""

    @property
    def checkpoints(self) -> CheckpointRepository: ...

    @property
    def restores(self) -> RestoreRepository: ...


class WorkTreeRepository(Protocol):
    """Where work trees are stored. Every method is one transaction."""

    async def add(self, *, project: str, path: str, base_commit: str) -> WorkTree: ...

    async def delete(self, worktree_id: str) -> None:
        """Delete it. Its session and its checkpoints stay, without it."""
        ...

    async def list(self, project: str) -> list[WorkTree]:
        """By path."""
        ...
