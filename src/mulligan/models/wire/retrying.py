"""Retries requests where that may help."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from mulligan.ports.callbacks import Sleep
from mulligan.ports.models import Model
from mulligan.types.errors import ModelError, ModelOverloaded
from mulligan.types.model_io import ModelEvent, ModelRequest, Retrying

MAX_WAIT_SECONDS = 120.0
"""If a server asks for more, we tell the user instead of waiting."""


def backoff_seconds(attempt: int) -> float:
    """How long to wait after the given failed attempt: about 0.5 s, 1.5 s, 4.5 s, …

    The jitter keeps several turns that failed together from coming back together.
    """
    return 0.5 * 3 ** (attempt - 1) * random.uniform(0.9, 1.1)


class RetryingModel:
    """Wraps a model: retries failures that are worth it, with a `Retrying` event before each new try."""

    def __init__(
        self,
        model: Model,
        *,
        attempts: int = 3,
        sleep: Sleep = asyncio.sleep,
        backoff: Callable[[int], float] = backoff_seconds,
    ) -> None:
        self._model = model
        self._attempts = attempts
        self._sleep = sleep
        self._backoff = backoff

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield one whole reply. Discard what came before a `Retrying` event."""
        for attempt in range(1, self._attempts + 1):
            try:
                async with aclosing(self._model.stream(request)) as events:
                    async for event in events:
                        yield event
            except ModelError as error:
                delay = self._delay(error, attempt)
                if delay is None:
                    raise
                reason = str(error)
            else:
                return
            yield Retrying(attempt, self._attempts, delay, reason)
            await self._sleep(delay)

    def _delay(self, error: ModelError, attempt: int) -> float | None:
        """Seconds until the next try, or None if this was the last; then the error's text says why."""
        if not error.worth_retrying:
            return None
        asked = error.retry_after if isinstance(error, ModelOverloaded) else None
        if asked is not None and asked > MAX_WAIT_SECONDS:
            error.args = (f"{error} It asks to wait {_duration(asked)}, which is too long: try again later.",)
            return None
        if attempt == self._attempts:
            error.args = (f"{error} (tried {attempt} times)",) if attempt > 1 else error.args
            return None
        return asked or self._backoff(attempt)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} minutes"
