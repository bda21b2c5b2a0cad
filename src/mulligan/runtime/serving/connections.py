"""Limits on connections, so that idle ones don't keep other clients out.

A request has to arrive in time, and clients that don't read their answer are disconnected. The number of connections is
limited so that turns have enough descriptors for files and processes. For a connection over the limit, the one that has
waited longest for its request is closed.
"""

import asyncio
import resource
import socket
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""From the connection, or from the previous answer, to the end of the request's headers."""
BODY_SECONDS = 60.0
"""For the body, which may have a megabyte."""
READER_SECONDS = 60.0
"""For a client to read what was sent to it."""
MAX_CONNECTIONS = 1_000
"""Most connections, however many descriptors there are."""
MAX_CONNECTION_BACKLOG = 64
"""Most connections to accept before the first of them is handled."""
WAITING = 1_024
"""Connections that the system queues until they are accepted. They cost no descriptor."""

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 10\r\n\r\n"


def most_connections() -> int:
    """Half of the descriptors that this process may have: turns need the other half."""
    return max(8, min(MAX_CONNECTIONS, _descriptors() // 2))


def most_at_once() -> int:
    """A 16th of the descriptors: a connection that has to go keeps its own for four rounds of the event loop."""
    return max(2, min(MAX_CONNECTION_BACKLOG, _descriptors() // 16))


def let_go_of_silent_readers(listening: socket.socket) -> None:
    """Disconnect clients of this socket that don't read. If the system can't do that, only their number is limited."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Also ends connections that we have closed and that still have bytes to send.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(READER_SECONDS * 1000))


class BoundedRequests(H11Protocol):
    """uvicorn's protocol, with a deadline for what the client still has to send."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._awaited: float | None = None
        """The time limit in seconds for what the client has to send now, if anything."""
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  as in uvicorn
        super().connection_made(transport)
        if len(self.connections) > most_connections() and not self._make_room():
            self._refuse()
        else:
            self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._await(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._set_deadline()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._set_deadline()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Open pages may take at most half of all connections, so that requests always find one."""
        self._await(None)
        staying = sum(not isinstance(each, BoundedRequests) for each in self.connections)
        if staying < most_connections() // 2:
            super().handle_websocket_upgrade(event)
        else:
            self._refuse()

    def give_up(self) -> None:
        self._await(None)
        self.transport.abort()

    def waits_until(self) -> float | None:
        """The deadline for what the client still has to send; None if it has nothing to send."""
        return self._deadline.when() if self._deadline else None

    def _set_deadline(self) -> None:
        """Restarts only if something else is awaited than before, so that sending single bytes gains no time."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._await(None)
        elif self.conn.their_state is h11.IDLE:
            self._await(HEAD_SECONDS)
        else:
            self._await(BODY_SECONDS if self.conn.their_state is h11.SEND_BODY else None)

    def _await(self, seconds: float | None) -> None:
        if seconds == self._awaited:
            return
        if self._deadline:
            self._deadline.cancel()
        self._awaited = seconds
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self.give_up)

    def _make_room(self) -> bool:
        waiting = [
            (until, each)
            for each in self.connections
            if isinstance(each, BoundedRequests) and (until := each.waits_until()) is not None
        ]
        if not waiting:
            return False
        min(waiting, key=lambda pair: pair[0])[1].give_up()
        return True

    def _refuse(self) -> None:
        self.transport.write(_BUSY)
        self.transport.close()


def _descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft
