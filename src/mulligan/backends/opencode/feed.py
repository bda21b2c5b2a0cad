"""The events of a folder, over one connection."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.backends.agent_process import LineSplitter
from mulligan.backends.opencode.api import OpencodeApi
from mulligan.runtime.lenient_json import parsed_object
from mulligan.types.tool_calls import JsonObject

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""The diff of a whole file may come in one event; a longer one is left out."""


class SseDecoder:
    """Turns the bytes of an event stream into the objects of its events."""

    def __init__(self) -> None:
        self._lines = LineSplitter(MAX_EVENT_BYTES)
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[JsonObject]:
        """The events that this chunk completes."""
        return [event for line in self._lines.take(chunk) if (event := self._take(line.rstrip(b"\r"))) is not None]

    def _take(self, line: bytes) -> JsonObject | None:
        if line:
            field, _, value = line.partition(b":")
            self._size += len(value)
            if field == b"data" and self._size <= MAX_EVENT_BYTES:
                self._data.append(value.removeprefix(b" "))
            return None
        data, self._data, self._size = b"\n".join(self._data), [], 0
        return parsed_object(data.decode(errors="replace"))


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
