"""Limits for a whole process tree, which the kernel does not offer: number of processes and memory."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from mulligan.types.sandbox import Blocked, Limits

POLL_SECONDS = 0.25
PAGE = os.sysconf("SC_PAGE_SIZE")


class TreeWatch:
    """Ends a command that exceeds its limits, and remembers why."""

    def __init__(self, limits: Limits, orphans: Callable[[], Iterator[int]] | None = None) -> None:
        """`orphans` finds processes that left the tree."""
        self._orphans = orphans or (lambda: iter(()))
        self.blocked: Blocked | None = None
        self._limits = limits

    async def __call__(self, pid: int) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self.blocked = self._over(pid)
            if self.blocked:
                for each in (pid, *self._orphans()):
                    end_tree(each)
                return

    def _over(self, pid: int) -> Blocked | None:
        memory = 0
        for count, each in enumerate(chain(*map(descendants, (pid, *self._orphans()))), start=1):
            memory += _resident_bytes(each)
            if count > self._limits.processes:
                return Blocked("processes", f"{self._limits.processes:,}")
        if memory > self._limits.memory_bytes:
            return Blocked("memory", f"{self._limits.memory_bytes:,} bytes")
        return None


def descendants(pid: int) -> Iterator[int]:
    """All running descendants, the process itself first."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        with suppress(OSError):
            for thread in Path(f"/proc/{one}/task").iterdir():
                waiting += map(int, (thread / "children").read_text(encoding="ascii").split())


def ask_to_end(pid: int) -> None:
    """Ask all to end except for bwrap itself, whose end would kill the others immediately."""
    for each in list(descendants(pid)):
        with suppress(OSError):
            if Path(f"/proc/{each}/comm").read_text(encoding="utf-8").strip() != "bwrap":
                os.kill(each, signal.SIGTERM)


def end_tree(pid: int) -> None:
    """End a process tree. First stops all, from the top, so that none can start another."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for each in list(descendants(pid)):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, number)


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return 0
