"""A command's first contact with a server: asks about the model in parallel with the first reply."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress

from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.profiles import ModelProfile

HEAD_START = 0.1
"""Head start of the first request, in seconds: asking about the model must not keep the user waiting."""
METADATA_SECONDS = 3.0
"""Seconds to wait for the answer if the model's whole reply arrived first."""


class FirstContact:
    """Wraps an adaptive model. Implements `ports.Model`.

    Servers are restarted with other contexts, so they are asked each time. If nothing is known about the model yet, the
    end of the first reply waits for the answer.
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
        """Wait for the server's answer before anything is sent, for requests that depend on it."""
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
