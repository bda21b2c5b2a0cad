"""Messages over the WebSocket: frames with a number, and where they belong.

Numbers increase by one and restart with the server, which is what `epoch` is for. A reconnecting page sends its last
number; it gets what came since, or is told to load everything again.
"""

from typing import Annotated, Literal

from pydantic import Field

from mulligan.server.views.body import Body
from mulligan.types.changes import ChangeKind, ChangeStatus
from mulligan.types.frames import Frame
from mulligan.types.messages import QueuedMessage
from mulligan.types.run_frames import RunFrame
from mulligan.types.sandbox import AccessKind


class Ask(Body):
    """A question that work waits for: a command or another action that the policy leaves to the user."""

    id: str
    project_id: str
    chat_id: str | None = None
    run_id: str | None = None
    what: str
    """The command line, or what an external agent wants to do. Characters that a screen would interpret or hide are
    written out."""
    reason: str
    """Why we ask the user."""
    is_command: bool = True
    """Otherwise it is something that an external agent wants to do."""
    removes: bool = False
    """According to the policy, it deletes files or overwrites them unseen."""
    opens: tuple[AccessKind, ...] = ()
    """What approval allows beyond the sandbox."""
    can_remember: bool = False
    """A yes can allow the network for all commands of the project from now on."""
    rule: str = ""
    """A yes can allow commands with this prefix, in this project, from now on. Empty: not for this one."""
    asked_at: float


class ApprovalAsked(Body):
    type: Literal["asked"] = "asked"
    ask: Ask


class AskSettled(Body):
    """A question was answered, or is no longer needed."""

    type: Literal["ask_settled"] = "ask_settled"
    ask_id: str
    granted: bool | None
    """None: no longer needed."""


class Notice(Body):
    """A sentence for the user, such as which model was found."""

    type: Literal["notice"] = "notice"
    text: str


class WorkFailed(Body):
    """An accepted turn or run failed before its first frame, or broke."""

    type: Literal["work_failed"] = "work_failed"
    error: str


class QueueChanged(Body):
    """All queued messages of the chat, in order."""

    type: Literal["queue"] = "queue"
    queued: tuple[QueuedMessage, ...]


class ChatChanged(Body):
    """The list of chats must be loaded again: one is new, renamed, trimmed by a restore, or has ended its turn."""

    type: Literal["chat_changed"] = "chat_changed"
    trimmed: bool = False
    """A restore shortened the chat: its messages must be loaded again too."""


class ChangeSettled(Body):
    """A pending change was applied, rejected or reverted."""

    type: Literal["change_settled"] = "change_settled"
    change_id: str
    path: str
    kind: ChangeKind
    status: ChangeStatus


class RestoreStep(Body):
    """What a running restore has just done."""

    type: Literal["restore_step"] = "restore_step"
    checkpoint_id: str
    text: str


class PullProgress(Body):
    """An embedded model is being downloaded, or was until now."""

    type: Literal["pull"] = "pull"
    model: str
    done: int
    """Bytes."""
    total: int
    state: Literal["under_way", "done", "cancelled", "failed"] = "under_way"
    """A download that was cancelled or failed resumes when it is started again."""
    words: str = ""
    """Why it failed, or what it waits for."""


class FilesChanged(Body):
    """Files of the project changed on disk."""

    type: Literal["files_changed"] = "files_changed"
    paths: tuple[str, ...]
    more: int = 0
    """Further ones, not named."""


class IndexRead(Body):
    """Progress of indexing the project's code. The last one says that nothing is left to read."""

    type: Literal["index"] = "index"
    read: int
    of: int
    """Files that are new or changed; 0 when all are read."""


ServerFrame = Annotated[
    ApprovalAsked
    | AskSettled
    | Notice
    | WorkFailed
    | QueueChanged
    | ChatChanged
    | ChangeSettled
    | RestoreStep
    | PullProgress
    | FilesChanged
    | IndexRead,
    Field(discriminator="type"),
]


class Envelope(Body):
    seq: int
    project_id: str
    chat_id: str | None = None
    run_id: str | None = None
    frame: Annotated[Frame | RunFrame | ServerFrame, Field(discriminator="type")]


class Hello(Body):
    """The first message on every connection."""

    type: Literal["hello"] = "hello"
    epoch: str
    """Changes when the server restarts: its numbers restart too."""
    seq: int
    """The newest number. The requested frames and newer ones follow."""
    resync: bool
    """Frames that the page needs are gone: load everything again."""


class Batch(Body):
    """Frames that became due together."""

    type: Literal["frames"] = "frames"
    envelopes: tuple[Envelope, ...]


class Pulse(Body):
    """A heartbeat when there is nothing else to send."""

    type: Literal["pulse"] = "pulse"
    seq: int


SocketMessage = Annotated[Hello | Batch | Pulse, Field(discriminator="type")]
