"""Runs commands to their end: argument lists, a time limit, a cap on output, and nothing left running."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen
from mulligan.workspace.spawning import STDERR, STDOUT, Launch, spawn
from mulligan.workspace.watchdog import MARK, CommandWatchdog, end_marked

REAP_SECONDS = 5.0
"""How long to wait for a killed process to be gone. Only one stuck in the kernel takes this long."""
DRAIN_SECONDS = 1.0
"""How long the pipes may stay open after the exit. Only a process that left its group and is not marked keeps them open
longer; it is ignored, and its output is not awaited."""
HEAD_SHARE = 0.4
"""Share of the kept output for its beginning. The larger rest is for its end, where errors are."""

OnLine = Callable[[bytes], None]


@frozen
class ProcessEnd:
    how: Literal["exited", "timed_out", "flooded"]
    """`flooded`: it wrote more than the cap and was stopped."""
    code: int | None
    """The exit code, negative for a signal; none if it was stopped."""
    stdout: bytes
    """Empty if `on_line` received the lines."""
    stderr: bytes


class OutputKeeper:
    """Keeps the beginning and the end of a possibly endless output."""

    def __init__(self, cap: int) -> None:
        self._head_size = int(cap * HEAD_SHARE)
        self._tail_size = cap - self._head_size
        self.head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def take(self, data: bytes) -> None:
        self._total += len(data)
        missing = self._head_size - len(self.head)
        self.head += data[:missing]
        self._tail += data[missing:]
        # Twice the size, so that not every piece moves the whole tail.
        if len(self._tail) > 2 * self._tail_size:
            del self._tail[: -self._tail_size]

    @property
    def tail(self) -> bytes:
        return bytes(self._tail[-self._tail_size :])

    def text(self, most: int) -> str:
        """The kept output, without its middle if it is longer than `most`."""
        data = bytes(self.head) + self.tail
        half = most // 2
        return (data if len(data) <= most else data[:half] + b"\n" + data[-half:]).decode("utf-8", "replace")

    @property
    def left_out(self) -> int:
        """Bytes between head and tail."""
        return self._total - len(self.head) - len(self.tail)


@frozen
class KeptEnd:
    """The end of a process, with part of its output."""

    timed_out: bool
    code: int | None
    """As in `ProcessEnd`."""
    stdout: OutputKeeper
    stderr: OutputKeeper


async def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    time_limit: float,
    output_cap: int,
    on_line: OnLine | None = None,
) -> ProcessEnd:
    """Run a command in a process group of its own, which is gone when this returns, raises or is cancelled.

    `on_line` gets each line of the standard output, without its newline, as it comes, and must not raise. Raises
    `CallRejected` if the command can't be started.
    """
    output = _Output(output_cap, on_line)
    timed_out, code = await _run(Launch(argv, cwd, env), output, time_limit=time_limit, grace=0)
    return ProcessEnd(
        how="timed_out" if timed_out else "flooded" if output.flooded else "exited",
        code=None if timed_out or output.flooded else code,
        stdout=bytes(output.stdout),
        stderr=bytes(output.stderr),
    )


async def run_kept(
    launch: Launch,
    *,
    time_limit: float,
    keep: int,
    grace: float,
    while_running: "WhileRunning | None" = None,
    ask_to_end: "Callable[[int], None] | None" = None,
) -> KeptEnd:
    """Run a command as `run_process` does, but without a limit on its output: `keep` bytes of each stream are kept.

    At the time limit it is asked to end, and has `grace` seconds for that. Everything that it started is gone
    afterwards, including what left its process group (if there is a `/proc` to find it), and also if this process is
    killed meanwhile. `while_running` gets the process id, and is cancelled when the process has ended. `ask_to_end`
    gets it at the time limit, if a signal to the process group does not reach the command.
    """
    with _not_started(launch.argv):
        watchdog = None if launch.ends_with_us else CommandWatchdog()
    try:
        output = _Kept(OutputKeeper(keep), OutputKeeper(keep), watchdog)
        if watchdog:
            launch = replace(launch, env={**launch.env, MARK: watchdog.mark})
        timed_out, code = await _run(
            launch, output, time_limit=time_limit, grace=grace, while_running=while_running, ask_to_end=ask_to_end
        )
    finally:
        if watchdog:
            end_marked(watchdog.mark)
            watchdog.dismiss()
    return KeptEnd(timed_out, None if timed_out else code, output.stdout, output.stderr)


WhileRunning = Callable[[int], Coroutine[Any, Any, None]]
"""Watches a running process by its id."""


def _ask_group_to_end(pid: int) -> None:
    _signal_group(pid, signal.SIGTERM)


async def _run(
    launch: Launch,
    output: "_Watch",
    *,
    time_limit: float,
    grace: float,
    while_running: WhileRunning | None = None,
    ask_to_end: Callable[[int], None] | None = None,
) -> tuple[bool, int | None]:
    """Whether it timed out, and its exit code."""
    with _not_started(launch.argv):
        transport, _ = await spawn(launch, lambda: output)
    watching = asyncio.create_task(while_running(transport.get_pid())) if while_running else None
    timed_out = False
    try:
        async with asyncio.timeout(time_limit):
            # A future of its own: cancelling this wait must leave `closed` to be waited for below.
            await asyncio.shield(output.closed)
    except TimeoutError:
        timed_out = True
        if grace:
            (ask_to_end or _ask_group_to_end)(transport.get_pid())
            await asyncio.wait([output.closed], timeout=grace)
    finally:
        # Immediately, not only when the exit is noticed: the loop may be about to stop.
        _signal_group(transport.get_pid(), signal.SIGKILL)
        transport.close()
        if watching:
            watching.cancel()
        await asyncio.wait([output.closed], timeout=REAP_SECONDS)
    return timed_out, transport.get_returncode()


@contextmanager
def _not_started(argv: Sequence[str]) -> Generator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CallRejected("exec_error", f"{Path(argv[0]).name} could not be started: {reason}.") from error


class _Watch(asyncio.SubprocessProtocol):
    """Ends a process group when its leader exits; `closed` is done when everything has ended."""

    def __init__(self) -> None:
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self._drained: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.SubprocessTransport):
            self._transport = transport

    def process_exited(self) -> None:
        # Background processes would keep the pipes open.
        self.end_all()
        if self._transport:
            self._drained = asyncio.get_running_loop().call_later(DRAIN_SECONDS, self._transport.close)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  the base names it
        if self._drained:
            self._drained.cancel()
        if not self.closed.done():
            self.closed.set_result(None)

    def end_all(self) -> None:
        """End the process and everything that it started."""
        if self._transport:
            _signal_group(self._transport.get_pid(), signal.SIGKILL)


class _Kept(_Watch):
    """Reads everything that the process writes, and keeps the beginning and the end."""

    def __init__(self, stdout: OutputKeeper, stderr: OutputKeeper, watchdog: CommandWatchdog | None) -> None:
        super().__init__()
        self.stdout = stdout
        self.stderr = stderr
        self._watchdog = watchdog

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self._transport and self._watchdog:
            self._watchdog.watch(self._transport.get_pid())

    def end_all(self) -> None:
        super().end_all()
        if self._watchdog:
            end_marked(self._watchdog.mark)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        (self.stderr if fd == STDERR else self.stdout).take(data)


class _Output(_Watch):
    """Takes what the process writes, and ends its group if it writes too much."""

    def __init__(self, cap: int, on_line: OnLine | None) -> None:
        super().__init__()
        self.flooded = False
        self.stdout = bytearray()
        self.stderr = bytearray()
        self._cap = cap
        self._room = cap
        self._on_line = on_line

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == STDERR:
            self.stderr += data[: max(0, self._cap - len(self.stderr))]
            return
        if self.flooded:
            return
        if len(data) > self._room:
            self.flooded = True
            self.end_all()
        self.stdout += data[: self._room]
        self._room -= len(data)
        if self._on_line and b"\n" in data:
            self._hand_over(self._on_line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002  the base names it
        if fd == STDOUT and self._on_line and self.stdout and not self.flooded:
            self.stdout += b"\n"
            self._hand_over(self._on_line)

    def _hand_over(self, on_line: OnLine) -> None:
        *lines, rest = self.stdout.split(b"\n")
        self.stdout = rest
        for line in lines:
            on_line(bytes(line))


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group that only has zombies
        os.killpg(pid, number)
