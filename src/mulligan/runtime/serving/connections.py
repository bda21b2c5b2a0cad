"""Connections that somebody opens and then does nothing with must not keep others out.

A request has to come within a time, and whoever does not read an answer is let go. There are at most so many
connections that files and processes of turns still find descriptors; where one more comes, the one that has waited
longest for its request makes room.
"""

import asyncio
import resource
import socket
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""From the connection, or the answer before, to the end of the request's headers."""
BODY_SECONDS = 60.0
"""For the body, which may have a megabyte."""
READER_SECONDS = 60.0
"""For somebody to take what was sent to them."""
MOST = 1_000
"""Connections at most, however many descriptors there are."""
MOST_AT_ONCE = 64
"""Connections that are taken before the first of them is looked at."""
WAITING = 1_024
"""Connections that the system keeps until they are taken. They cost no descriptor."""

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 10\r\n\r\n"


def most_connections() -> int:
    """Half of the descriptors that this process may have: turns need the others."""
    return max(8, min(MOST, _descriptors() // 2))


def most_at_once() -> int:
    """It takes four rounds of the event loop until one that has to go is gone."""
    return max(2, min(MOST_AT_ONCE, _descriptors() // 16))


def let_go_of_silent_readers(listening: socket.socket) -> None:
    """For all connections that come by it. Where the system can't do it, only their number is bounded."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Also ends connections that are closed on our side and wait to send their last bytes.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(READER_SECONDS * 1000))


class BoundedRequests(H11Protocol):
    """uvicorn's protocol, with a deadline for what the client has yet to send."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._awaited: float | None = None
        """Seconds for what is awaited now, if anything is."""
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
        """Pages that stay take half of all connections at most: requests always find one."""
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
        """When the client must have sent what it has not sent yet; None if it owes nothing."""
        return self._deadline.when() if self._deadline else None

    def _set_deadline(self) -> None:
        """Only where something else is awaited than before: single bytes gain no time."""
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
