"""Starts and ends a program that we talk to through its pipes: an external agent or an MCP server."""

import asyncio
import os
import re
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mulligan.runtime.process_trees import MARK, ChildWatchdog, sweep
from mulligan.types.errors import BackendError

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes. A line may contain a whole file; a longer line is dropped."""
CHUNK = 256 * 1024
DRAIN_SECONDS = 0.5
"""How long to read output after the exit. A process that left the process group may hold the pipe open forever."""
REAP_SECONDS = 5.0
"""How long to wait for a killed process to be gone. Only one stuck in the kernel takes this long."""
TAIL_BYTES = 2000
"""How much of its standard error to report when the program dies."""
STDERR_LIMIT = 5_000_000
"""Bytes; `trim_stderr` empties a larger file."""
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f]")


def describe_exit(code: int) -> str:
    """How a process ended, for the user: `exit code 3`, `SIGKILL`."""
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def without_controls(text: str) -> str:
    """Text for a terminal without its control sequences: colours, titles, bells."""
    return _CONTROLS.sub("", text)


class LineSplitter:
    """Splits chunks into lines. Never holds more than the limit: a longer line is dropped and counted."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self.left_out = 0
        self._limit = limit
        self._rest = bytearray()
        self._skipping = False

    def take(self, data: bytes) -> list[bytes]:
        """The lines that end in this chunk, without their newlines."""
        *ends, rest = data.split(b"\n")
        lines: list[bytes] = []
        for end in ends:
            self._add(end)
            if not self._skipping:
                lines.append(bytes(self._rest))
            self._rest.clear()
            self._skipping = False
        self._add(rest)
        return lines

    def finish(self) -> list[bytes]:
        """The last line, if it had no newline."""
        return self.take(b"\n") if self._rest else []

    def _add(self, data: bytes) -> None:
        if self._skipping:
            return
        if len(self._rest) + len(data) > self._limit:
            self._skipping = True
            self.left_out += 1
            self._rest.clear()
        else:
            self._rest += data


