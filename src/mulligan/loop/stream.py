"""One request to the model and the reply as it streams: recorded, watched for repetition, gathered."""

from contextlib import aclosing
from dataclasses import dataclass, field

from mulligan.core.repetition import RepeatedText, TextWatch
from mulligan.core.replies import Reply
from mulligan.loop.record import TurnRecord
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


async def stream_reply(model: Model, request: ModelRequest, record: TurnRecord) -> Reply:
    """Ask once. Raises `ModelError`; closing the stream early makes the server stop writing."""
    gathered = _Gathered()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    record.say(text)
                    gathered.add_text(text)
                case ReasoningDelta(text):
                    record.think(text)
                    gathered.add_reasoning(text)
                case CallDelta():
                    gathered.add_call(event)
                case UsageReport(usage):
                    gathered.usage = usage
                case Finished(reason):
                    gathered.finish_reason = reason
                case Retrying():
                    record.retry(attempt=event.attempt, attempts=event.attempts, delay=event.delay, reason=event.reason)
                    gathered = _Gathered()
            if gathered.repeated:
                break
            await record.save_if_due()
    return gathered.reply()


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: TextWatch = field(default_factory=lambda: TextWatch(code=True))


@dataclass(slots=True)
class _Gathered:
    text: TextWatch = field(default_factory=TextWatch)
    reasoning: TextWatch = field(default_factory=TextWatch)
    calls: dict[int, _Call] = field(default_factory=dict[int, _Call])
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    repeated: RepeatedText | None = None

    def add_text(self, text: str) -> None:
        self.repeated = self.text.add(text)

    def add_reasoning(self, text: str) -> None:
        self.repeated = self.reasoning.add(text)

    def add_call(self, delta: CallDelta) -> None:
        call = self.calls.setdefault(delta.index, _Call())
        call.id = call.id or delta.id or ""
        call.name += delta.name or ""
        self.repeated = call.arguments.add(delta.arguments)

    def reply(self) -> Reply:
        return Reply(
            text=self.text.whole(),
            reasoning=self.reasoning.whole(),
            calls=tuple(RawCall(call.id, call.name, call.arguments.whole()) for _, call in sorted(self.calls.items())),
            finish_reason=self.finish_reason,
            usage=self.usage,
            repeated=self.repeated,
        )
