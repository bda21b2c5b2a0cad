"""Listening, and uvicorn around an application, until a signal ends it."""

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
"""The signal at which the process ends at once; what it leaves open is closed by the next one that starts."""
SHUTDOWN_SECONDS = 3
"""Seconds for requests under way once the end was asked for."""
TICK, TICKS_A_DAY = 0.1, 864_000
"""Seconds between two looks of uvicorn at its own state, of which it counts so many."""
LONGEST_MESSAGE = 4096
"""Bytes from a page over its socket, where it has nothing to say."""


@asynccontextmanager
async def answering(app: ASGIApp, listening: socket.socket) -> AsyncGenerator[asyncio.Task[None], None]:
    """Requests are answered for as long as the context lasts; then those under way get a little time."""
    server = _Server(_settings(app))
    answered = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield answered
    finally:
        server.end()
        await answered


def listen(host: str, port: int) -> socket.socket:
    """Raises `ConfigurationError` if nothing can listen there."""
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
    """Only this machine can reach it."""
    return ip_address(listening.getsockname()[0]).is_loopback


def address(listening: socket.socket) -> str:
    """Where a browser on this machine finds it."""
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
        """As uvicorn's own, but it ends when it is told to, not at the next tick."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks = (ticks + 1) % TICKS_A_DAY
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._told_to_end.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As many may wait as before, though few are taken at once."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(WAITING)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Signals are taken by whoever serves: what is around the server has to end as well."""
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
        ws_max_size=LONGEST_MESSAGE,
        # Deltas are small and the way is short.
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


@contextmanager
def ended_by_signals() -> Generator[asyncio.Future[None], None, None]:
    """Done once the first has come. Until all is closed, others change nothing, and the last one ends the process."""
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
    """What uvicorn has to say goes to our log, not to the person's terminal."""
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
