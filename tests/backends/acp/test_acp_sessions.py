import asyncio

import pytest

from mulligan.runtime.process_trees import marked
from mulligan.types.agents import AgentDone, AgentText
from mulligan.types.errors import BackendError
from tests.backends.acp.conftest import Stage
from tests.backends.conftest import PassTime

FINISHED = AgentDone("finished")


async def test_a_session_of_another_process_is_loaded_and_its_replay_swallowed(stage: Stage) -> None:
    session = await stage.session()
    await stage.turn(session, {"say": "before"})
    await stage.backend.dispose()

    again = await stage.session(session)

    assert again == session
    assert await stage.turn(again, {"recall": True}) == [AgentText("2 prompts, mode none"), FINISHED]
    assert stage.logged == []


async def test_a_session_that_the_agent_dies_of_is_replaced_by_a_new_one(stage: Stage) -> None:
    stage.script(dies_in=["session/load"])

    session = await stage.session("of yesterday")

    assert session != "of yesterday"
    assert stage.logged == ["agent_session_not_loaded"]
    assert await stage.turn(session, {"say": "here"}) == [AgentText("here"), FINISHED]


async def test_a_session_that_is_never_loaded_is_replaced_by_a_new_one(stage: Stage, pass_time: PassTime) -> None:
    stage.script(hangs_in=["session/load"])
    opening = asyncio.create_task(stage.session("of yesterday"))
    while not (stage.state / "hangs").exists():
        await marked(stage.backend.mark)

    pass_time(stage.limits.session)
    session = await opening

    assert session != "of yesterday"
    assert stage.logged == ["agent_session_not_loaded"]
    assert await stage.turn(session, {"say": "here"}) == [AgentText("here"), FINISHED]


async def test_a_session_that_the_agent_does_not_know_is_replaced_by_a_new_one(stage: Stage) -> None:
    session = await stage.session("unheard of")

    assert session != "unheard of"
    assert stage.logged == ["agent_session_not_loaded"]


async def test_the_mode_is_set_where_it_is_offered(stage: Stage) -> None:
    stage.script(modes=["auto", "ask first"])
    stage.backend = stage.another(mode="ask first")

    session = await stage.session()

    assert await stage.turn(session, {"recall": True}) == [AgentText("1 prompts, mode ask first"), FINISHED]


async def test_a_mode_that_is_not_offered_is_logged(stage: Stage) -> None:
    stage.script(modes=["auto"])
    stage.backend = stage.another(mode="ask first")

    await stage.session()

    assert stage.logged == ["agent_mode_not_offered"]


async def test_an_agent_that_does_not_take_its_mode_is_not_used(stage: Stage) -> None:
    stage.script(modes=["auto", "ask first"], refuses=["session/set_mode"])
    stage.backend = stage.another(mode="ask first")

    with pytest.raises(BackendError, match="could not set the mode ask first"):
        await stage.session()
