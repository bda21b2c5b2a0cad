"""How fast a model reads and writes, from when parts of a reply arrived and what the server counted."""

from collections.abc import Callable

from mulligan.types.model_io import CallDelta, ModelEvent, ReasoningDelta, Retrying, TextDelta, Usage

Clock = Callable[[], float]
"""Seconds, from any starting point."""


class ReplyTiming:
    """Starts now, and sees every event of a reply."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.started = clock()
        self.first: float | None = None
        """When the first piece came."""
        self.last: float | None = None

    def see(self, event: ModelEvent) -> None:
        if isinstance(event, TextDelta | ReasoningDelta | CallDelta):
            self.last = self._clock()
            self.first = self.first or self.last
        elif isinstance(event, Retrying):
            self.started, self.first, self.last = self._clock(), None, None

    def reading_speed(self, usage: Usage) -> float | None:
        """Tokens per second up to the first word, without those in the server's cache."""
        tokens = usage.prompt_tokens - usage.cached_tokens
        seconds = (self.first or self.started) - self.started
        return tokens / seconds if tokens >= 50 and seconds > 0 else None

    def writing_speed(self, usage: Usage) -> float | None:
        """Tokens per second between the first and the last word."""
        tokens = usage.completion_tokens - 1
        seconds = (self.last or 0) - (self.first or 0)
        return tokens / seconds if tokens >= 8 and seconds > 0 else None
