"""Reads a streamed reply to its end: bytes of server-sent events in, our own events out."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, closing
from typing import Any, Protocol

from mulligan.core.waiting import WaitLimits
from mulligan.models.wire.http_client import ModelServer, require_success
from mulligan.models.wire.http_exchange import HttpFailed, HttpResponse
from mulligan.models.wire.server_errors import Endpoint, stalled
from mulligan.runtime.awake_timeout import StallWatch
from mulligan.runtime.sse import MAX_EVENT_BYTES, SseDecoder
from mulligan.types.errors import ReplyCutOff
from mulligan.types.model_io import ModelEvent, PromptProgress

LINGER = 2.0
"""Total seconds to wait for what may follow a finish reason: the usage, `[DONE]`, the end of the body."""
MAX_CHATTER_BYTES = 2 * MAX_EVENT_BYTES
"""Most bytes without any text of the reply. An overlong event is reported first."""
MAX_STREAM_BYTES = 256 * 1024 * 1024
"""A chunk takes about 300 bytes: the longest reply we accept comes to 80 MB, at one token per chunk."""


class ReadsPayloads(Protocol):
    """Parses one protocol, payload by payload."""

    @property
    def finish_reason(self) -> str | None:
        """Why the reply ended, once the server said so."""
        ...

    @property
    def moved(self) -> bool:
        """The last payload advanced the reply: text, a part of a call, its end, a count, prompt progress."""
        ...

    def read(self, payload: Any) -> Sequence[ModelEvent]: ...

    def close(self) -> Sequence[ModelEvent]:
        """The last events of a whole reply. Raises `ReplyCutOff` if the server never said that it is complete."""
        ...


async def post(
    server: ModelServer, endpoint: Endpoint, body: bytes, reader: ReadsPayloads, limits: WaitLimits
) -> AsyncGenerator[ModelEvent]:
    """Send a request and yield the events of its reply as they arrive. Closing the generator closes the connection."""
    with server.translating(endpoint):
        response = await server.send("POST", endpoint, body, limit=limits.first)
        try:
            await require_success(response, endpoint)
            async with aclosing(read_events(response, reader, endpoint, limits)) as events:
                async for event in events:
                    yield event
        finally:
            await response.aclose()


async def read_events(
    response: HttpResponse, reader: ReadsPayloads, endpoint: Endpoint, limits: WaitLimits
) -> AsyncGenerator[ModelEvent]:
    """The events of the reply as they arrive. Raises what the reader raises, and `ModelError` if nothing more comes."""
    decoder = SseDecoder()
    async with aclosing(response.aiter_raw()) as chunks:
        with closing(ReplyBytes(chunks, endpoint, limits)) as body:
            while (chunk := await body.next(ending=bool(reader.finish_reason) or decoder.done)) is not None:
                for payload in decoder.feed(chunk):
                    events = read_payload(reader, payload)
                    body.note_progress(
                        moved=reader.moved, words=any(not isinstance(event, PromptProgress) for event in events)
                    )
                    for event in events:
                        yield event
    for payload in decoder.close():
        for event in read_payload(reader, payload):
            yield event
    for event in reader.close():
        yield event


def read_payload(reader: ReadsPayloads, payload: Any) -> Sequence[ModelEvent]:
    try:
        return reader.read(payload)
    except RecursionError as error:  # it could just be parsed, but is too deep to serialize
        raise ReplyCutOff("The model server sent an event that is nested too deep.") from error


class ReplyBytes:
    """The bytes of a reply, as long as the reply advances.

    Comments and empty chunks show that the server is alive, not that the reply will ever come: the time counts from
    what last advanced the reply, including prompt progress. Only time spent waiting here counts, not what others did
    meanwhile.
    """

    def __init__(self, chunks: AsyncIterator[bytes], endpoint: Endpoint, limits: WaitLimits) -> None:
        self._chunks = chunks
        self._endpoint = endpoint
        self._limits = limits
        self._limit = limits.first
        self._watch = StallWatch(self._limit.seconds)
        """Seconds since the reply last advanced; once it is complete, since then."""
        self._ending = False
        self._total = 0
        self._moved_at = 0
        self._words_at = 0
        """Bytes received when the reply last advanced, and when it last had text."""

    def note_progress(self, *, moved: bool, words: bool) -> None:
        if words:
            self._limit = self._limits.next
            self._words_at = self._total
        if moved and not self._ending:
            self._watch.restart(self._limit.seconds)
            self._moved_at = self._total

    def close(self) -> None:
        self._watch.close()

    async def next(self, *, ending: bool) -> bytes | None:
        """The next bytes, or None at the end. Once the reply is complete, neither silence nor a lost connection
        matters.

        Raises `ModelUnreachable` and `ReplyCutOff`.
        """
        if ending and not self._ending:
            self._ending = True
            self._watch.restart(LINGER)
        try:
            chunk = await self._watch.wait(anext(self._chunks, None))
        except TimeoutError as error:
            if ending:
                return None
            raise stalled(self._endpoint, self._limit, signs_of_life=self._total > self._moved_at) from error
        except HttpFailed:
            if ending:
                return None
            raise
        self._total += len(chunk or b"")
        if self._total - self._words_at > MAX_CHATTER_BYTES or self._total > MAX_STREAM_BYTES:
            if not ending:
                raise ReplyCutOff(
                    f"The model server sent {self._total // 1024 // 1024} MB, "
                    f"the last {(self._total - self._words_at) // 1024 // 1024} MB without a word of its reply."
                )
            return None
        return chunk
