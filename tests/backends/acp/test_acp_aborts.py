"""Turns that are aborted, of an agent that heeds it and stays."""

import asyncio
from contextlib import aclosing

import pytest

from mulligan.runtime.process_trees import marked
from mulligan.types.agents import AgentDone, AgentText
from tests.backends.acp.conftest import LINGER, Stage, as_prompt

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_abort_stops_the_agent_and_its_tools_but_keeps_it_warm(one_stage: Stage, session: str) -> None:
    warm = await marked(one_stage.backend.mark)

    await one_stage.abort_after_words(session, LINGER, {"hang": True})

    assert await marked(one_stage.backend.mark) == warm
    assert await one_stage.still_works(session) == session


async def test_cancelling_who_waits_aborts_the_turn(one_stage: Stage, session: str) -> None:
    told = asyncio.Event()

    async def consume() -> None:
        async with aclosing(
            one_stage.backend.prompt(session, as_prompt({"say": "a"}, {"hang": True}), one_stage.permit)
        ) as all_of_it:
            async for _ in all_of_it:
                told.set()

    consuming = asyncio.create_task(consume())
    await told.wait()
    consuming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await consuming

    assert await one_stage.still_works(session) == session


async def test_nothing_of_an_aborted_turn_shows_up_in_the_next(one_stage: Stage, session: str) -> None:
    await one_stage.abort_after_words(
        session, {"on_cancel": "late"}, {"call": "late", "title": "Run"}, {"say": "a"}, {"hang": True}
    )

    events = await one_stage.turn(
        session, {"update": "late", "status": "failed", "text": "of the other turn"}, {"say": "fresh"}
    )

    assert events == [AgentText("fresh"), AgentDone("finished")]
