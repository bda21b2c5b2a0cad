"""Work in a thread that is not left alone."""

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TypeVar

Result = TypeVar("Result")


async def run_stoppable(work: Callable[[Event], Result]) -> Result:
    """Who is cancelled tells the work to stop and waits until it has: it needs locks that are let go afterwards."""
    stop = Event()
    task = asyncio.ensure_future(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([task])
        raise
