import asyncio
import threading

import pytest

from mulligan.runtime.threads import run_leavable
from tests.patience import PATIENCE


async def test_what_the_work_returns_or_raises_comes_back() -> None:
    assert await run_leavable(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await run_leavable(lambda: 1 // 0)


def test_neither_a_cancel_nor_the_end_of_the_loop_waits_for_the_work() -> None:
    goes_on = threading.Event()
    ended = threading.Event()

    def work() -> None:
        goes_on.wait(PATIENCE)
        ended.set()

    async def leave() -> None:
        working = asyncio.create_task(run_leavable(work))
        await asyncio.sleep(0)
        working.cancel()
        await asyncio.wait({working})

    asyncio.run(leave())
    assert not ended.is_set()
    goes_on.set()
    assert ended.wait(PATIENCE)
