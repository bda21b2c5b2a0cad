"""Checkpoints, sessions and work trees as stored, and the results of restores."""

from typing import Literal, TypedDict

from mulligan.types.base import Record
from mulligan.types.frozen import frozen

CheckpointKind = Literal["manual", "turn", "safety"]
"""Taken by the user, before a turn of a writing agent, or before a restore."""

SessionStatus = Literal["open", "closed", "crashed"]


@frozen
class Checkpoint:
    """The files of a work tree and the state of its chat at one moment, which can be restored."""

    id: str
    seq: int
    """Increases within a work tree. Times are only shown: clocks jump."""
    root: str
    """The work tree's folder."""
    commit: str
    """The shadow commit with the files."""
    label: str
    kind: CheckpointKind
    created_at: float
    chat_id: str | None = None
    session_id: str | None = None
    worktree_id: str | None = None
    message_id: str | None = None
    """The assistant message of the turn that followed; a restore trims the chat from there on."""


class Owners(TypedDict, total=False):
    """What a checkpoint belongs to. A manual one belongs to nothing."""

    chat_id: str | None
    session_id: str | None
    worktree_id: str | None
    message_id: str | None


@frozen
class AgentSession:
    """A session of an agent that writes files directly, for a chat."""

    id: str
    chat_id: str
    agent: str
    worktree_id: str | None
    status: SessionStatus
    created_at: float
    updated_at: float
    backend_session: str | None = None
    """The external agent's own session id, with which another process can continue it."""


@frozen
class WorkTree:
    """A git work tree that belongs to a session."""

    id: str
    project: str
    """The user's checkout that it was made from."""
    path: str
    base_commit: str
    """The shadow commit that it started from, with the checkout's content."""
    created_at: float


@frozen
class Restore:
    """A restore that has begun. Stored until it is done, so that it can be finished if the process is killed."""

    id: str
    root: str
    checkpoint: Checkpoint
    safety: Checkpoint
    """The state before the restore, for undoing it."""


@frozen
class DoneRestore:
    """A finished restore, which can be undone."""

    id: str
    checkpoint: Checkpoint
    safety: Checkpoint
    at_seq: int
    """Messages from this number on came after the restore."""
    messages_deleted: int
    done_at: float


@frozen
class RestoreMark:
    """A restore that is in effect in a chat."""

    restore: DoneRestore
    undoes: bool
    """Whether it undid another restore."""


class RestoreResult(Record):
    checkpoint_id: str
    messages_deleted: int
    worktree_reset: bool
    backend_reset: bool
    """Whether an agent's session was marked as crashed, so that its next turn starts over."""
