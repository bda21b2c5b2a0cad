"""The part of HTTP/1.1 that the scripted server needs: small, and exact about when a client disconnects."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

MAX_HEAD = 64 * 1024
MAX_BODY = 256 * 1024 * 1024
LAST_CHUNK = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    method: str
    path: str
    """Without the query."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def keep_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


class BadRequest(Exception):
    """Not a request that this server accepts."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


def take_request(received: bytearray) -> HttpRequest | None:
    """Cut one complete request off the front of the buffer; None if more must come. Raises `BadRequest`."""
    head_end = received.find(b"\r\n\r\n")
    if max(head_end, len(received) if head_end < 0 else 0) > MAX_HEAD:
        raise BadRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
    if head_end < 0:
        return None
    request_line, *header_lines = received[:head_end].decode("latin-1").split("\r\n")
    headers = _headers(header_lines)
    length = _body_length(headers)
    body_start = head_end + 4
    if len(received) < body_start + length:
        return None
    method, target = _request_line(request_line)
    request = HttpRequest(method, target.partition("?")[0], headers, bytes(received[body_start : body_start + length]))
    del received[: body_start + length]
    return request


def response_head(status: int, headers: Mapping[str, str]) -> bytes:
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def json_response(status: int, payload: Any) -> bytes:
    return text_response(status, json.dumps(payload), "application/json")


def text_response(status: int, text: str, media_type: str = "text/plain") -> bytes:
    body = text.encode()
    return response_head(status, {"Content-Type": media_type, "Content-Length": str(len(body))}) + body


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body, framed so that it goes out in a single write."""
    return b"%x\r\n%s\r\n" % (len(data), data)


class Connection(asyncio.Protocol):
    """One client. Its requests are answered one after the other; asyncio sets TCP_NODELAY."""

    def __init__(
        self, answer: "Callable[[HttpRequest, Connection], Awaitable[None]]", peers: "set[Connection]"
    ) -> None:
        self._answer = answer
        self._peers = peers
        self._received = bytearray()
        self._gone = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._transport: asyncio.Transport | None = None
        self.task: asyncio.Task[None] | None = None
        """The request that is being answered."""

    @property
    def gone(self) -> bool:
        return self._gone.is_set()

    def send(self, data: bytes) -> None:
        # A failed write closes the transport immediately, but `connection_lost` comes later.
        if self._transport is not None and not self.gone and not self._transport.is_closing():
            self._transport.write(data)

    async def wait(self, seconds: float | None) -> None:
        """Wait, but no longer than the client stays; without a number, until it disconnects."""
        try:
            async with asyncio.timeout(seconds):
                await self._gone.wait()
        except TimeoutError:
            pass

    async def wait_until_writable(self) -> None:
        """Wait until the client has received most of what was sent, or has disconnected."""
        await asyncio.sleep(0)
        await self._has_room.wait()

    def close(self) -> None:
        """Close after everything is sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._peers.add(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._answer_next()

    def pause_writing(self) -> None:
        self._has_room.clear()

    def resume_writing(self) -> None:
        self._has_room.set()

    def eof_received(self) -> None:
        self._gone.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the signature is asyncio's
        self._gone.set()
        self._has_room.set()
        self._peers.discard(self)

    def _answer_next(self) -> None:
        if self.task is not None or self.gone:
            return
        try:
            request = take_request(self._received)
        except BadRequest as error:
            self.send(json_response(error.status, {"error": {"message": str(error)}}))
            self.close()
            return
        if request is not None:
            self.task = asyncio.get_running_loop().create_task(self._run(request))

    async def _run(self, request: HttpRequest) -> None:
        try:
            await self._answer(request, self)
        finally:
            self.task = None
            if not request.keep_alive:
                self.close()
        self._answer_next()


def _request_line(line: str) -> tuple[str, str]:
    match line.split(" "):
        case [method, target, "HTTP/1.1"]:
            return method, target
        case [_, _, version] if version.startswith("HTTP/"):
            raise BadRequest(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
        case _:
            raise BadRequest(HTTPStatus.BAD_REQUEST)


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise BadRequest(HTTPStatus.BAD_REQUEST)
        headers[name.lower()] = value.strip()
    return headers


def _body_length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise BadRequest(HTTPStatus.LENGTH_REQUIRED)
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()):
        raise BadRequest(HTTPStatus.BAD_REQUEST)
    if int(length) > MAX_BODY:
        raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return int(length)
