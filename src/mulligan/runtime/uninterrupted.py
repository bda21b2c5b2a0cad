"""Work that a cancellation must not interrupt."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def uninterrupted(work: Coroutine[Any, Any, Result]) -> tuple[Result, bool]:
    """Finish the work, however often this task is cancelled meanwhile. Also returns whether it was."""
    task, cancelled = await _settled(work)
    return task.result(), cancelled is not None


async def finish_despite_cancel(work: Coroutine[Any, Any, Result]) -> Result:
    """Finish the work even if this task is cancelled, then raise the cancellation."""
    task, cancelled = await _settled(work)
    if cancelled:
        if not task.cancelled():
            task.exception()  # ignored: the caller is cancelled, and the next start settles what was begun
        raise cancelled
    return task.result()


class UnfinishedWork:
    """Cleanup that a cancelled caller neither stops nor waits for. The next caller waits for it."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[None]] = set()

    async def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run the work. Cancelling the caller does not stop it."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.shield(task)

    async def wait(self) -> None:
        """Wait until no such work is running."""
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
