"""A streamed reply in chunks that keep their bytes, so that unchanged ones are forwarded as they came."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Any

from mulligan.core.waiting import WaitLimits
from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.event_stream import ReplyBytes, read_payload
from mulligan.models.wire.http_client import ModelServer, is_success, media_type, read_refusal
from mulligan.models.wire.http_exchange import HttpResponse
from mulligan.models.wire.server_errors import Endpoint
from mulligan.runtime.sse import MAX_EVENT_BYTES, SseDecoder
from mulligan.types.errors import ModelError, ReplyCutOff
from mulligan.types.model_io import ModelEvent, PromptProgress


@dataclass(frozen=True, slots=True)
class StreamChunk:
    """An event of the stream, or a whole reply."""

    events: list[ModelEvent]
    raw: bytes | None = None
    """None: it did not come over this API, and must be written."""
    payloads: list[Any] = field(default_factory=list[Any])
    finish: str | None = None
    """Why the reply ended, once known."""
    holds: bool = False
    """A part of its text is not in the events yet: it may be the start of a thinking marker."""
    split: bool = False
    """Thinking was found in the text of the reply."""
    done: bool = False
    """The stream said that it is over."""


class Refusal(ModelError):
    """The server returned a status other than 200. By default, its response is forwarded unchanged."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"the server answered {status}")
        self.status = status
        self.headers = headers
        self.body = body


class EventSplitter:
    """Bytes in, events with their own bytes out, however the chunks are split."""

    def __init__(self) -> None:
        self._decoder = SseDecoder()
        self._line = bytearray()
        self._raw = bytearray()
        self._values: list[Any] = []

    @property
    def done(self) -> bool:
        return self._decoder.done

    def feed(self, chunk: bytes) -> list[tuple[bytes, list[Any]]]:
        """Raises `ReplyCutOff` for a broken or endless event."""
        found: list[tuple[bytes, list[Any]]] = []
        self._line += chunk
        if len(self._line) + len(self._raw) > MAX_EVENT_BYTES:
            raise ReplyCutOff("The model server sent an event that is too long.")
        while (end := self._line.find(b"\n")) >= 0:
            line = bytes(self._line[: end + 1])
            del self._line[: end + 1]
            if self._values and line.startswith(b"data:"):  # no blank line after the event before
                found.append(self._take())
            self._raw += line
            self._values += self._decoder.feed(line)
            if not line.strip():
                found.append(self._take())
        return found

    def close(self) -> list[tuple[bytes, list[Any]]]:
        self._raw += self._line
        self._values += self._decoder.feed(bytes(self._line))
        self._values += self._decoder.close()
        self._line.clear()
        return [self._take()] if self._raw else []

    def _take(self) -> tuple[bytes, list[Any]]:
        taken = bytes(self._raw), self._values
        self._raw, self._values = bytearray(), []
        return taken


async def raw_chunks(
    server: ModelServer, endpoint: Endpoint, body: bytes, headers: Mapping[str, str], limits: WaitLimits
) -> AsyncGenerator[StreamChunk]:
    """Send a request and yield its reply as it arrives. Raises `Refusal` and every other `ModelError`."""
    with server.translating(endpoint):
        response = await server.send("POST", endpoint, body, limit=limits.first, headers=headers)
        try:
            if not is_success(response):
                raise Refusal(response.status_code, response.headers, await read_refusal(response))
            whole = media_type(response) == "application/json"
            chunks = _whole(server, response, endpoint) if whole else _live(response, endpoint, limits)
            async with aclosing(chunks):
                async for chunk in chunks:
                    yield chunk
        finally:
            await response.aclose()


async def _whole(server: ModelServer, response: HttpResponse, endpoint: Endpoint) -> AsyncGenerator[StreamChunk]:
    raw = await server.read_body(response, endpoint)
    reader = ReplyReader(endpoint)
    try:
        payload = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ReplyCutOff(f"The answer of {endpoint.shown} is not whole JSON.") from error
    events = [*read_payload(reader, payload), *reader.thinking.close()]
    yield StreamChunk(events, raw, [payload], reader.finish_reason or "stop", split=reader.thinking.opened, done=True)


async def _live(response: HttpResponse, endpoint: Endpoint, limits: WaitLimits) -> AsyncGenerator[StreamChunk]:
    splitter, reader = EventSplitter(), ReplyReader(endpoint)
    async with aclosing(response.aiter_raw()) as chunks:
        with closing(ReplyBytes(chunks, endpoint, limits)) as body:
            while (chunk := await body.next(ending=bool(reader.finish_reason) or splitter.done)) is not None:
                for raw, values in splitter.feed(chunk):
                    parsed = read_chunk(raw, values, reader, done=splitter.done)
                    has_output = any(not isinstance(event, PromptProgress) for event in parsed.events)
                    body.note_progress(moved=reader.moved or bool(parsed.events), words=has_output)
                    yield parsed
    for raw, values in splitter.close():
        yield read_chunk(raw, values, reader, done=splitter.done)
    if reader.finish_reason is None and not splitter.done:
        raise ReplyCutOff(f"The reply of {endpoint.model or 'the model'} ended before it was whole.")


def read_chunk(raw: bytes, values: list[Any], reader: ReplyReader, *, done: bool) -> StreamChunk:
    """What an event says. `done`: the stream has said that it is over."""
    events = [event for value in values for event in read_payload(reader, value)]
    finish = reader.finish_reason or ("stop" if done else None)
    if finish:
        events += reader.thinking.close()
    return StreamChunk(events, raw, values, finish, reader.thinking.holds, reader.thinking.opened, done)
