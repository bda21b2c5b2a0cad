"""What goes over the WebSocket: frames with a number, and where they belong.

Numbers rise by one and start anew with the server, which is what `epoch` is for. A page that was away says the last
number it has; it gets what came since, or is told to load everything again.
"""

from typing import Annotated, Literal

from pydantic import Field

from mulligan.types.base import Record
from mulligan.types.changes import ChangeKind, ChangeStatus
from mulligan.types.frames import Frame
from mulligan.types.messages import QueuedMessage
from mulligan.types.run_frames import RunFrame
from mulligan.types.sandbox import Opened


class Ask(Record):
    """A question that work waits for: a command or another act which the policy leaves to the person."""

    id: str
    project_id: str
    chat_id: str | None = None
    run_id: str | None = None
    what: str
    """The command line, or what an external agent wants to do. What a screen would obey or hide is written out."""
    reason: str
    """Why the person is asked."""
    is_command: bool = True
    """Else it is something that an external agent wants to do."""
    removes: bool = False
    """It deletes files or overwrites them unseen, as the policy reads it."""
    opens: tuple[Opened, ...] = ()
    """What a yes gives it beyond the sandbox."""
    can_remember: bool = False
    """A yes can hold for the network, and for all commands of the project from now on."""
    rule: str = ""
    """A yes can hold for commands that begin so, in this project, from now on. Empty: not for this one."""
    asked_at: float


class Asked(Record):
    type: Literal["asked"] = "asked"
    ask: Ask


class AskSettled(Record):
    """It was answered, or nobody waits for it any more."""

    type: Literal["ask_settled"] = "ask_settled"
    ask_id: str
    granted: bool | None
    """None: nobody waits any more."""


class Told(Record):
    """A sentence for the person, such as which model was found."""

    type: Literal["told"] = "told"
    text: str


class WorkFailed(Record):
    """A turn or a run that was accepted came to nothing before its first frame, or broke."""

    type: Literal["work_failed"] = "work_failed"
    error: str


class QueueChanged(Record):
    """Messages that wait in the chat, all of them, in order."""

    type: Literal["queue"] = "queue"
    queued: tuple[QueuedMessage, ...]


class ChatChanged(Record):
    """The list of chats is to be loaded again: one is new, renamed, trimmed by a restore, or has ended its turn."""

    type: Literal["chat_changed"] = "chat_changed"
    trimmed: bool = False
    """By a restore: its messages are to be loaded again too."""


class ChangeSettled(Record):
    """A pending change was applied, rejected or reverted."""

    type: Literal["change_settled"] = "change_settled"
    change_id: str
    path: str
    kind: ChangeKind
    status: ChangeStatus


class RestoreStep(Record):
    """What a restore under way has just done."""

    type: Literal["restore_step"] = "restore_step"
    checkpoint_id: str
    text: str


class PullProgress(Record):
    """An embedded model is being downloaded, or was until now."""

    type: Literal["pull"] = "pull"
    model: str
    done: int
    """Bytes."""
    total: int
    state: Literal["under_way", "done", "cancelled", "failed"] = "under_way"
    """A download that was cancelled or failed goes on where it stopped when it is begun again."""
    words: str = ""
    """Why it failed; what it waits for."""


class FilesChanged(Record):
    """Files of the project changed on the disk."""

    type: Literal["files_changed"] = "files_changed"
    paths: tuple[str, ...]
    more: int = 0
    """Further ones, not named."""


class IndexRead(Record):
    """How far the reading of the project's code has come. The last one says that nothing is left to read."""

    type: Literal["index"] = "index"
    read: int
    of: int
    """Files that are new or changed; 0 when all are read."""


ServerFrame = Annotated[
    Asked
    | AskSettled
    | Told
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


class Envelope(Record):
    seq: int
    project_id: str
    chat_id: str | None = None
    run_id: str | None = None
    frame: Annotated[Frame | RunFrame | ServerFrame, Field(discriminator="type")]


class Hello(Record):
    """The first thing on every connection."""

    type: Literal["hello"] = "hello"
    epoch: str
    """Another one after a restart of the server: its numbers start anew."""
    seq: int
    """The newest number. What the page asked for, and what is newer, follows."""
    resync: bool
    """What the page has can't be completed: load everything again."""


class Batch(Record):
    """Frames that became due together."""

    type: Literal["frames"] = "frames"
    envelopes: tuple[Envelope, ...]


class Pulse(Record):
    """A sign of life, where nothing else is to be said."""

    type: Literal["pulse"] = "pulse"
    seq: int


SocketMessage = Annotated[Hello | Batch | Pulse, Field(discriminator="type")]
