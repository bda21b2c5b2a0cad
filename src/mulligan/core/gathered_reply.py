"""Assembles a reply as it streams in, and watches it for repetition."""

from dataclasses import dataclass, field

from mulligan.core.repetition import RepeatedText, TextWatch
from mulligan.core.replies import Reply
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelEvent,
    PromptProgress,
    ReasoningDelta,
    Retrying,
    TextDelta,
    TextWasReasoning,
    TokenChoices,
    Usage,
    UsageReport,
)
from mulligan.types.tool_calls import RawCall


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: TextWatch = field(default_factory=lambda: TextWatch(code=True))


class GatheredReply:
    """A reply so far. What came before a `Retrying` event is void."""

    def __init__(self) -> None:
        self._reset()

    def add(self, event: ModelEvent) -> None:
        match event:
            case TextDelta(text):
                self.repeated = self._text.add(text)
            case ReasoningDelta(text):
                self.repeated = self._reasoning.add(text)
            case TextWasReasoning(text):
                self._text, self._reasoning = TextWatch(), TextWatch()
                self.repeated = self._reasoning.add(text)
            case CallDelta(index):
                call = self._calls.setdefault(index, _Call())
                call.id = call.id or event.id or ""
                call.name += event.name or ""
                self.repeated = call.arguments.add(event.arguments)
            case UsageReport(usage):
                self._usage = usage
            case Finished(reason):
                self._finish_reason = reason
            case Retrying():
                self._reset()
            case TokenChoices():
                self._choices.append(event)
            case PromptProgress():
                pass  # not part of the reply

    def reply(self) -> Reply:
        calls = (RawCall(call.id, call.name, call.arguments.whole()) for _, call in sorted(self._calls.items()))
        return Reply(
            text=self._text.whole(),
            reasoning=self._reasoning.whole(),
            calls=tuple(calls),
            finish_reason=self._finish_reason,
            usage=self._usage,
            repeated=self.repeated,
            choices=tuple(self._choices),
        )

    def _reset(self) -> None:
        self._text, self._reasoning = TextWatch(), TextWatch()
        self._calls: dict[int, _Call] = {}
        self._usage = Usage()
        self._choices: list[TokenChoices] = []
        self._finish_reason: str | None = None
        self.repeated: RepeatedText | None = None
        """What the newest text repeats."""
