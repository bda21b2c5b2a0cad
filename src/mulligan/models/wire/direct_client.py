"""HTTP/1.1 for servers that need neither encryption nor a proxy, such as local ones.

httpx2 takes 100 ms to import, a third of the time from the command to the first request; asyncio, which is imported
anyway, and h11 take 6.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import cast
from urllib.parse import quote, urlsplit

import h11

from mulligan.models.wire.http_exchange import (
    CannotSend,
    ConnectFailed,
    ConnectTimedOut,
    Headers,
    HttpFailed,
    SendTimedOut,
)

KEEP_ALIVE = 60.0
"""Seconds to keep a connection: the tools of a step often take a while."""
MAX_IDLE_CONNECTIONS = 16
"""Most idle connections."""
MAX_UNREAD_BYTES = 256 * 1024
"""Bytes that a server may be ahead of the reader."""
MAX_HEAD_BYTES = 100 * 1024
SECOND_ADDRESS_AFTER = 0.25
"""Seconds until the next address of a host is tried in parallel: `localhost` has two."""
_PATH_CHARS = "/%:@!$&'()*+,;=~?"

Keep = Callable[["_Connection"], None]
"""What is done with a connection that can be reused."""


class DirectClient:
    """Connections to one server. Implements `HttpClient`."""

    def __init__(self, *, connect_timeout: float, send_timeout: float) -> None:
        self._connect_timeout = connect_timeout
        self._send_timeout = send_timeout
        self._kept: deque[tuple[float, _Connection]] = deque(maxlen=MAX_IDLE_CONNECTIONS)

    async def send(self, method: str, url: str, headers: Headers, body: bytes | None) -> "DirectResponse":
        parts = urlsplit(url)
        target = quote(parts.path or "/", safe=_PATH_CHARS) + (f"?{parts.query}" if parts.query else "")
        length = {} if body is None else {"content-length": str(len(body))}
        sent = {"host": parts.netloc, "accept": "*/*", **headers, **length}
        try:
            head = h11.Request(method=method, target=target, headers=list(sent.items()))
        except (h11.LocalProtocolError, UnicodeError) as error:
            raise CannotSend(str(error)) from error
        connection = self._take() or await self._connect(parts.hostname or "", parts.port or 80)
        try:
            async with asyncio.timeout(self._send_timeout):
                await connection.send(head, body or b"")
        except TimeoutError as error:
            connection.close()
            raise SendTimedOut from error
        except BaseException:
            connection.close()
            raise
        return await DirectResponse.begun(connection, self._keep)

    async def aclose(self) -> None:
        for _, connection in self._kept:
            connection.close()
        self._kept.clear()
        await asyncio.sleep(0)  # only then the event loop releases them

    async def _connect(self, host: str, port: int) -> "_Connection":
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_timeout):
                _, connection = await loop.create_connection(
                    _Connection, host, port, happy_eyeballs_delay=SECOND_ADDRESS_AFTER
                )
        except TimeoutError as error:
            raise ConnectTimedOut from error
        except (OSError, UnicodeError) as error:
            raise ConnectFailed(str(error)) from error
        return connection

    def _take(self) -> "_Connection | None":
        """The last used connection that the server has neither closed nor sent anything on since."""
        while self._kept:
            since, connection = self._kept.pop()
            if connection.is_silent and time.monotonic() - since < KEEP_ALIVE:
                return connection
            connection.close()
        return None

    def _keep(self, connection: "_Connection") -> None:
        if len(self._kept) == MAX_IDLE_CONNECTIONS:
            self._kept.popleft()[1].close()
        self._kept.append((time.monotonic(), connection))


class DirectResponse:
    """A response whose head has arrived. Implements `HttpResponse`."""

    def __init__(self, connection: "_Connection", head: h11.Response, keep: Keep) -> None:
        self._connection: _Connection | None = connection
        self._keep = keep
        self.status_code = head.status_code
        self.headers: dict[str, str] = {}
        for name, value in head.headers:
            known, text = name.decode("ascii").lower(), value.decode("latin-1")
            self.headers[known] = f"{self.headers[known]}, {text}" if known in self.headers else text

    @classmethod
    async def begun(cls, connection: "_Connection", keep: Keep) -> "DirectResponse":
        """Wait for the head. Cancelling it leaves no connection behind."""
        try:
            event = await connection.next_event()
            while isinstance(event, h11.InformationalResponse):
                event = await connection.next_event()
        except BaseException:
            connection.close()
            raise
        if isinstance(event, h11.Response):
            return cls(connection, event, keep)
        connection.close()
        raise HttpFailed("it closed the connection without an answer")

    async def aiter_raw(self) -> AsyncGenerator[bytes]:
        while self._connection:
            event = await self._connection.next_event()
            if isinstance(event, h11.Data):
                yield bytes(event.data)
                continue
            connection, self._connection = self._connection, None
            if isinstance(event, h11.EndOfMessage) and connection.is_reusable():
                self._keep(connection)
            else:
                connection.close()

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            connection.close()


class _Connection(asyncio.Protocol):
    """A socket, and the state of its conversation."""

    def __init__(self) -> None:
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._transport: asyncio.Transport | None = None
        self._unread: deque[bytes] = deque()
        self._unread_bytes = 0
        self._ended = False
        self._error: Exception | None = None
        self._news = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._unread.append(data)
        self._unread_bytes += len(data)
        if self._unread_bytes > MAX_UNREAD_BYTES and self._transport:
            self._transport.pause_reading()
        self._news.set()

    def eof_received(self) -> None:
        self._ended = True
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended, self._error = True, exc
        self._news.set()
        self._writable.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # Called by the client.

    @property
    def is_silent(self) -> bool:
        """The server waits for a request."""
        return not self._ended and not self._unread

    async def send(self, head: h11.Request, body: bytes) -> None:
        """Returns early if the server has closed the connection: it may have said why."""
        data = [self._http.send(head), self._http.send(h11.Data(data=body)) if body else b""]
        data.append(self._http.send(h11.EndOfMessage()))
        if self._transport:
            self._transport.write(b"".join(each for each in data if each))
        await self._writable.wait()

    async def next_event(self) -> object:
        """Raises `HttpFailed`."""
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(await self._read())
        except h11.RemoteProtocolError as error:
            raise HttpFailed(str(error)) from error
        return event

    def is_reusable(self) -> bool:
        """Whether the server would answer another request here. Prepares the connection for it."""
        both_done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if not both_done or not self.is_silent or self._http.trailing_data[0]:
            return False
        self._http.start_next_cycle()
        return True

    def close(self) -> None:
        if self._transport:
            self._transport.abort()

    async def _read(self) -> bytes:
        """The next bytes, or none at the end."""
        while not self._unread and not self._ended:
            self._news.clear()
            await self._news.wait()
        if self._unread:
            data = self._unread.popleft()
            self._unread_bytes -= len(data)
            if self._unread_bytes <= MAX_UNREAD_BYTES and self._transport and not self._ended:
                self._transport.resume_reading()
            return data
        if self._error:
            raise HttpFailed(str(self._error)) from self._error
        return b""
