"""Requests to a model and the events of its reply, independent of the wire format."""

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
    """Base64, filled in just before the request is sent."""


@frozen
class UserText:
    text: str
    images: tuple[SentImage, ...] = ()


@frozen
class SentCall:
    """A call in the history that the model sees: always well-formed."""

    id: str
    name: str
    arguments: JsonObject


@frozen
class AssistantReply:
    text: str
    calls: tuple[SentCall, ...] = ()
    reasoning: str = ""
    """Its reasoning before that, if it is sent back to the model."""


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
    """Sorted by name, so that the start of the prompt stays the same in all steps. Empty: tools are off."""
    masked: frozenset[str] = frozenset()
    """Tools that are described but not allowed this time. Only a constrained protocol can enforce it."""
    schema: JsonObject | None = None
    """The reply must be JSON that fits this schema."""
    exact_text: str | None = None
    """The reply must be this text. Each of its tokens is reported with the tokens that the model preferred. Only
    llama.cpp can do this."""
    max_tokens: int | None = None
    temperature: float | None = None
    """None: as recommended or set for the model. 0: the most likely answer, whatever is recommended."""
    seed: int | None = None
    """Seed for sampling, if the server accepts one: the same request gets the same reply."""
    after_repetition: bool = False
    """Whether the last reply to this repeated itself, so that other sampling is needed."""
    answer_now: bool = False
    """Whether the model has thought enough: its thinking is switched off if possible."""
    options: JsonObject = field(default_factory=dict[str, Any])
    """Sampling and thinking fields, with this server's names, in the order they are sent."""
    reasoning_field: str = "reasoning_content"
    """This server's name for the reasoning of a reply that is sent back."""


class Usage(Record):
    """Token counts of the server, summed over a turn."""

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
    """What a request used the model's context for, in tokens. The sum is the server's count; it is divided by the
    number of characters."""

    system: int = 0
    """The system prompt, including the project's instructions."""
    tools: int = 0
    """Descriptions of the tools."""
    files: int = 0
    """Tool results: files, searches, output of commands."""
    history: int = 0
    """Messages and calls, and a summary of earlier ones."""
    images: int = 0
    reply: int = 0


@frozen
class PromptProgress:
    """Progress of reading the prompt, in tokens. Comes before the first word of a reply, if at all."""

    total: int
    processed: int
    """Tokens read, including cached ones."""
    cached: int = 0
    seconds: float = 0.0
    """Seconds since it began to read; 0 if unknown."""


@frozen
class TextDelta:
    text: str


@frozen
class TokenChoices:
    """A token of an `exact_text`, and the alternatives to it."""

    text: str
    others: tuple[tuple[str, float], ...]
    """Other tokens with their log probabilities, the most likely first."""


@frozen
class ReasoningDelta:
    text: str


@frozen
class TextWasReasoning:
    """All text so far was reasoning; this is the complete reasoning."""

    text: str


@frozen
class CallDelta:
    """A piece of a tool call. Pieces with the same index belong to the same call."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@frozen
class UsageReport:
    usage: Usage


@frozen
class Finished:
    """The reply is complete, with the reason why it ended: `stop`, `tool_calls`, `length`, …"""

    reason: str


@frozen
class Retrying:
    """Discards everything so far: the reply starts over after `delay` seconds."""

    attempt: int
    """The failed attempt, counted from 1."""
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
