"""Work in a thread that a cancelled caller waits for, or in one that it abandons."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Event, Thread
from typing import TypeVar

Result = TypeVar("Result")


async def run_stoppable(work: Callable[[Event], Result]) -> Result:
    """If cancelled, tells the work to stop and waits until it has: it needs locks that the caller releases next."""
    stop = Event()
    task = asyncio.ensure_future(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([task])
        raise


async def run_leavable(work: Callable[[], Result]) -> Result:
    """If the caller is cancelled, it does not wait for the thread, and neither does the end of the process, which waits
    for every thread of `asyncio.to_thread`, however long that takes. Only for work that may stop anywhere."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(outcome: Callable[[], None]) -> None:
        if not done.done():
            outcome()

    def run() -> None:
        try:
            outcome = partial(done.set_result, work())
        except BaseException as error:  # noqa: BLE001  it is raised where the thread is awaited
            outcome = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, outcome)

    Thread(target=run, daemon=True).start()
    return await done
