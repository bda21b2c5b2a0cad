"""Chats, messages and their parts, as stored.

A turn is one user message and one assistant message. The assistant message holds all steps of the turn: each begins
with a `step_start` part, followed by the model's text and calls, and the results of the calls. What Mulligan itself
read for a guided turn comes before the first step. A synthesis pass writes another assistant message.
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

PARENT = ("parent_message_id", "beside")
"""The field's names, the current one first. Older rows have the second."""

Role = Literal["user", "assistant", "system"]
Status = Literal["streaming", "complete", "failed", "cancelled"]


class MessagePart(Record):
    """Part of a message."""

    kind: Any
    """Every part has its own value. Declared here so that it comes first in the JSON."""


class StepStart(Record):
    kind: Literal["step_start"] = "step_start"
    step: int
    """Counted from 1, within the turn."""
    wrap_up: bool = False
    """The last call of a stopped turn, made without tools."""


class Text(Record):
    kind: Literal["text"] = "text"
    text: str
    by_mulligan: bool = False
    """Written by Mulligan because the model could not."""
    attached: str | None = None
    """For an attachment: the part of the user's message that asked for it, as written (`@src/app.py`, `!pytest -q`)."""


class Reasoning(Record):
    kind: Literal["reasoning"] = "reasoning"
    text: str


class CallFields(Record):
    """A tool call: the fields that its part and its frame share."""

    call_id: str
    name: str
    arguments: JsonObject
    repairs: tuple[str, ...] = ()


class ToolCallPart(CallFields, MessagePart):
    kind: Literal["tool_call"] = "tool_call"


class ResultFields(Record):
    """The result of a call: the fields that its part and its frame share."""

    call_id: str
    name: str
    content: str
    failure: FailureKind | None = None
    duration_ms: int = 0
    masked: int = 0
    """How many secrets in the content were masked."""
    read: tuple[str, ...] = ()
    """Files that the content shows, at least in part."""
    changed: tuple[str, ...] = ()
    """Files that a command created, changed or deleted."""
    pending_seen: int = 0
    """How many pending changes were applied where the command ran."""
    pending_unseen: int = 0
    """How many were not applied: the command ran on the files as they are."""
    instructions: tuple[str, ...] = ()
    """Instruction files for the folder that the call was about; their text follows the content."""


class ToolResultPart(ResultFields, MessagePart):
    kind: Literal["tool_result"] = "tool_result"


class Synthesis(Record):
    """Marks a message that the synthesis pass wrote, and names its sources."""

    kind: Literal["synthesis"] = "synthesis"
    tool: str
    files: tuple[str, ...] = ()


Part = Annotated[
    StepStart | Text | Reasoning | ToolCallPart | ToolResultPart | Synthesis,
    Tagged("kind"),
]
PART_KINDS = ("text", "tool_call", "tool_result", "reasoning", "step_start", "synthesis")


class AttachmentInfo(Record):
    """Something that the user's message names and the model receives with it."""

    name: str
    """As the user wrote it: `@src/app.py:10-40`, `!pytest -q`."""
    about: str = ""
    """A description: `src/app.py, lines 10-40 of 200`."""
    masked: int = 0
    """How many secrets in it were masked."""
    problem: str = ""
    """Why the model does not receive it."""
    image: StoredImage | None = None
    """The image, if it is one."""


class UserMeta(Record):
    """Metadata of a user's message."""

    kind: Literal["prompt"] = "prompt"
    continues: bool = False
    """Whether Mulligan wrote it because the user pressed Continue."""
    attached: tuple[AttachmentInfo, ...] = ()
    is_note: bool = field(default=False, aliases=("is_note", "only_told"))
    """Whether it asks nothing: it contains the output of a command that the user ran, for later turns."""


class TurnMeta(Record):
    """Metadata of a turn's assistant message. Completed when the turn ends."""

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
    """Tokens of the model's context that the last request used, including its reply; 0 if unknown."""
    context_length: int | None = None
    context_parts: ContextParts | None = None
    work: TurnWork | None = None
    """What the turn did, from recorded facts. None for an agent that only reads."""
    instructions: tuple[SentInstructions, ...] = ()
    """Instruction files that the turn started with."""
    parent_message_id: str | None = field(default=None, aliases=PARENT)
    """For a message of a synthesis pass: the turn's main message, which made the call."""


Metadata = Annotated[UserMeta | TurnMeta | Sentinel, Tagged("kind")]


class Message(Record):
    id: str
    chat_id: str
    seq: int
    """Its number in the chat. Messages are never ordered by time."""
    role: Role
    status: Status
    metadata: Metadata
    parts: tuple[Part, ...] = ()
    step: int | None = None
    """For a sentinel: the step of the turn after which it was raised."""
    created_at: float

    @property
    def visible_text(self) -> str:
        """Its text, without reasoning, calls, results and attachments."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text) and part.attached is None)

    @property
    def is_failed_synthesis(self) -> bool:
        """The turn continued or ended without it, and no request contains it."""
        is_synthesis = isinstance(self.metadata, TurnMeta) and self.metadata.parent_message_id is not None
        return is_synthesis and self.status in {"failed", "cancelled"}


class Chat(Record):
    id: str
    project: str
    """The real path of its project folder."""
    title: str
    agent: str
    created_at: float
    updated_at: float
    run_id: str | None = None
    """The fix run whose coder writes in it; None for a chat of the user."""
    pinned_at: float | None = None
    """Set for a pinned chat; these are listed first."""
    deleted_at: float | None = None
    """Set for a deleted chat: it is hidden, and removed permanently some days later."""


class QueuedMessage(Record):
    """A message that the user wrote during a turn, sent when the turn has ended."""

    id: str
    chat_id: str
    text: str
    agent: str | None = None
    model: str | None = None
    images: tuple[AttachmentInfo, ...] = ()
    created_at: float
