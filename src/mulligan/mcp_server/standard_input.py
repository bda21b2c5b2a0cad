"""Standard input, line by line, without blocking the exit."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

from mulligan.runtime.child_process import CHUNK, LineSplitter


class InputLines:
    """Read in a thread that dies with the process: a client that keeps its end open must not keep us from exiting. It
    reads the descriptor itself, since Python's own buffer would be locked when the process ends."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, args=(sys.stdin.fileno(),), daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._lines.get()) is not None:
            yield line

    def _read(self, descriptor: int) -> None:
        splitter = LineSplitter()
        with suppress(RuntimeError):  # the loop has ended: nobody listens
            while data := os.read(descriptor, CHUNK):
                for line in splitter.take(data):
                    self._loop.call_soon_threadsafe(self._lines.put_nowait, line.decode("utf-8", "replace"))
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)
