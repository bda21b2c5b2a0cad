"""The events of a folder, over one connection."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.backends.opencode.api import OpencodeApi
from mulligan.backends.opencode.sse import SseDecoder
from mulligan.types.tool_calls import JsonObject


class EventFeed:
    """A stream of events that is open. `open_feed` makes one."""

    def __init__(self, body: AsyncIterator[bytes]) -> None:
        self._body = body
        self._decoder = SseDecoder()
        self._events: deque[JsonObject] = deque()

    async def next(self) -> JsonObject | None:
        """The next event; None if the connection ended, broke, or was quiet for too long."""
        import httpx2

        while not self._events:
            try:
                self._events.extend(self._decoder.feed(await anext(self._body)))
            except (StopAsyncIteration, httpx2.HTTPError, httpx2.StreamError):
                return None
        return self._events.popleft()


@asynccontextmanager
async def open_feed(api: OpencodeApi, folder: Path) -> AsyncGenerator[EventFeed]:
    """From now on no event of the folder is missed. Raises `BackendError`."""
    async with api.events(folder) as response:
        feed = EventFeed(response.aiter_bytes())
        # Its first event says that it listens to the others.
        await feed.next()
        yield feed
