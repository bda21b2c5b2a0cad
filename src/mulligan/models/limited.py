"""Cuts endless replies: a server may ignore every limit in the request."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from mulligan.core.reply_limits import MAX_CALLS_READ
from mulligan.ports.models import Model
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    Retrying,
    TextDelta,
)


class LimitedModel:
    """Wraps a server's model, inside the protocols, which hold back text that may be a call. Implements
    `ports.Model`."""

    def __init__(self, model: Model, longest: Callable[[], int]) -> None:
        """`longest` returns the most characters of a reply, as far as known."""
        self._model = model
        self._longest = longest

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply. One that is too long ends as if the server had cut it at its own limit."""
        received = 0
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                match event:
                    case CallDelta(index) if index >= MAX_CALLS_READ:
                        # The calls before this one are complete, and more than we run.
                        yield Finished("tool_calls")
                        return
                    case CallDelta(_, call_id, name, arguments):
                        received += 1 + len(call_id or "") + len(name or "") + len(arguments)
                    case TextDelta(text) | ReasoningDelta(text):
                        received += len(text)
                    case Retrying():
                        received = 0
                    case _:
                        pass
                yield event
                if received > self._longest():
                    yield Finished("length")
                    return
