"""Turns calls written as text into calls: what small models write when the server should have sent `tool_calls`."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from mulligan.core.reply_limits import MAX_CALLS_READ
from mulligan.models.protocols.held_text import HeldText
from mulligan.ports.models import Model
from mulligan.types.model_io import CallDelta, Finished, ModelEvent, ModelRequest, Retrying, TextDelta, TextWasReasoning


class CallsInText:
    """Wraps a model that is offered tools natively. Implements `ports.Model`."""

    def __init__(self, model: Model, on_found: Callable[[], None]) -> None:
        self._model = model
        self._on_found = on_found

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply; text that may be a call is held back until that is clear, at the latest to its end."""
        reply = self._model.stream(request)
        if request.tools:
            reply = read_calls_in_text(reply, [tool.name for tool in request.tools], self._on_found)
        async with aclosing(reply) as events:
            async for event in events:
                yield event


async def read_calls_in_text(
    reply: AsyncGenerator[ModelEvent], tool_names: Sequence[str], on_found: Callable[[], None] = lambda: None
) -> AsyncGenerator[ModelEvent]:
    """The same reply, with calls in place of their text."""
    reader = TextCallReader(tool_names)
    called = False
    async with aclosing(reply) as events:
        async for event in events:
            match event:
                case TextDelta(text) if not called:
                    for each in reader.feed(text):
                        yield each
                case CallDelta() if not called:
                    called = True
                    for each in reader.release():
                        yield each
                    yield event
                case Retrying() | TextWasReasoning():
                    reader, called = TextCallReader(tool_names), False
                    yield event
                case Finished(reason) if not called:
                    for each in reader.finish(reason):
                        if isinstance(each, CallDelta) and each.index == 0:
                            on_found()
                        yield each
                case _:
                    yield event


class TextCallReader:
    """The text of one reply in, prose and calls out."""

    def __init__(self, tool_names: Sequence[str]) -> None:
        self._names = tool_names
        self._text = HeldText(tool_names)

    def feed(self, text: str) -> list[ModelEvent]:
        return _say(self._text.feed(text))

    def release(self) -> list[ModelEvent]:
        """What was held back, as it was."""
        return _say(self._text.release())

    def finish(self, reason: str) -> list[ModelEvent]:
        """The calls, or the text that looked like some; then the end."""
        if not self._text.held:
            return [*self.release(), Finished(reason)]
        from mulligan.core.text_calls import find_text_calls  # not needed until a reply looks like a call

        found = find_text_calls(self._text.whole, self._names)
        if found is None:
            return [*self.release(), Finished(reason)]
        calls = [
            CallDelta(index, name=call.name, arguments=call.arguments)
            for index, call in enumerate(found.calls[:MAX_CALLS_READ])
        ]
        return [
            *_say(self._text.left_over(found.spans)),
            *calls,
            Finished("tool_calls" if reason == "stop" else reason),
        ]


def _say(text: str) -> list[ModelEvent]:
    return [TextDelta(text)] if text else []
