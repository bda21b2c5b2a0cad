"""A streamed reply, read to its end: bytes of server-sent events in, the product's own events out."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol

from mulligan.models.sse import SseDecoder
from mulligan.types.model_io import ModelEvent

if TYPE_CHECKING:
    import httpx2

LINGER = 2.0
"""Seconds to wait for what may follow a finish reason: the usage, `[DONE]`, the end of the body."""


class ReadsPayloads(Protocol):
    """What one wire says, payload by payload."""

    finish_reason: str | None
    """Why the reply ended, once the server said so."""

    def read(self, payload: Any) -> Sequence[ModelEvent]: ...

    def close(self) -> Sequence[ModelEvent]:
        """The last events of a whole reply. Raises `ReplyCutOff` if the server never said that it is whole."""
        ...


async def read_events(response: "httpx2.Response", reader: ReadsPayloads) -> AsyncGenerator[ModelEvent]:
    """The events of the reply as they come. Raises what the reader raises."""
    decoder = SseDecoder()
    async with aclosing(response.aiter_bytes()) as body:
        while (chunk := await _next_chunk(body, ending=bool(reader.finish_reason) or decoder.done)) is not None:
            for payload in decoder.feed(chunk):
                for event in reader.read(payload):
                    yield event
    for payload in decoder.close():
        for event in reader.read(payload):
            yield event
    for event in reader.close():
        yield event


async def _next_chunk(body: AsyncIterator[bytes], *, ending: bool) -> bytes | None:
    """The next bytes, or None at the end. Once the reply is whole, neither silence nor a lost connection harms it."""
    if not ending:
        return await anext(body, None)
    import httpx2

    try:
        async with asyncio.timeout(LINGER):
            return await anext(body, None)
    except (TimeoutError, httpx2.HTTPError):
        return None
