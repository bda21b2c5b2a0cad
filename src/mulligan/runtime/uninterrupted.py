"""Work that nobody may give up in the middle."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def uninterrupted(work: Coroutine[Any, Any, Result]) -> tuple[Result, bool]:
    """Do the work to its end, however often this task is cancelled meanwhile; also tell whether it was."""
    task, cancelled = await _settled(work)
    return task.result(), cancelled is not None


async def finish_despite_cancel(work: Coroutine[Any, Any, Result]) -> Result:
    """Do it whole, even if whoever waits for it is cancelled; that is raised afterwards."""
    task, cancelled = await _settled(work)
    if cancelled:
        if not task.cancelled():
            task.exception()  # nobody is left to hear it; what was begun is settled at the next start
        raise cancelled
    return task.result()


class UnfinishedWork:
    """Clearing up that nobody can cut short, nor has to wait for. Whoever comes next waits for it."""

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


async def _settled(
    work: Coroutine[Any, Any, Result],
) -> tuple[asyncio.Task[Result], asyncio.CancelledError | None]:
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    return task, cancelled
