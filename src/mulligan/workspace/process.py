"""The one door to processes: argument lists, a time limit, a cap on output, and nothing left running."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mulligan.types.errors import CallRejected

STDOUT = 1
STDERR = 2
REAP_SECONDS = 5.0
"""How long to wait for a killed process to be gone. Only one stuck in the kernel takes this long."""

OnLine = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    how: Literal["exited", "timed_out", "flooded"]
    """`flooded`: it wrote more than the cap and was stopped."""
    code: int | None
    """The exit code, negative for a signal; none if it was stopped."""
    stdout: bytes
    """Empty where `on_line` took the lines."""
    stderr: bytes


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
    loop = asyncio.get_running_loop()
    output = _Output(loop.create_future(), output_cap, on_line)
    try:
        transport, _ = await loop.subprocess_exec(
            lambda: output,
            *argv,
            cwd=cwd,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CallRejected("exec_error", f"{Path(argv[0]).name} could not be started: {reason}.") from error
    timed_out = False
    try:
        async with asyncio.timeout(time_limit):
            # A future of its own: cancelling this wait must leave `closed` to be waited for below.
            await asyncio.shield(output.closed)
    except TimeoutError:
        timed_out = True
    finally:
        # At once, not only when the exit is noticed: the loop may be about to stop.
        _kill_group(transport.get_pid())
        transport.close()
        await asyncio.wait([output.closed], timeout=REAP_SECONDS)
    stopped = timed_out or output.flooded
    return ProcessEnd(
        how="timed_out" if timed_out else "flooded" if output.flooded else "exited",
        code=None if stopped else transport.get_returncode(),
        stdout=bytes(output.stdout),
        stderr=bytes(output.stderr),
    )


class _Output(asyncio.SubprocessProtocol):
    """Takes what the process writes, and ends its group when it exits or writes too much."""

    def __init__(self, closed: asyncio.Future[None], cap: int, on_line: OnLine | None) -> None:
        self.closed = closed
        self.flooded = False
        self.stdout = bytearray()
        self.stderr = bytearray()
        self._cap = cap
        self._room = cap
        self._on_line = on_line
        self._pid: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.SubprocessTransport):
            self._pid = transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == STDERR:
            self.stderr += data[: max(0, self._cap - len(self.stderr))]
            return
        if self.flooded:
            return
        if len(data) > self._room:
            self.flooded = True
            _kill_group(self._pid)
        self.stdout += data[: self._room]
        self._room -= len(data)
        if self._on_line and b"\n" in data:
            self._hand_over(self._on_line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002  the base names it
        if fd == STDOUT and self._on_line and self.stdout and not self.flooded:
            self.stdout += b"\n"
            self._hand_over(self._on_line)

    def process_exited(self) -> None:
        # What it left in the background would hold the pipes open.
        _kill_group(self._pid)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  the base names it
        if not self.closed.done():
            self.closed.set_result(None)

    def _hand_over(self, on_line: OnLine) -> None:
        *lines, rest = self.stdout.split(b"\n")
        self.stdout = rest
        for line in lines:
            on_line(bytes(line))


def _kill_group(pid: int | None) -> None:
    if pid is None:
        return
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group that only has zombies
        os.killpg(pid, signal.SIGKILL)
