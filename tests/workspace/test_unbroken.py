"""Work that nobody may give up in the middle."""

import asyncio

import pytest

from mulligan.runtime.uninterrupted import finish_despite_cancel


async def test_it_gives_what_the_work_gives() -> None:
    async def work() -> int:
        return 7

    assert await finish_despite_cancel(work()) == 7


async def test_whoever_is_cancelled_waits_for_the_end_first() -> None:
    begun, go_on, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()
        done.set()

    waiting = asyncio.create_task(finish_despite_cancel(work()))
    await begun.wait()
    waiting.cancel()
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    assert not waiting.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert done.is_set()


async def test_what_goes_wrong_goes_up() -> None:
    async def work() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await finish_despite_cancel(work())
