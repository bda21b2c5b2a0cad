import asyncio
import time
from contextlib import closing

import pytest

from mulligan.models.known.metadata import read_metadata
from mulligan.models.scripted.model import Script, ServerStyle
from mulligan.models.scripted.server import serve_script
from mulligan.runtime.awake_timeout import TICK_SECONDS, StallWatch, awake_timeout


async def test_what_comes_in_time_comes_through() -> None:
    async with awake_timeout(30):
        await asyncio.sleep(0)


async def test_waiting_ends() -> None:
    with pytest.raises(TimeoutError):
        async with awake_timeout(TICK_SECONDS):
            await asyncio.Event().wait()


async def test_a_pause_of_the_process_is_not_held_against_the_other_side() -> None:
    arrived = asyncio.Event()
    async with awake_timeout(4 * TICK_SECONDS):
        asyncio.get_running_loop().call_later(TICK_SECONDS / 2, arrived.set)
        time.sleep(6 * TICK_SECONDS)  # noqa: ASYNC251 - as a machine that swaps would do
        await arrived.wait()


async def test_a_server_is_heard_after_a_pause_that_is_longer_than_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mulligan.models.known.metadata.ANSWER_TIMEOUT", 1.0)
    async with serve_script(
        Script(replies=(), model="tiny", server_style=ServerStyle(kind="llama.cpp", context_length=6144))
    ) as it:
        asyncio.get_running_loop().call_later(0.001, time.sleep, 1.5)
        profile = await read_metadata(it.base_url, "tiny")

    assert profile.context_length == 6144


async def test_an_error_from_within_is_not_taken_for_a_timeout() -> None:
    with pytest.raises(ValueError, match="mine"):
        async with awake_timeout(30):
            raise ValueError("mine")


async def test_waits_for_a_stream_are_counted_together() -> None:
    async def wait_for_ever(watch: StallWatch) -> None:
        while True:
            await watch.wait(asyncio.sleep(1.5 * TICK_SECONDS))

    with closing(StallWatch(4 * TICK_SECONDS)) as watch, pytest.raises(TimeoutError):
        await wait_for_ever(watch)


async def test_a_stream_that_goes_on_counts_anew() -> None:
    with closing(StallWatch(8 * TICK_SECONDS)) as watch:
        for _ in range(12):
            await watch.wait(asyncio.sleep(TICK_SECONDS))
            watch.restart(8 * TICK_SECONDS)


async def test_what_others_do_meanwhile_is_not_counted() -> None:
    with closing(StallWatch(2 * TICK_SECONDS)) as watch:
        await asyncio.sleep(6 * TICK_SECONDS)
        assert await watch.wait(asyncio.sleep(0, "here")) == "here"


async def test_somebody_elses_cancel_goes_on_up() -> None:
    async def wait() -> None:
        with closing(StallWatch(60)) as watch:
            await watch.wait(asyncio.Event().wait())

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
