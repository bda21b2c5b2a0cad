"""Retries through a restart of PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mulligan.store.database import StoreUnreachable

Result = TypeVar("Result")

FIRST_PAUSE = 0.1
MAX_PAUSE_SECONDS = 2.0


def _store_unreachable(error: Exception) -> bool:
    return isinstance(error, StoreUnreachable)


async def retry_until_available(
    ask: Callable[[], Awaitable[Result]], is_outage: Callable[[Exception], bool] = _store_unreachable
) -> Result:
    pause = FIRST_PAUSE
    while True:
        try:
            return await ask()
        except Exception as error:
            if not is_outage(error):
                raise
        await asyncio.sleep(pause)
        pause = min(MAX_PAUSE_SECONDS, pause * 2)
