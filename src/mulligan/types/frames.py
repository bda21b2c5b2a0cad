"""Frames: the events that stream to clients during a turn. With `--json`, one JSON object per line."""

from typing import Annotated, Any, Literal

from mulligan.types.base import Record, field
from mulligan.types.changes import ChangeKind, ChangeStatus
from mulligan.types.field_rules import Tagged
from mulligan.types.messages import PARENT, AttachmentInfo, CallFields, Message, ResultFields, Status
from mulligan.types.model_io import ContextParts, Usage
from mulligan.types.turns import STOPS, UNFINISHED, WAITING, StopReason, TurnWork


class OfMessage(Record):
    """A frame about one message."""

    type: Any
    """The kind of frame. Declared here so that it comes first in the JSON."""
    message_id: str


class TurnStart(Record):
    type: Literal["turn_start"] = "turn_start"
    chat_id: str
    message_id: str
    """The assistant message that the turn writes."""
    agent: str
    model: str
    seq: int = 0
    """The message's number in the chat. The user's message has the number before it."""
    prompt: str = ""
    """The user's message."""
    continues: bool = False
    """Whether the user pressed Continue, so that Mulligan wrote the prompt."""
    attached: tuple[AttachmentInfo, ...] = ()
    """Files, images and command output that the message names and the model receives with it."""


class MessageStarted(OfMessage):
    """Another message of the turn begins, written by a synthesis pass."""

    type: Literal["message_start"] = "message_start"
    parent_message_id: str = field(aliases=PARENT)
    """The turn's main message."""
    seq: int


class StepStarted(OfMessage):
    type: Literal["step_start"] = "step_start"
    step: int
    wrap_up: bool = False


class PromptRead(OfMessage):
    """Progress of reading the prompt. Only llama.cpp and the embedded model report it."""

    type: Literal["prompt_progress"] = "prompt_progress"
    processed: int
    """Tokens read, of `total`."""
    total: int
    seconds_left: float | None = None
    """Estimated from the speed so far, if the server reports times."""


class TextStreamed(OfMessage):
    type: Literal["text_delta"] = "text_delta"
    text: str


class ReasoningStreamed(OfMessage):
    type: Literal["reasoning_delta"] = "reasoning_delta"
    text: str


class ReplyRetried(OfMessage):
    """Discards everything streamed in this step: the model is asked again."""

    type: Literal["reply_retry"] = "reply_retry"
    step: int
    attempt: int
    attempts: int
    delay: float
    reason: str


class ReplyTrimmed(OfMessage):
    """Replaces the step's text, because it repeated itself or was reasoning."""

    type: Literal["reply_trimmed"] = "reply_trimmed"
    step: int
    text: str


class ContextUsed(OfMessage):
    """How much of the model's context the last request used, including its reply."""

    type: Literal["context"] = "context"
    tokens: int
    length: int | None = None
    """Size of the whole context in tokens, if known."""
    parts: ContextParts | None = None
    """What the tokens were used for. They add up to `tokens`."""


class ToolCalled(CallFields, OfMessage):
    type: Literal["tool_call"] = "tool_call"


class ToolReturned(ResultFields, OfMessage):
    type: Literal["tool_result"] = "tool_result"


class ChangeMade(Record):
    """A file was changed, or a change of it is pending."""

    type: Literal["change"] = "change"
    change_id: str
    path: str
    kind: ChangeKind
    status: ChangeStatus
    added: int
    """Lines added."""
    removed: int


class CheckpointTaken(OfMessage):
    """A checkpoint was taken before a writing agent started, or could not be."""

    type: Literal["checkpoint"] = "checkpoint"
    checkpoint_id: str | None = None
    problem: str | None = None
    """Why there is no checkpoint. The turn continues anyway."""
    not_covered: tuple[str, ...] = ()
    """Paths that it does not contain, each with the reason."""
    pruned: int = 0
    """How many older checkpoints were deleted to save space."""


class SentinelRaised(Record):
    type: Literal["sentinel"] = "sentinel"
    message: Message
    text: str
    """The sentence that the user reads."""


class MessageComplete(OfMessage):
    type: Literal["message_complete"] = "message_complete"
    status: Status


class TurnEnd(Record):
    """The last frame of a turn, whatever happened."""

    type: Literal["turn_end"] = "turn_end"
    chat_id: str
    message_id: str
    stop_reason: StopReason
    explanation: str
    """Why it ended, in a sentence for the user."""
    steps: int
    usage: Usage
    repairs: dict[str, int]
    """How often each kind of repair was made."""
    duration_ms: int
    can_continue: bool = False
    question: str | None = None
    """The model's question, if it paused."""
    options: tuple[str, ...] = ()
    pending: int = 0
    """Number of pending changes."""
    unapplied: tuple[str, ...] = ()
    """Files whose last edit was refused and not repeated successfully: that work is not done, whatever the model says.
    """
    overwritten: tuple[str, ...] = ()
    """Files whose last edit was refused, but which a command changed afterwards."""
    only_announced: bool = False
    """Whether the answer is none: twice the model said what it would do next, and did not do it."""
    work: TurnWork | None = None
    """What the turn did, from recorded facts. None for an agent that only reads."""

    @property
    def exit_code(self) -> int:
        """The exit code of `mulligan`. Never 0 for work that was not done."""
        code = STOPS[self.stop_reason].exit_code
        if code == 0 and (self.unapplied or self.only_announced or (self.work and self.work.missing)):
            return UNFINISHED
        return WAITING if code == 0 and self.pending else code


Frame = Annotated[
    TurnStart
    | MessageStarted
    | StepStarted
    | PromptRead
    | TextStreamed
    | ReasoningStreamed
    | ReplyRetried
    | ReplyTrimmed
    | ContextUsed
    | ToolCalled
    | ToolReturned
    | ChangeMade
    | CheckpointTaken
    | SentinelRaised
    | MessageComplete
    | TurnEnd,
    Tagged("type"),
]
