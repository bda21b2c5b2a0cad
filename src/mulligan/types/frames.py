"""Frames: what streams to whoever watches a turn. One JSON object a line under `--json`."""

from typing import Annotated, Any, Literal

from mulligan.types.base import Record
from mulligan.types.changes import ChangeKind, ChangeStatus
from mulligan.types.field_rules import Tagged
from mulligan.types.messages import AttachmentInfo, CallFields, Message, ResultFields, Status
from mulligan.types.model_io import ContextParts, Usage
from mulligan.types.turns import STOPS, UNFINISHED, WAITING, StopReason, TurnWork


class OfMessage(Record):
    """A frame about one message."""

    type: Any
    """Every frame has its own value. Declared here so that it comes first in the JSON."""
    message_id: str


class TurnStart(Record):
    type: Literal["turn_start"] = "turn_start"
    chat_id: str
    message_id: str
    """The assistant message that the turn fills."""
    agent: str
    model: str
    seq: int = 0
    """The message's place in the chat. The person's own stands right before it."""
    prompt: str = ""
    """What the person said."""
    continues: bool = False
    """Nothing: Continue was pressed, and Mulligan wrote the prompt."""
    attached: tuple[AttachmentInfo, ...] = ()
    """What the message names, and the model is given with it."""


class MessageStarted(OfMessage):
    """A further message of the turn begins: that of a synthesis pass."""

    type: Literal["message_start"] = "message_start"
    beside: str
    """The turn's own message."""
    seq: int


class StepStarted(OfMessage):
    type: Literal["step_start"] = "step_start"
    step: int
    wrap_up: bool = False


class PromptRead(OfMessage):
    """How far the server has read the prompt. Only servers that tell it: llama.cpp and the embedded model."""

    type: Literal["prompt_progress"] = "prompt_progress"
    processed: int
    """Tokens, of `total`."""
    total: int
    seconds_left: float | None = None
    """At the speed so far, where the server told the time."""


class TextStreamed(OfMessage):
    type: Literal["text_delta"] = "text_delta"
    text: str


class ReasoningStreamed(OfMessage):
    type: Literal["reasoning_delta"] = "reasoning_delta"
    text: str


class ReplyRetried(OfMessage):
    """What streamed in this step is void: the model is asked again."""

    type: Literal["reply_retry"] = "reply_retry"
    step: int
    attempt: int
    attempts: int
    delay: float
    reason: str


class ReplyTrimmed(OfMessage):
    """The step's text repeated itself, or was thinking: this is what is kept of it."""

    type: Literal["reply_trimmed"] = "reply_trimmed"
    step: int
    text: str


class ContextUsed(OfMessage):
    """How much of the model's context the request took that was just answered, its reply included."""

    type: Literal["context"] = "context"
    tokens: int
    length: int | None = None
    """Of the whole context, where it is known."""
    parts: ContextParts | None = None
    """What they are. They add up to `tokens`."""


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
    """Lines."""
    removed: int


class CheckpointTaken(OfMessage):
    """The files were kept before an agent that writes began, or could not be."""

    type: Literal["checkpoint"] = "checkpoint"
    checkpoint_id: str | None = None
    problem: str | None = None
    """Why there is none. The turn goes on all the same."""
    not_covered: tuple[str, ...] = ()
    """Paths that it does not hold, each with the reason."""
    pruned: int = 0
    """Older checkpoints that had to go for the space they took."""


class SentinelRaised(Record):
    type: Literal["sentinel"] = "sentinel"
    message: Message
    text: str
    """The sentence a person reads."""


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
    """Why it ended, in a sentence for a person."""
    steps: int
    usage: Usage
    repairs: dict[str, int]
    """How often each kind of repair was needed."""
    duration_ms: int
    can_continue: bool = False
    question: str | None = None
    """What the model wants to know, if it paused."""
    options: tuple[str, ...] = ()
    pending: int = 0
    """Pending changes."""
    unapplied: tuple[str, ...] = ()
    """Files whose last edit was refused and not made good: whatever the model says, that work is not done."""
    overwritten: tuple[str, ...] = ()
    """Files whose last edit was refused and that a command changed afterwards."""
    only_announced: bool = False
    """The answer is no answer: the model said what it would do next, twice, and did not do it."""
    work: TurnWork | None = None
    """What was really done. None for an agent that only reads."""

    @property
    def exit_code(self) -> int:
        """What `mulligan` exits with. Never 0 for work that was not done."""
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
