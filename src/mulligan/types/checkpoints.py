"""Checkpoints, sessions and work trees as they are kept, and what a restore did."""

from typing import Literal, TypedDict

from mulligan.types.base import Record
from mulligan.types.frozen import frozen

CheckpointKind = Literal["manual", "turn", "safety"]
"""Made by the user, before a turn of an agent that writes, or before a restore."""

SessionStatus = Literal["open", "closed", "crashed"]


@frozen
class Checkpoint:
    """A moment that can be returned to: the files of a work tree, and the chat as it stood."""

    id: str
    seq: int
    """Later ones of a work tree have higher numbers. Times are for people: clocks jump."""
    root: str
    """The work tree's folder."""
    commit: str
    """The shadow commit that holds the files."""
    label: str
    kind: CheckpointKind
    created_at: float
    chat_id: str | None = None
    session_id: str | None = None
    worktree_id: str | None = None
    message_id: str | None = None
    """The assistant message of the turn that it was made before; the chat is trimmed from there on."""


class Owners(TypedDict, total=False):
    """What a checkpoint belongs to. One that the user makes belongs to nothing."""

    chat_id: str | None
    session_id: str | None
    worktree_id: str | None
    message_id: str | None


@frozen
class AgentSession:
    """An agent that writes directly, at work for a chat."""

    id: str
    chat_id: str
    agent: str
    worktree_id: str | None
    status: SessionStatus
    created_at: float
    updated_at: float
    backend_session: str | None = None
    """What an external agent calls its session, by which another process goes on in it."""


@frozen
class WorkTree:
    """A git work tree that belongs to a session."""

    id: str
    project: str
    """The user's own checkout, which it was made from."""
    path: str
    base_commit: str
    """The shadow commit of the checkout's content that it started from."""
    created_at: float


@frozen
class Restore:
    """A restore that was begun. Kept until it is done, so that a killed process leaves no mix behind."""

    id: str
    root: str
    checkpoint: Checkpoint
    safety: Checkpoint
    """The moment before it: what an undo returns to."""


@frozen
class DoneRestore:
    """A restore that was carried out, and can be undone."""

    id: str
    checkpoint: Checkpoint
    safety: Checkpoint
    at_seq: int
    """Messages of the chat from this place on were said after it."""
    messages_deleted: int
    done_at: float


@frozen
class RestoreMark:
    """A restore that a chat stands on."""

    restore: DoneRestore
    undoes: bool
    """It took back another one."""


class RestoreResult(Record):
    checkpoint_id: str
    messages_deleted: int
    worktree_reset: bool
    backend_reset: bool
    """A session of an agent was marked crashed: its next turn starts over."""
