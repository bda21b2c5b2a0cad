"""Time limits that count only the time in which this process could run."""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

TICK_SECONDS = 0.05

T = TypeVar("T")


@asynccontextmanager
async def awake_timeout(seconds: float) -> AsyncGenerator[None]:
    """Like `asyncio.timeout`, but a pause of this process counts as one tick at most.

    On a machine that swaps, wakes up or runs a model on every core, the answer is often in the socket already when we
    get to check the time. Measured by the clock, such a server would seem not to answer.
    """
    loop = asyncio.get_running_loop()
    left = math.ceil(seconds / TICK_SECONDS)
    async with asyncio.timeout(None) as limit:

        def tick() -> None:
            nonlocal left, ticking
            left -= 1
            if left > 0:
                ticking = loop.call_later(TICK_SECONDS, tick)
            else:
                limit.reschedule(loop.time())

        ticking = loop.call_later(TICK_SECONDS, tick)
        try:
            yield
        finally:
            ticking.cancel()


class StallWatch:
    """A time limit for a stream: it counts only the time spent in `wait` since the last restart.

    One timer serves the whole stream. `asyncio.timeout` around each chunk would take a quarter of a chunk's total time.
    As above, a pause of this process counts as one tick.
    """

    def __init__(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Task[Any] | None = None
        self._expired = False
        self.restart(seconds)
        self._ticking = self._loop.call_later(self._tick, self._count)

    def restart(self, seconds: float) -> None:
        """Start counting again, up to this many seconds."""
        self._tick = min(TICK_SECONDS, seconds)
        self._left = math.ceil(seconds / self._tick)

    async def wait(self, awaited: Awaitable[T]) -> T:
        """Raises `TimeoutError` when the time is up."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - only tasks can await
        cancels = task.cancelling()
        self._waiter = task
        try:
            return await awaited
        except asyncio.CancelledError as error:
            if not self._expired or task.uncancel() > cancels:  # also cancelled from elsewhere
                raise
            raise TimeoutError from error
        finally:
            self._waiter = None

    def close(self) -> None:
        self._ticking.cancel()

    def _count(self) -> None:
        if self._waiter is not None:
            self._left -= 1
            if self._left <= 0:
                self._expired = self._waiter.cancel()
                return
        self._ticking = self._loop.call_later(self._tick, self._count)