class ChildProcess:
    """A running program, in its own session. Its descendants end with it, and all of them end with Mulligan."""

    def __init__(
        self,
        streams: "_Streams",
        *,
        mark: str,
        stderr: Path,
        stderr_start: int,
        watchdog: ChildWatchdog,
        longest_line: int,
    ) -> None:
        """`stderr_start`: the file's size before the start. Other processes of the same program also write to it."""
        self.mark = mark
        self.pid = streams.process.get_pid()
        self.output = LineSplitter(longest_line)
        self._streams = streams
        self._stderr = stderr
        self._stderr_start = stderr_start
        self._lines: deque[bytes] = deque()
        self._watchdog: ChildWatchdog | None = watchdog
        watchdog.watch(self.pid)

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        *,
        name: str,
        install: str = "",
        cwd: Path,
        env: Mapping[str, str],
        mark: str,
        stderr: Path,
        longest_line: int = LINE_LIMIT,
    ) -> "ChildProcess":
        """Start a program. `install` is the command that installs it, `stderr` the file for its standard error. Raises
        `BackendError`."""
        try:
            stderr_start = _made(stderr)
            watchdog = ChildWatchdog(mark)
            try:
                streams = await _spawned(argv, cwd, {**env, MARK: mark}, stderr)
            except BaseException:
                watchdog.dismiss()
                raise
        except (OSError, ValueError) as error:
            raise BackendError(_why_not_started(name, install, argv[0], error)) from error
        return cls(
            streams, mark=mark, stderr=stderr, stderr_start=stderr_start, watchdog=watchdog, longest_line=longest_line
        )

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for a signal."""
        return self._streams.exited.result() if self._streams.exited.done() else None

    async def exited(self, within: float | None = None) -> int | None:
        """The exit code once the program has ended; None if it did not end within so many seconds."""
        await asyncio.wait([self._streams.exited], timeout=within)
        return self.exit_code

    async def line(self, *, or_too_long: bool = False) -> bytes | None:
        """The next line of its standard output, without the newline; None at the end. With `or_too_long`, also None
        once a line over the limit was dropped."""
        while not self._lines:
            if or_too_long and self.output.left_out:
                return None
            data = await self._streams.reader.read(CHUNK)
            self._lines.extend(self.output.take(data) if data else self.output.finish())
            if not data and not self._lines:
                return None
        return self._lines.popleft()

    async def write(self, data: bytes) -> None:
        """Write to its standard input. Raises `ConnectionError` if nobody reads it any more."""
        if self._streams.writer.is_closing():
            raise ConnectionResetError("its input is closed")
        self._streams.writer.write(data)
        await self._streams.writer.drain()

    def close_input(self) -> None:
        self._streams.writer.close()

    def stderr_tail(self) -> str:
        """The last lines that it wrote to standard error."""
        try:
            with self._stderr.open("rb") as file:
                file.seek(max(self._stderr_start, self._stderr.stat().st_size - TAIL_BYTES))
                text = file.read().decode(errors="replace")
        except OSError:
            return ""
        return without_controls(text).strip()

    def trim_stderr(self) -> None:
        """Keep the file from growing forever. The program appends to it, so it can be emptied meanwhile."""
        with suppress(OSError):
            if self._stderr.stat().st_size > STDERR_LIMIT:
                os.truncate(self._stderr, 0)
                self._stderr_start = 0

    async def end(self, *, end_of_input: float = 3.0, terminate: float = 2.0) -> None:
        """End the program and everything that it started.

        First its input is closed, then it gets SIGTERM, and it has so many seconds each time; then it is killed. With
        `end_of_input=0`, SIGTERM comes at once.
        """
        try:
            self.close_input()
            if await self.exited(end_of_input) is None:
                self._streams.signal_group(signal.SIGTERM)
                await self.exited(terminate)
        finally:
            await self._end_by_force()

    async def _end_by_force(self) -> None:
        self._streams.signal_group(signal.SIGKILL)
        try:
            await sweep(self.mark)
            if self._watchdog:
                self._watchdog.dismiss()
                self._watchdog = None
            await self.exited(REAP_SECONDS)
        finally:
            # Only after the exit: closing polls the process itself, and the exit code would be lost.
            self._streams.close()


def _made(file: Path) -> int:
    """Create the file if it does not exist. Returns its size."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.touch(mode=0o600)
    return file.stat().st_size


async def _spawned(argv: Sequence[str], cwd: Path, env: Mapping[str, str], stderr: Path) -> "_Streams":
    loop = asyncio.get_running_loop()
    # A file, because a full pipe that nobody reads blocks the program. Append mode, so that we can empty the file.
    with stderr.open("ab") as errors:
        _, streams = await loop.subprocess_exec(
            lambda: _Streams(limit=CHUNK, loop=loop),
            *argv,
            cwd=cwd,
            env=env,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    return streams


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """The pipes of a process, and its exit, which is noticed even if another process holds the pipes open."""

    process: asyncio.SubprocessTransport
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=limit, loop=loop)
        self._clock = loop
        self.exited: asyncio.Future[int] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if isinstance(transport, asyncio.SubprocessTransport) and self.stdout and self.stdin:
            self.process, self.reader, self.writer = transport, self.stdout, self.stdin

    def process_exited(self) -> None:
        # At once: when the last process of the group is gone, its id may be reused.
        self._signal(signal.SIGKILL)
        super().process_exited()
        self.exited.set_result(self.process.get_returncode() or 0)
        output = self.process.get_pipe_transport(1)
        if output:
            self._clock.call_later(DRAIN_SECONDS, output.close)

    def signal_group(self, number: signal.Signals) -> None:
        if not self.exited.done():
            self._signal(number)

    def close(self) -> None:
        self.process.close()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # macOS raises the latter for a group of zombies
            os.killpg(self.process.get_pid(), number)


def _why_not_started(name: str, install: str, program: str, error: Exception) -> str:
    missing = isinstance(error, FileNotFoundError) and error.filename == program
    if missing:
        advice = f" Install it with: {install}" if install else ""
        return f"{name} could not be started: there is no command {program}.{advice}"
    reason = error.strerror if isinstance(error, OSError) else error
    return f"{name} could not be started: {reason}."
