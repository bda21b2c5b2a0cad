"""Cuts thinking that takes too long, and asks once more without it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from mulligan.core.thinking_budget import ask_to_answer, is_over, thinking_budget
from mulligan.core.tuning import server_counts
from mulligan.ports.models import Model
from mulligan.types.errors import ModelRejected
from mulligan.types.model_io import (
    CallDelta,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    Retrying,
    TextDelta,
    TextWasReasoning,
)
from mulligan.types.profiles import ModelProfile
from mulligan.types.tuning import Tuning


class ThinkingLimited:
    """Wraps a model, outside the tool protocols. Implements `ports.Model`.

    `TunedModel` sends the budget to servers that can count; this is for the others, and for those that ignore it.
    """

    def __init__(self, model: Model, tuning: Tuning, *, profile: Callable[[], ModelProfile]) -> None:
        self._model = model
        self._tuning = tuning
        self._profile = profile

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply. Raises `ModelRejected` if the model keeps thinking after it was asked to answer."""
        thoughts = _Thoughts()
        async with aclosing(self._until_over(request, thoughts)) as events:
            async for event in events:
                yield event
        if not thoughts.over:
            return
        words = f"it thought for more than {thoughts.allowed:,} tokens"
        yield Retrying(1, 2, 0.0, f"{words}, and is asked to answer now")
        again = _Thoughts()
        async with aclosing(self._until_over(ask_to_answer(request, thoughts.text()), again)) as events:
            async for event in events:
                yield event
        if again.over:
            raise ModelRejected(
                f"{self.name} gave no answer: {words}, and again when it was asked to answer. Turn off its thinking "
                "with --thinking off, or let it think longer with the setting thinking_budget."
            )

    async def _until_over(self, request: ModelRequest, thoughts: "_Thoughts") -> AsyncGenerator[ModelEvent]:
        known = self._profile()  # as it is when the request goes out
        thoughts.allowed = thinking_budget(self._tuning.thinking_budget, known).tokens
        counted = server_counts(self._tuning, known)
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                yield event
                thoughts.see(event)
                if thoughts.unbroken and is_over(thoughts.length, thoughts.allowed, server_counts=counted):
                    thoughts.over = True
                    return


class _Thoughts:
    """What a reply has thought before its first word."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.length = 0
        self.allowed = 0
        """Tokens."""
        self.unbroken = True
        """Nothing but thoughts has arrived."""
        self.over = False

    def see(self, event: ModelEvent) -> None:
        match event:
            case ReasoningDelta(text):
                self._pieces.append(text)
                self.length += len(text)
            case TextDelta(text) | TextWasReasoning(text):
                self.unbroken = self.unbroken and not text.strip()
            case CallDelta():
                self.unbroken = False
            case Retrying():
                self._pieces, self.length, self.unbroken = [], 0, True
            case _:
                pass

    def text(self) -> str:
        return "".join(self._pieces)
