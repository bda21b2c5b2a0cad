"""Clearing up after a turn or a process, which must come to its end whoever gives up waiting for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class UnfinishedWork:
    """Work that nobody can cut short. Whoever comes next waits for it."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[None]] = set()

    async def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it. Cancelling who waits here does not stop it."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.shield(task)

    async def wait(self) -> None:
        """Wait until nothing is under way."""
        if self._under_way:
            await asyncio.wait(set(self._under_way))
