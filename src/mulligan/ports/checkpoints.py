"""Where checkpoints, work trees, sessions and restores are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.checkpoints import (
        AgentSession,
        Checkpoint,
        CheckpointKind,
        Restore,
        RestoreResult,
        SessionStatus,
        WorkTree,
    )


class CheckpointStore(Protocol):
    """Where checkpoints, work trees and restores are kept. Every method is one transaction."""

    async def add_checkpoint(
        self,
        checkpoint_id: str,
        *,
        root: str,
        commit: str,
        label: str,
        kind: CheckpointKind,
        chat_id: str | None = None,
        session_id: str | None = None,
        worktree_id: str | None = None,
        message_id: str | None = None,
    ) -> Checkpoint:
        """Keep what was captured. A `safety` checkpoint of a chat also remembers how long the chat is now."""
        ...

    async def find_checkpoint(self, root: str, prefix: str) -> Checkpoint:
        """The one of this work tree whose id begins so. Raises `ConfigurationError` if there is none, or several."""
        ...

    async def checkpoints(self, *, root: str | None = None, chat_id: str | None = None) -> list[Checkpoint]:
        """In the order they were made."""
        ...

    async def drop_checkpoints(self, ids: Sequence[str]) -> list[str]:
        """Forget them. Returns the ids whose shadow commits nobody needs any more: theirs, and those of checkpoints
        that a dropped safety checkpoint had kept for an undo."""
        ...

    async def messages_to_go(self, checkpoint: Checkpoint) -> int:
        """How many messages a restore to it would take out of its chat."""
        ...

    async def begin_restore(self, root: str, checkpoint_id: str, safety_id: str) -> Restore:
        """Note that this process is about to restore. Raises `ConfigurationError` if another restore of this work tree
        is under way, `ChatBusy` if the chat is being answered."""
        ...

    async def end_restore(self, restore_id: str) -> RestoreResult:
        """The files are back: now the chat, the changes, the sessions and the later checkpoints follow, all at once.

        The chat is trimmed from the checkpoint's message on; for a safety checkpoint, from the length it had then, and
        what the undone restore had trimmed comes back. Whatever is taken away is kept with the restore's own safety
        checkpoint. Does nothing but report if it was ended already.
        """
        ...

    async def abandon_restore(self, restore_id: str) -> None:
        """Nothing was done: the files are as they were."""
        ...

    async def left_restores(self, root: str) -> list[Restore]:
        """Restores begun by a process that is gone."""
        ...

    async def open_session(self, *, chat_id: str, agent: str, worktree_id: str | None) -> AgentSession: ...

    async def set_session_status(self, session_id: str, status: SessionStatus) -> None: ...

    async def set_backend_session(self, session_id: str, backend_session: str) -> None:
        """Keep what an external agent calls its session."""
        ...

    async def find_session(self, prefix: str) -> AgentSession: ...

    async def sessions(self, *, chat_id: str) -> list[AgentSession]: ...

    async def add_worktree(self, *, project: str, path: str, base_commit: str) -> WorkTree: ...

    async def worktrees(self, project: str) -> list[WorkTree]: ...

    async def drop_worktree(self, worktree_id: str) -> None: ...
