"""Chats, messages and their parts, as they are kept.

A turn is one user message and one assistant message. The assistant message holds all steps of the turn: each begins
with a `step_start` part, followed by what the model said and called, and the results of the calls. What Mulligan itself
read for a guided turn stands before the first step. A synthesis pass writes a further assistant message beside it.
"""

from typing import Annotated, Any, Literal

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Tagged
from mulligan.types.images import StoredImage
from mulligan.types.instructions import SentInstructions
from mulligan.types.model_io import ContextParts, Usage
from mulligan.types.sentinels import Sentinel
from mulligan.types.tool_calls import FailureKind, JsonObject
from mulligan.types.turns import StopReason, TurnWork

Role = Literal["user", "assistant", "system"]
Status = Literal["streaming", "complete", "failed", "cancelled"]


class PartKind(Record):
    """Part of a message."""

    kind: Any
    """Every part has its own value. Declared here so that it comes first in the JSON."""


class StepStart(Record):
    kind: Literal["step_start"] = "step_start"
    step: int
    """From 1, within the turn."""
    wrap_up: bool = False
    """The last call of a stopped turn, made without tools."""


class Text(Record):
    kind: Literal["text"] = "text"
    text: str
    by_mulligan: bool = False
    """Written by Mulligan because the model could not."""
    attached: str | None = None
    """In a person's message: what in it this was put there for, as they wrote it (`@src/app.py`, `!pytest -q`)."""


class Reasoning(Record):
    kind: Literal["reasoning"] = "reasoning"
    text: str


class CallFields(Record):
    """A call of a tool, as its part and its frame have it."""

    call_id: str
    name: str
    arguments: JsonObject
    repairs: tuple[str, ...] = ()


class ToolCallPart(CallFields, PartKind):
    kind: Literal["tool_call"] = "tool_call"


class ResultFields(Record):
    """The result of a call, as its part and its frame have it."""

    call_id: str
    name: str
    content: str
    failure: FailureKind | None = None
    duration_ms: int = 0
    masked: int = 0
    """Secrets in the content that were masked."""
    read: tuple[str, ...] = ()
    """Files of which the content shows something."""
    changed: tuple[str, ...] = ()
    """Files that a command made, changed or deleted."""
    pending_seen: int = 0
    """How many pending changes were applied where the command ran."""
    pending_unseen: int = 0
    """How many were not: it ran on the files as they are."""
    instructions: tuple[str, ...] = ()
    """Files of instructions for the folder that the call was about, which stand below the content."""


class ToolResultPart(ResultFields, PartKind):
    kind: Literal["tool_result"] = "tool_result"


class Synthesis(Record):
    """Marks a message whose text was written by the synthesis pass, and from what."""

    kind: Literal["synthesis"] = "synthesis"
    tool: str
    files: tuple[str, ...] = ()


Part = Annotated[
    StepStart | Text | Reasoning | ToolCallPart | ToolResultPart | Synthesis,
    Tagged("kind"),
]
PART_KINDS = ("text", "tool_call", "tool_result", "reasoning", "step_start", "synthesis")


class AttachmentInfo(Record):
    """What a person's message names, and the model is given with it."""

    name: str
    """As they wrote it: `@src/app.py:10-40`, `!pytest -q`."""
    about: str = ""
    """What it is, in words: `src/app.py, lines 10-40 of 200`."""
    masked: int = 0
    """Secrets in it that were masked."""
    problem: str = ""
    """Why the model is not given it."""
    image: StoredImage | None = None
    """What it is, where it is one."""


class UserMeta(Record):
    """What is known of a person's message."""

    kind: Literal["prompt"] = "prompt"
    continues: bool = False
    """Written by Mulligan for a person who pressed Continue."""
    attached: tuple[AttachmentInfo, ...] = ()
    only_told: bool = False
    """It asks nothing: it holds what a command of theirs said, for the turns to come."""


class TurnMeta(Record):
    """What is known of a turn; kept with its assistant message. Filled in when the turn ends."""

    kind: Literal["turn"] = "turn"
    agent: str
    model: str
    stop_reason: StopReason | None = None
    explanation: str = ""
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    repairs: dict[str, int] = field(default_factory=dict)
    duration_ms: int = 0
    context_tokens: int = 0
    """What the last request took of the model's context, its reply included; 0 if that is not known."""
    context_length: int | None = None
    context_parts: ContextParts | None = None
    work: TurnWork | None = None
    """What was really done. None for an agent that only reads."""
    instructions: tuple[SentInstructions, ...] = ()
    """Files of instructions that the turn began with."""
    beside: str | None = None
    """For the message of a synthesis pass: the turn's own message, which made the call."""


Metadata = Annotated[UserMeta | TurnMeta | Sentinel, Tagged("kind")]


class Message(Record):
    id: str
    chat_id: str
    seq: int
    """The place in the chat. Nothing is ever ordered by time."""
    role: Role
    status: Status
    metadata: Metadata
    parts: tuple[Part, ...] = ()
    step: int | None = None
    """For a sentinel: the step of the turn after which it was raised."""
    created_at: float

    @property
    def said(self) -> str:
        """What was said in it: not what was thought, called or found, nor what Mulligan attached."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text) and part.attached is None)

    @property
    def void(self) -> bool:
        """A synthesis that came to nothing: the turn went on or ended without it, and no request holds it."""
        beside = isinstance(self.metadata, TurnMeta) and self.metadata.beside is not None
        return beside and self.status in {"failed", "cancelled"}


class Chat(Record):
    id: str
    project: str
    """The real path of the folder the chat is about."""
    title: str
    agent: str
    created_at: float
    updated_at: float
    run_id: str | None = None
    """The fix run that holds it with its coder; None: a person does."""
    pinned_at: float | None = None
    """Pinned chats stand first."""
    deleted_at: float | None = None
    """It is hidden, and deleted for good some days later."""


class QueuedMessage(Record):
    """What a person wants to say once the turn under way has ended."""

    id: str
    chat_id: str
    text: str
    agent: str | None = None
    model: str | None = None
    images: tuple[AttachmentInfo, ...] = ()
    created_at: float
