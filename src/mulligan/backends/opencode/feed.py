"""The events of a folder, over one connection."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.backends.opencode.api import OpencodeApi
from mulligan.runtime.lenient_json import as_objects
from mulligan.runtime.sse import SseDecoder
from mulligan.types.errors import ReplyCutOff
from mulligan.types.tool_calls import JsonObject

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""The diff of a whole file may come in one event. A longer one ends the connection: it is reopened, and what was missed
is requested."""


class EventFeed:
    """An open event stream. `open_feed` makes one."""

    def __init__(self, body: AsyncIterator[bytes]) -> None:
        self._body = body
        self._decoder = SseDecoder(MAX_EVENT_BYTES)
        self._events: deque[JsonObject] = deque()

    async def next(self) -> JsonObject | None:
        """The next event; None if the connection ended, broke, or was quiet for too long."""
        import httpx2

        while not self._events:
            try:
                self._events.extend(as_objects(self._decoder.feed(await anext(self._body))))
            except (StopAsyncIteration, ReplyCutOff, httpx2.HTTPError, httpx2.StreamError):
                return None
        return self._events.popleft()


@asynccontextmanager
async def open_feed(api: OpencodeApi, folder: Path) -> AsyncGenerator[EventFeed]:
    """From now on no event of the folder is missed. Raises `BackendError`."""
    async with api.events(folder) as response:
        feed = EventFeed(response.aiter_bytes())
        # Its first event says that it is subscribed.
        await feed.next()
        yield feed
