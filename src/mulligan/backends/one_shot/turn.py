"""One run of a one-shot agent's command."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import suppress

from mulligan.backends.one_shot.turn_reader import CommandTurnReader
from mulligan.backends.time_limits import AgentTimeouts, TurnDeadline
from mulligan.runtime.child_process import ChildProcess
from mulligan.types.agents import AgentDone, AgentEvent

OUTPUT_LIMIT = 128 * 1024 * 1024
"""Most bytes of a turn. Anything that writes more is out of control."""
LINE_COST = 100
"""Bytes of overhead per line: queued lines are held in memory."""
MIN_WAIT_SECONDS = 0.02
CHECK_SECONDS = 1.0
"""Seconds between two checks for what no complete line shows: an unfinished line, and the time."""


class CommandTurn:
    """A process that works on one prompt. `events`, then `finish`, then `closing`."""

    def __init__(
        self, name: str, child: ChildProcess, reader: CommandTurnReader, limits: AgentTimeouts, *, stdin: str
    ) -> None:
        """`stdin` is the whole input of the process."""
        self.child = child
        self.reader = reader
        self._name = name
        self._limits = limits
        self._clock = asyncio.get_running_loop()
        self._last_line = self._clock.time()
        self._deadline = TurnDeadline(limits, self._last_line)
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._taken = 0
        self._stopped = ""
        """Why we stop it, in words that follow its name."""
        self._whole = False
        """All of its output was read, or all that matters."""
        self._code: int | None = None
        # Separate tasks: an agent may never read its input, and its output is lost soon after its exit, while the
        # consumer of the events may be slow.
        self._pumps = [asyncio.create_task(self._give(stdin)), asyncio.create_task(self._take())]

    async def events(self) -> AsyncGenerator[AgentEvent, None]:
        """What the agent does, as it happens, without the end."""
        while (line := await self._next_line()) is not None:
            for event in self.reader.read(line):
                yield event
        self._whole = not self._stopped

    async def finish(self) -> None:
        """End the process and what it started. If it is still working, interrupt it first, as with Ctrl-C."""
        if not self._whole and self.child.exit_code is None:
            with suppress(ProcessLookupError, PermissionError):  # it ended just now
                os.killpg(self.child.pid, signal.SIGINT)
        self._code = await self.child.exited(self._limits.cancel)
        await self.child.end(end_of_input=0, terminate=self._limits.terminate)
        for pump in self._pumps:
            pump.cancel()

    @property
    def knew_no_session(self) -> bool:
        """The agent ended by itself before it did anything: its session is gone, or it can't run at all."""
        return self._whole and self._code is not None and not (self.reader.session or self.reader.has_output)

    def closing(self) -> list[AgentEvent]:
        """The last events, once it has finished."""
        if self._stopped:
            done = AgentDone("failed", f"{self._name} {self._stopped}.")
        else:
            done = self.reader.verdict(self._name, self._code, self.child.stderr_tail())
        return [*self.reader.close("completed" if done.how == "finished" else "failed"), done]

    async def _next_line(self) -> bytes | None:
        """The next line of output; None when there is nothing more to wait for."""
        while not self._stopped:
            if not self._lines.empty():
                return self._lines.get_nowait()
            try:
                async with asyncio.timeout_at(self._next_look()):
                    return await self._lines.get()
            except TimeoutError:
                now = self._clock.time()
                self._count(0)
                self._stopped = self._stopped or self._deadline.overdue(now) or ""
                if self.reader.ending and now >= self._last_line + self._limits.cancel:
                    return None
        return None

    def _next_look(self) -> float:
        now = self._clock.time()
        looks = [now + CHECK_SECONDS, self._deadline.next_look(now)]
        if self.reader.ending:
            looks.append(self._last_line + self._limits.cancel)
        # Not immediately: a slow consumer may have delayed the readers.
        return max(min(looks), now + MIN_WAIT_SECONDS)

    async def _take(self) -> None:
        while not self._stopped and (line := await self.child.line()) is not None:
            self._last_line = self._clock.time()
            self._deadline.sign(self._last_line)
            self._count(len(line) + LINE_COST)
            self._lines.put_nowait(line)
        self._lines.put_nowait(None)

    def _count(self, size: int) -> None:
        self._taken += size
        if self._taken > OUTPUT_LIMIT or self.child.output.left_out:
            self._stopped = "was stopped: its output did not end"

    async def _give(self, text: str) -> None:
        with suppress(ConnectionError):  # it ended, or does not want it
            await self.child.write(text.encode(errors="replace"))
        self.child.close_input()
