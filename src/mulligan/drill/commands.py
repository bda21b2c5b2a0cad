"""Mulligan's commands, run by a process that has already loaded the program."""

import asyncio
import itertools
import json
import os
import signal
import sys
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from mulligan.runtime.marked_processes import end_marked
from mulligan.types.errors import MulliganError

MARK = "MULLIGAN_DRILL_MARK"

Meanwhile = Callable[[Path], Awaitable[None]]
"""What to do while a command runs. Called with the file that gets the command's standard error."""


@dataclass(frozen=True, slots=True)
class CommandEnd:
    code: int | None
    """Negative for a signal; None if it took too long and was killed."""
    stdout: bytes
    stderr: bytes


@dataclass(slots=True)
class _PendingCommand:
    started: asyncio.Future[int]
    """Its pid."""
    ended: asyncio.Future[int]


@dataclass(slots=True)
class WarmCommands:
    """Made by `loaded`."""

    process: asyncio.subprocess.Process
    mark: str
    gone: bool = False
    """The process has ended, or was killed."""
    commands: dict[int, _PendingCommand] = field(default_factory=dict[int, _PendingCommand])
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    async def run(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        env: Mapping[str, str],
        time_limit: float,
        meanwhile: Meanwhile | None = None,
    ) -> CommandEnd:
        """Run `mulligan` with these words, in a folder that also gets its output. No process of its group outlives it.

        With `meanwhile`, the command is asked to end when that is done.
        """
        number = next(self.numbers)
        loop = asyncio.get_running_loop()
        command = self.commands[number] = _PendingCommand(loop.create_future(), loop.create_future())
        stdout, stderr = (folder / f"{name}-{number}" for name in ("stdout", "stderr"))
        request = {
            "number": number, "words": list(words), "cwd": str(folder), "env": {**env, MARK: self.mark},
            "stdin": os.devnull, "stdout": str(stdout), "stderr": str(stderr),
        }  # fmt: skip
        try:
            await self._send(json.dumps(request).encode() + b"\n")
            async with asyncio.timeout(time_limit):
                if meanwhile:
                    await _serve_until_done(command, meanwhile(stderr))
                code: int | None = await command.ended
        except TimeoutError:
            code = None
        finally:
            del self.commands[number]
            _end_group(command.started.result() if command.started.done() else None)
        return CommandEnd(code, _read(stdout), _read(stderr))

    async def listen(self) -> None:
        """Receive starts and ends of commands until the process is gone."""
        assert self.process.stdout is not None  # noqa: S101 - it is a pipe
        async for line in self.process.stdout:
            report = json.loads(line)
            command = self.commands.get(report["number"])
            if "pid" in report:
                if command:
                    command.started.set_result(report["pid"])
                else:  # its caller gave up before it started
                    _end_group(report["pid"])
            elif command and not command.ended.done():
                command.ended.set_result(report["code"])
        self.gone = True
        for command in self.commands.values():
            if not command.ended.done():
                command.ended.set_exception(_gone())

    async def _send(self, line: bytes) -> None:
        assert self.process.stdin is not None  # noqa: S101 - it is a pipe
        if self.gone:
            raise _gone()
        with suppress(ConnectionError):  # `listen` notices it, too
            self.process.stdin.write(line)
            await self.process.stdin.drain()


@asynccontextmanager
async def loaded() -> AsyncGenerator[WarmCommands]:
    """The context ends everything that was started in it."""
    mark = uuid.uuid4().hex
    # -P: modules in the current folder must not shadow ours.
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "mulligan.drill.warm_process",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, MARK: mark}, start_new_session=True, limit=1_000_000,
    )  # fmt: skip
    commands = WarmCommands(process, mark)
    listening = asyncio.create_task(commands.listen())
    try:
        yield commands
    finally:
        # First, so that `listen` does not report the end as an error: callers that still wait were cancelled.
        listening.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        end_marked(f"{MARK}={mark}", one_look_will_do=True)
        await process.wait()


async def _serve_until_done(command: _PendingCommand, meanwhile: Awaitable[None]) -> None:
    """Ask the command to end once `meanwhile` is done. If it ends by itself first, `meanwhile` is cancelled."""
    doing = asyncio.ensure_future(meanwhile)
    try:
        await asyncio.wait([doing, command.ended], return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            doing.result()
            with suppress(ProcessLookupError):
                os.kill(await command.started, signal.SIGTERM)
    finally:
        doing.cancel()


def _gone() -> MulliganError:
    return MulliganError("the process that starts the commands is gone")


def _end_group(pid: int | None) -> None:
    if pid is None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _read(file: Path) -> bytes:
    return file.read_bytes() if file.exists() else b""
