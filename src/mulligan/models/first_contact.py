"""The first contact with a server: it is asked about the model while the first reply is awaited."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from mulligan.models.adaptive import AdaptiveModel
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.profiles import ModelProfile

HEAD_START = 0.1
"""Seconds that the first request gets: asking about the model must not keep the person waiting."""
PATIENCE = 1.0
"""Seconds to wait for the answer at the end, if the reply was there before it."""


class FirstContact:
    """Wraps an adaptive model that nothing is known of yet. Implements `ports.Model`.

    What the server tells is known from the second request on, and kept for the next time.
    """

    def __init__(self, model: AdaptiveModel, read_metadata: Callable[[], Awaitable[ModelProfile]]) -> None:
        self._model = model
        self._read_metadata = read_metadata
        self._asking: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Wait a moment for what the server tells, if it was asked."""
        if self._asking is not None:
            await asyncio.wait([self._asking], timeout=PATIENCE)
            self._asking.cancel()

    async def _ask(self) -> None:
        await asyncio.sleep(HEAD_START)
        self._model.hear(await self._read_metadata())
