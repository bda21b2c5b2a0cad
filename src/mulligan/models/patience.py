"""A time limit that counts only the time in which this process could run."""

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

TICK = 0.05


@asynccontextmanager
async def patience(seconds: float) -> AsyncGenerator[None]:
    """Raises `TimeoutError` as `asyncio.timeout` does, but a pause of this process counts as one tick at most.

    On a machine that swaps, wakes up or runs a model on every core, the answer often lies in the socket when we come
    to look at the clock. Counted by the clock, such a server would be mute.
    """
    loop = asyncio.get_running_loop()
    left = math.ceil(seconds / TICK)
    async with asyncio.timeout(None) as limit:

        def tick() -> None:
            nonlocal left, ticking
            left -= 1
            if left > 0:
                ticking = loop.call_later(TICK, tick)
            else:
                limit.reschedule(loop.time())

        ticking = loop.call_later(TICK, tick)
        try:
            yield
        finally:
            ticking.cancel()
