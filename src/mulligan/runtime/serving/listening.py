"""Runs an application in uvicorn on a listening socket, until a signal ends it."""

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from ipaddress import ip_address

import uvicorn
from starlette.types import ASGIApp

from mulligan.runtime.serving.connections import WAITING, BoundedRequests, let_go_of_silent_readers, most_at_once
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import STOPS

SIGNALS_TO_FORCE_EXIT = 3
"""At this signal the process exits at once. The next process to start closes what it left open."""
SHUTDOWN_SECONDS = 3
"""Seconds that running requests have to finish at shutdown."""
TICK, TICKS_A_DAY = 0.1, 864_000
"""Seconds between uvicorn's checks of its own state, and how many it counts before it starts again at 0."""
MAX_MESSAGE_BYTES = 4096
"""Most bytes of a page's message over its WebSocket. Pages have nothing to send."""


@asynccontextmanager
async def serving(app: ASGIApp, listening: socket.socket) -> AsyncGenerator[asyncio.Task[None], None]:
    """Answer requests for as long as the context lasts; then running requests get a little time to finish."""
    server = _Server(_settings(app))
    answered = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield answered
    finally:
        server.end()
        await answered


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises `ConfigurationError` if that is not possible there."""
    listening = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        let_go_of_silent_readers(listening)
        listening.listen()
    except OSError as error:
        if listening:
            listening.close()
        if error.errno == errno.EADDRINUSE:
            words = f"port {port} of {host} is in use, perhaps by another server of ours; choose one with --port"
            raise ConfigurationError(words) from error
        raise ConfigurationError(f"can't listen on {host}, port {port}: {error.strerror}") from error
    return listening


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine can reach it."""
    return ip_address(listening.getsockname()[0]).is_loopback


def address(listening: socket.socket) -> str:
    """The URL for a browser on this machine."""
    host, port = listening.getsockname()[:2]
    ip = ip_address(host)
    if ip.is_unspecified:
        ip = ip_address("127.0.0.1" if ip.version == 4 else "::1")
    return f"http://{f'[{ip}]' if ip.version == 6 else ip}:{port}/"


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told_to_end = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._told_to_end.set()

    async def main_loop(self) -> None:
        """Like uvicorn's own, but it ends as soon as it is told to, not at the next tick."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks = (ticks + 1) % TICKS_A_DAY
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._told_to_end.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Restore the length of the socket's queue: uvicorn's `backlog`, which has to be short, sets this as well."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(WAITING)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals to the caller: what runs around the server has to end as well."""
        yield


def _settings(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        interface="asgi3",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        http=BoundedRequests,
        backlog=most_at_once(),
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE_BYTES,
        # Not worth it: deltas are small and clients are near.
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


@contextmanager
def ended_by_signals() -> Generator[asyncio.Future[None], None, None]:
    """A future that the first SIGINT or SIGTERM completes. While everything closes, a second one changes nothing, and
    the third ends the process."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    signals = 0

    def end() -> None:
        nonlocal signals
        signals += 1
        if signals >= SIGNALS_TO_FORCE_EXIT:
            os._exit(STOPS["aborted"].exit_code)
        if not ended.done():
            ended.set_result(None)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    try:
        yield ended
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


@contextmanager
def logged(log: Callable[..., None]) -> Generator[None, None, None]:
    """Send uvicorn's messages to our log, not to the user's terminal."""
    logger, handler = logging.getLogger("uvicorn"), _ToLog(log)
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = True


class _ToLog(logging.Handler):
    def __init__(self, log: Callable[..., None]) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self._log("http_server", level=record.levelname, message=record.getMessage(), error=error)
