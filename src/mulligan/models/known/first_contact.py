"""The first contact of a command with a server: it is asked about the model while the first reply is awaited."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress

from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.profiles import ModelProfile

HEAD_START = 0.1
"""Seconds that the first request gets: asking about the model must not keep the person waiting."""
METADATA_SECONDS = 3.0
"""Seconds to wait for the answer, if the model's whole reply was there before it."""


class FirstContact:
    """Wraps an adaptive model. Implements `ports.Model`.

    Servers are restarted with another context, so they are asked each time. Where nothing is known of the model yet,
    the end of the first reply waits for the answer.
    """

    def __init__(
        self, model: AdaptiveModel, read_metadata: Callable[[], Awaitable[ModelProfile]], *, known: bool
    ) -> None:
        self._model = model
        self._read_metadata = read_metadata
        self._known = known
        self._asking: asyncio.Task[None] | None = None
        self._replied = asyncio.Event()

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                yield event
        self._replied.set()
        if not self._known:
            await asyncio.wait([self._asking], timeout=METADATA_SECONDS)

    async def learn_now(self) -> None:
        """Before anything is sent, where that depends on what the server tells."""
        self._replied.set()
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        await asyncio.wait([self._asking])

    async def aclose(self) -> None:
        if self._asking is not None:
            self._asking.cancel()

    async def _ask(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(HEAD_START):
                await self._replied.wait()
        self._model.learn(await self._read_metadata())
