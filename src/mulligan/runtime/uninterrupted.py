"""Work that nobody may give up in the middle."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def finish_despite_cancel(work: Coroutine[Any, Any, Result]) -> Result:
    """Do it whole, even if whoever waits for it is cancelled; that is raised afterwards."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        if not task.cancelled():
            task.exception()  # nobody is left to hear it; what was begun is settled at the next start
        raise cancelled
    return task.result()
