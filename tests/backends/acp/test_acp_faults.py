"""Agents that do not start, hang, die and leave things behind. Each time the turn has an end, the next one works, and
nothing that they started is left."""

import asyncio
import os
import signal
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from mulligan.backends.time_limits import AgentTimeouts
from mulligan.runtime.process_trees import marked
from mulligan.types.agents import AgentDone, AgentText, AgentToolCall, AgentToolUpdate, PermissionRequest
from mulligan.types.errors import BackendError
from tests.backends.acp.conftest import LINGER, Stage, Step, as_prompt
from tests.backends.conftest import PassTime, whole_turn

STUBBORN: Step = {"on_cancel": "ignore"}
QUESTION: Step = {"ask": "1", "title": "Edit", "kind": "edit"}


@pytest.mark.parametrize(
    ("script", "words"),
    [
        pytest.param({"start": [{"exit": 3}]}, r"scripted ended \(exit code 3\) without any output", id="ends at once"),
        pytest.param(
            {"start": [{"stderr": "no login\n"}, {"exit": 1}]}, r"exit code 1\).*no login", id="with words on stderr"
        ),
        pytest.param(
            {"start": [{"raw": "usage: me"}, {"exit": 2}]}, r"exit code 2\).*usage: me", id="with words on stdout"
        ),
        pytest.param({"start": [LINGER, {"exit": 3}]}, r"scripted ended \(exit code 3\)", id="leaving somebody behind"),
        pytest.param({"dies_in": ["session/new"]}, "exit code 9", id="dies of opening a session"),
        pytest.param({"refuses": ["session/new"]}, "open a session: session/new is refused", id="refuses a session"),
        pytest.param({"version": 2}, "speaks version 2", id="speaks another version"),
    ],
)
async def test_an_agent_that_does_not_start_is_an_error_in_words(
    stage: Stage, script: dict[str, Any], words: str
) -> None:
    stage.script(**script)

    with pytest.raises(BackendError, match=f"(?s){words}"):
        await stage.session()

    assert await marked(stage.backend.mark) == frozenset()
    assert not (await stage.backend.health()).alive


@pytest.mark.parametrize("limits", [AgentTimeouts(start=0.2, session=0.2, end_of_input=0.1, terminate=0.1)])
@pytest.mark.parametrize(
    "script",
    [
        pytest.param({"start": [{"freeze": True}]}, id="before the first message"),
        pytest.param({"start": [{"raw": "Welcome!"}, {"freeze": True}]}, id="after a banner"),
    ],
)
async def test_an_agent_that_hangs_at_its_start_is_ended(stage: Stage, script: dict[str, Any]) -> None:
    stage.script(**script)

    with pytest.raises(BackendError, match=r"did not answer within 0\.2 seconds when asked to say hello"):
        await stage.session()

    assert await marked(stage.backend.mark) == frozenset()


@pytest.mark.parametrize("limits", [AgentTimeouts(session=0.2, end_of_input=0.1, terminate=0.1)])
async def test_an_agent_that_hangs_in_opening_a_session_is_ended(stage: Stage) -> None:
    stage.script(hangs_in=["session/new"])

    with pytest.raises(BackendError, match="when asked to open a session"):
        await stage.session()

    assert await marked(stage.backend.mark) == frozenset()


async def test_an_agent_that_failed_to_start_may_start_later(stage: Stage) -> None:
    stage.script(start=[{"exit": 1}])
    with pytest.raises(BackendError):
        await stage.session()

    stage.script()

    await stage.still_works(await stage.session())


async def test_a_command_that_is_not_there_is_named_with_how_to_get_it(stage: Stage) -> None:
    backend = stage.another(command=("no-such-agent", "acp"), install="npm install no-such-agent")

    with pytest.raises(BackendError, match=r"there is no command no-such-agent.*npm install no-such-agent"):
        await backend.ensure_session(stage.folder, None)


async def test_a_start_that_is_cancelled_leaves_nothing(stage: Stage) -> None:
    stage.script(start=[LINGER, {"freeze": True}])
    starting = asyncio.create_task(stage.session())
    while len(await marked(stage.backend.mark)) < 2:
        pass

    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert await marked(stage.backend.mark) == frozenset()


async def test_a_death_in_mid_turn_ends_the_turn_with_the_last_words(stage: Stage) -> None:
    session = await stage.session()

    events = await stage.turn(
        session,
        {"call": "1", "title": "Run", "input": {"command": "x"}},
        LINGER,
        {"stderr": "out of memory"},
        {"kill": signal.SIGKILL},
    )

    assert events[0] == AgentToolCall("1", "Run", {"command": "x"})
    assert events[2:] == [
        AgentToolUpdate("1", "failed"),
        AgentDone("failed", "scripted ended (SIGKILL). Its last output:\nout of memory"),
    ]
    assert await marked(stage.backend.mark) == frozenset()
    assert await stage.still_works(session) == session


