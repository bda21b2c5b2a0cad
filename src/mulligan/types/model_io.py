"""What goes to a model and what streams back, whatever wire it speaks."""

from dataclasses import field
from typing import Any

from mulligan.types.base import Record
from mulligan.types.frozen import frozen
from mulligan.types.images import StoredImage
from mulligan.types.tool_calls import JsonObject, ToolSpec


@frozen
class SystemText:
    text: str


@frozen
class SentImage:
    about: StoredImage
    data: str = ""
    """Base64. It is put in just before the request leaves."""


@frozen
class UserText:
    text: str
    images: tuple[SentImage, ...] = ()


@frozen
class SentCall:
    """A call as the history shows it to the model: always well-formed."""

    id: str
    name: str
    arguments: JsonObject


@frozen
class AssistantReply:
    text: str
    calls: tuple[SentCall, ...] = ()
    reasoning: str = ""
    """What it thought before that, where the model is to be reminded of it."""


@frozen
class ToolReply:
    call_id: str
    name: str
    text: str


WireMessage = SystemText | UserText | AssistantReply | ToolReply


@frozen
class ModelRequest:
    messages: tuple[WireMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    """Sorted by name, so that the prompt's beginning is the same from step to step. Empty: tools are off."""
    masked: frozenset[str] = frozenset()
    """Tools that are described but not offered this time. Only a constrained protocol can enforce it."""
    schema: JsonObject | None = None
    """The reply must be JSON of this schema."""
    exact_text: str | None = None
    """The reply must be this text. Each of its tokens is reported with what the model would rather have written. Only
    llama.cpp can do this."""
    max_tokens: int | None = None
    temperature: float | None = None
    """None: what is recommended for the model, or set for it. 0: the likeliest answer, whatever is recommended."""
    seed: int | None = None
    """Of the sampling, for servers that take one: the same request gets the same reply again."""
    after_repetition: bool = False
    """The last reply to this repeated itself, so another sampling is needed."""
    answer_now: bool = False
    """The model has thought enough: its thinking is switched off, as far as that can be done."""
    options: JsonObject = field(default_factory=dict[str, Any])
    """Fields about sampling and thinking, as this server names them, in the order they are sent."""
    reasoning_field: str = "reasoning_content"
    """What this server calls the reasoning of a reply that is sent back."""


class Usage(Record):
    """Tokens, as the server counted them; summed over a turn."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


class ContextParts(Record):
    """What a request filled the model's context with, in tokens. They add up to what the server counted; how they share
    it is told by their characters."""

    system: int = 0
    """The system prompt, instructions of the project included."""
    tools: int = 0
    """Descriptions of the tools."""
    files: int = 0
    """What tools found: files, searches, output of commands."""
    history: int = 0
    """What was said and called, and a summary of what came before."""
    images: int = 0
    reply: int = 0


@frozen
class PromptProgress:
    """How far the server has read the prompt, in tokens. Comes before the first word of a reply, if at all."""

    total: int
    processed: int
    """Those from the cache included."""
    cached: int = 0
    seconds: float = 0.0
    """Since it began to read; 0 where it does not tell."""


@frozen
class TextDelta:
    text: str


@frozen
class TokenChoices:
    """One token of an `exact_text`, and what the model might have written instead."""

    text: str
    others: tuple[tuple[str, float], ...]
    """Other tokens and the logarithm of their probability, likeliest first."""


@frozen
class ReasoningDelta:
    text: str


@frozen
class TextWasReasoning:
    """All text that came so far was the model's thinking, and this is the whole of it."""

    text: str


@frozen
class CallDelta:
    """A piece of a tool call. Pieces with one index belong to one call."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@frozen
class UsageReport:
    usage: Usage


@frozen
class Finished:
    """The server said that the reply is whole, and why it ended: `stop`, `tool_calls`, `length`, …"""

    reason: str


@frozen
class Retrying:
    """What came so far is void: the reply starts over after `delay` seconds."""

    attempt: int
    """The attempt that failed, from 1."""
    attempts: int
    delay: float
    reason: str


ModelEvent = (
    PromptProgress
    | TextDelta
    | TokenChoices
    | ReasoningDelta
    | TextWasReasoning
    | CallDelta
    | UsageReport
    | Finished
    | Retrying
)
