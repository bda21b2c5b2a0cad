"""How a process is started: by the event loop, or by a thread that confines itself first."""

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from mulligan.types.frozen import frozen

STDOUT, STDERR = 1, 2

ProtocolType = TypeVar("ProtocolType", bound=asyncio.SubprocessProtocol)


@frozen
class Launch:
    """A process to start in its own session."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()
    confine: Callable[[], None] | None = None
    """Confines the calling thread, and so the process that the thread starts. May raise `OSError`."""
    stdin: int = subprocess.DEVNULL
    """File descriptor to read from; no input by default."""
    ends_with_us: bool = False
    """Whether the kernel ends it and everything that it started when it exits or Mulligan does."""


async def spawn(
    launch: Launch, protocol: Callable[[], ProtocolType]
) -> tuple[asyncio.SubprocessTransport, ProtocolType]:
    """Raises `OSError` or `ValueError` if it can't be started."""
    loop = asyncio.get_running_loop()
    if launch.confine:
        return await _spawn_confined(launch, protocol, launch.confine)
    return await loop.subprocess_exec(
        protocol,
        *launch.argv,
        cwd=launch.cwd,
        env=launch.env,
        stdin=launch.stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        pass_fds=launch.pass_fds,
    )


async def _spawn_confined(
    launch: Launch, make_protocol: Callable[[], ProtocolType], confine: Callable[[], None]
) -> tuple[asyncio.SubprocessTransport, ProtocolType]:
    loop = asyncio.get_running_loop()
    started: asyncio.Future[subprocess.Popen[bytes]] = loop.create_future()

    def work() -> None:
        try:
            confine()
            process = subprocess.Popen(  # noqa: S603  the caller has judged it
                launch.argv,
                cwd=launch.cwd,
                env=launch.env,
                stdin=launch.stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=launch.pass_fds,
                bufsize=0,
            )
        except BaseException as error:  # noqa: BLE001  it is raised where the thread is awaited
            loop.call_soon_threadsafe(started.set_exception, error)
        else:
            loop.call_soon_threadsafe(started.set_result, process)

    threading.Thread(target=work, name="confined", daemon=True).start()
    try:
        process = await asyncio.shield(started)
    except asyncio.CancelledError:
        started.add_done_callback(_end)  # the thread can't be stopped, and nobody would own the process
        raise
    protocol = make_protocol()
    transport = _ConfinedTransport(process, protocol)
    await transport.connect()
    return transport, protocol


def _end(started: "asyncio.Future[subprocess.Popen[bytes]]") -> None:
    if not started.cancelled() and not started.exception():
        with suppress(ProcessLookupError):
            os.killpg(started.result().pid, signal.SIGKILL)
        started.result().wait()


class _ConfinedTransport(asyncio.SubprocessTransport):
    """The transport of a process started by a thread, like that of one started by the event loop."""

    def __init__(self, process: subprocess.Popen[bytes], protocol: asyncio.SubprocessProtocol) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._process = process
        self._protocol = protocol
        self._open_pipes = {STDOUT, STDERR}
        self._pipes: list[asyncio.ReadTransport] = []
        self._watched = os.pidfd_open(process.pid)
        self._exited = False
        self._lost = False

    async def connect(self) -> None:
        self._protocol.connection_made(self)
        for number, pipe in ((STDOUT, self._process.stdout), (STDERR, self._process.stderr)):
            transport, _ = await self._loop.connect_read_pipe(lambda number=number: _Pipe(self, number), pipe)
            self._pipes.append(transport)
        self._loop.add_reader(self._watched, self._on_exit)

    def get_pid(self) -> int:
        return self._process.pid

    def get_returncode(self) -> int | None:
        return self._process.returncode

    def close(self) -> None:
        for pipe in self._pipes:
            pipe.close()
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    def received(self, number: int, data: bytes) -> None:
        self._protocol.pipe_data_received(number, data)

    def pipe_lost(self, number: int, error: Exception | None) -> None:
        self._open_pipes.discard(number)
        self._protocol.pipe_connection_lost(number, error)
        self._finish()

    def _on_exit(self) -> None:
        self._loop.remove_reader(self._watched)
        os.close(self._watched)
        self._process.wait()
        self._exited = True
        self._protocol.process_exited()
        self._finish()

    def _finish(self) -> None:
        if self._exited and not self._open_pipes and not self._lost:
            self._lost = True
            self._protocol.connection_lost(None)


class _Pipe(asyncio.Protocol):
    def __init__(self, owner: _ConfinedTransport, number: int) -> None:
        self._owner = owner
        self._number = number

    def data_received(self, data: bytes) -> None:
        self._owner.received(self._number, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.pipe_lost(self._number, exc)
