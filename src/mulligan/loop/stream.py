"""One request to the model and the reply as it streams: recorded, watched for repetition, gathered."""

from contextlib import aclosing
from dataclasses import dataclass, field

from mulligan.core.repetition import RepeatedText, find_repeated_text
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
                    gathered.text.add(text)
                case ReasoningDelta(text):
                    record.think(text)
                    gathered.reasoning.add(text)
                case CallDelta():
                    gathered.add_call(event)
                case UsageReport(usage):
                    gathered.usage = usage
                case Finished(reason):
                    gathered.finish_reason = reason
                case Retrying():
                    record.retry(attempt=event.attempt, attempts=event.attempts, delay=event.delay, reason=event.reason)
                    gathered = _Gathered()
            if gathered.repeated():
                break
            await record.save_if_due()
    return gathered.reply()


CHECK_EVERY = 80
"""Characters between two looks for repetition."""


@dataclass(slots=True)
class _Watched:
    """Text that grows, looked at now and then."""

    code: bool = False
    pieces: list[str] = field(default_factory=list[str])
    unseen: int = 0
    repeated: RepeatedText | None = None

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.unseen += len(text)
        if self.unseen >= CHECK_EVERY:
            self.unseen = 0
            self.repeated = find_repeated_text(self.whole(), code=self.code)

    def whole(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: _Watched = field(default_factory=lambda: _Watched(code=True))


@dataclass(slots=True)
class _Gathered:
    text: _Watched = field(default_factory=_Watched)
    reasoning: _Watched = field(default_factory=_Watched)
    calls: dict[int, _Call] = field(default_factory=dict[int, _Call])
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None

    def add_call(self, delta: CallDelta) -> None:
        call = self.calls.setdefault(delta.index, _Call())
        call.id = call.id or delta.id or ""
        call.name += delta.name or ""
        call.arguments.add(delta.arguments)

    def repeated(self) -> RepeatedText | None:
        watched = (self.text, self.reasoning, *(call.arguments for call in self.calls.values()))
        return next((each.repeated for each in watched if each.repeated), None)

    def reply(self) -> Reply:
        return Reply(
            text=self.text.whole(),
            reasoning=self.reasoning.whole(),
            calls=tuple(RawCall(call.id, call.name, call.arguments.whole()) for _, call in sorted(self.calls.items())),
            finish_reason=self.finish_reason,
            usage=self.usage,
            repeated=self.repeated(),
        )