async def test_a_death_between_turns_is_seen_and_mended(stage: Stage) -> None:
    session = await stage.session()
    await stage.turn(session, LINGER)

    os.kill(await stage.agent_pid(), signal.SIGKILL)
    while (await stage.backend.health()).alive:
        await marked(stage.backend.mark)

    assert (await stage.backend.health()).detail == "ended (SIGKILL)"
    assert await stage.still_works(session) == session
    assert len(await marked(stage.backend.mark)) == 1


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([{"hang": True}], id="but heeds a cancel"),
        pytest.param([STUBBORN, {"hang": True}], id="and ignores a cancel"),
        pytest.param([{"freeze": True}], id="and ignores SIGTERM"),
    ],
)
async def test_an_agent_that_falls_silent_is_stopped(stage: Stage, pass_time: PassTime, steps: list[Step]) -> None:
    session = await stage.session()
    turn = stage.backend.prompt(session, as_prompt({"say": "wait"}, *steps), stage.permit)
    assert await anext(turn) == AgentText("wait")

    pass_time(stage.limits.silence)

    assert await whole_turn(turn) == [AgentDone("failed", "scripted was stopped: no output for 10 minutes.")]
    assert await stage.still_works(session) == session


async def test_while_a_person_thinks_no_time_passes_for_the_agent(stage: Stage, pass_time: PassTime) -> None:
    async def slow(_: PermissionRequest, /) -> bool:
        asyncio.get_running_loop().call_soon(pass_time, stage.limits.total)
        await asyncio.sleep(stage.limits.total)
        return True

    session = await stage.session()

    events = [event async for event in stage.backend.prompt(session, as_prompt(QUESTION), slow)]

    assert events[-1] == AgentDone("finished")


async def test_an_agent_that_ignores_an_abort_is_ended_and_its_session_loaded_again(stage: Stage) -> None:
    session = await stage.session()

    await stage.abort_after_words(session, STUBBORN, LINGER, {"hang": True})

    assert await marked(stage.backend.mark) == frozenset()
    assert await stage.still_works(session) == session
    assert AgentText("3 prompts, mode none") in await stage.turn(session, {"recall": True})


async def test_cancelling_twice_does_not_cut_the_abort_short(stage: Stage) -> None:
    session = await stage.session()
    turn = asyncio.create_task(stage.turn(session, STUBBORN, LINGER, {"hang": True}))
    while len(await marked(stage.backend.mark)) < 2:
        pass

    turn.cancel()
    await asyncio.sleep(0)
    aborted = turn.done()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn

    assert not aborted
    assert await stage.still_works(session) == session


@pytest.mark.parametrize("obstinate", [False, True], ids=["heeds the cancel", "ignores it"])
async def test_an_abort_with_a_question_open_withdraws_it(stage: Stage, obstinate: bool) -> None:
    session = await stage.session()
    asked, answered = asyncio.Event(), asyncio.Event()

    async def never(_: PermissionRequest, /) -> bool:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            answered.set()
        return True

    prompt = as_prompt(*([STUBBORN] if obstinate else []), QUESTION, {"hang": True})
    async with aclosing(stage.backend.prompt(session, prompt, never)) as events:
        await anext(events)
        waiting = asyncio.create_task(anext(events))
        await asked.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    await answered.wait()
    assert await marked(stage.backend.mark) == frozenset()  # it might wait for that answer for ever
    assert await stage.still_works(session) == session


async def test_disposing_in_mid_turn_ends_the_turn(stage: Stage) -> None:
    session = await stage.session()
    events = stage.backend.prompt(session, as_prompt({"say": "a"}, LINGER, {"hang": True}), stage.permit)
    await anext(events)

    await stage.backend.dispose()

    *_, last = [event async for event in events]
    assert isinstance(last, AgentDone)
    assert last.how == "failed"
    assert await marked(stage.backend.mark) == frozenset()
    assert list((stage.root / "stderr").iterdir()) == []


@pytest.mark.parametrize("limits", [replace(AgentTimeouts(), end_of_input=0.2, terminate=0.2)])
async def test_disposing_ends_an_agent_that_will_not_go(stage: Stage) -> None:
    session = await stage.session()
    events = stage.backend.prompt(session, as_prompt({"say": "a"}, {"freeze": True}), stage.permit)
    await anext(events)

    await stage.backend.dispose()

    assert await marked(stage.backend.mark) == frozenset()
    await events.aclose()
