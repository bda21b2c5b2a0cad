"""One reply heard to its end, with what it cost in tokens and time."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from mulligan.ports.models import Model
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelRequest,
    ReasoningDelta,
    Retrying,
    TextDelta,
    Usage,
    UsageReport,
)
from mulligan.types.tool_calls import RawCall

Clock = Callable[[], float]
"""Seconds, from any beginning."""


@dataclass(slots=True)
class MeasuredReply:
    started: float
    text: str = ""
    reasoned: bool = False
    calls: list[RawCall] = field(default_factory=list[RawCall])
    usage: Usage = field(default_factory=Usage)
    """All 0 if the server did not tell."""
    finish_reason: str | None = None
    first_delta: float | None = None
    last_delta: float | None = None


async def measure_reply(model: Model, request: ModelRequest, clock: Clock) -> MeasuredReply:
    """Raises `ModelError`."""
    reply = MeasuredReply(clock())
    said: list[str] = []
    called: dict[int, list[CallDelta]] = {}
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta | ReasoningDelta | CallDelta):
                reply.last_delta = clock()
                reply.first_delta = reply.first_delta or reply.last_delta
            match event:
                case TextDelta(text):
                    said.append(text)
                case ReasoningDelta():
                    reply.reasoned = True
                case CallDelta(index):
                    called.setdefault(index, []).append(event)
                case UsageReport(usage):
                    reply.usage = usage
                case Finished(reason):
                    reply.finish_reason = reason
                case Retrying():
                    reply, said, called = MeasuredReply(clock()), [], {}
    reply.text = "".join(said)
    reply.calls = [_joined(pieces) for _, pieces in sorted(called.items())]
    return reply


def reading_speed(reply: MeasuredReply) -> float | None:
    """Tokens a second up to the first word, without those that the server had read before."""
    tokens = reply.usage.prompt_tokens - reply.usage.cached_tokens
    seconds = (reply.first_delta or reply.started) - reply.started
    return tokens / seconds if tokens >= 50 and seconds > 0 else None


def writing_speed(reply: MeasuredReply) -> float | None:
    """Tokens a second between the first and the last word."""
    tokens = reply.usage.completion_tokens - 1
    seconds = (reply.last_delta or 0) - (reply.first_delta or 0)
    return tokens / seconds if tokens >= 8 and seconds > 0 else None


def _joined(pieces: list[CallDelta]) -> RawCall:
    call_id = next((piece.id for piece in pieces if piece.id), "")
    name = next((piece.name for piece in pieces if piece.name), "")
    return RawCall(call_id, name, "".join(piece.arguments for piece in pieces))
