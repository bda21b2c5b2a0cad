"""opencode's server when something goes wrong: each turn ends, the next one works, and nothing is left running."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.backends.base import BackendSetup
from mulligan.backends.opencode import OpencodeBackend
from mulligan.runtime.process_trees import marked
from mulligan.types.agents import (
    AgentDone,
    AgentEvent,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
    ExternalAgent,
    PermissionRequest,
)
from mulligan.types.errors import BackendError
from tests.backends.conftest import PassTime, ignore, whole_turn
from tests.backends.opencode.conftest import QUICK, Ask, Backend, no, requests, starts, yes
from tests.backends.opencode.test_opencode_backend import text_of
from tests.patience import PATIENCE

DONE = AgentDone("finished")
BASH = {"permission": "bash", "patterns": ["rm x"], "metadata": {"command": "rm x"}}
FINE = [AgentText("fine"), DONE]
IMPATIENT = replace(QUICK, cancel=0.3)
"""With a server that does not hear of an abort anyway."""


async def begun(agent: OpencodeBackend, folder: Path, *acts: dict[str, Any]) -> AsyncGenerator[AgentEvent, None]:
    """A turn of which the first text, `begun`, has come."""
    session = await agent.ensure_session(folder, None)
    turn = agent.prompt(session, json.dumps([{"say": "begun"}, *acts]), no)
    assert await anext(turn) == AgentText("begun")
    return turn


async def begun_to_start(agent: OpencodeBackend, folder: Path) -> asyncio.Task[str]:
    """A session that is being opened, for which the server's process runs."""
    starting = asyncio.create_task(agent.ensure_session(folder, None))
    while not await marked(agent.mark):
        pass
    return starting


async def test_a_server_that_ends_at_its_start_is_told_and_leaves_nothing(backend: Backend, folder: Path) -> None:
    agent = backend(FAKE_START="exit")
    with pytest.raises(BackendError, match=r"ended \(exit code 1\): no such option"):
        await agent.ensure_session(folder, None)
    assert not await marked(agent.mark)


async def test_a_server_that_never_says_where_it_listens_is_told_and_leaves_nothing(
    backend: Backend, folder: Path, pass_time: PassTime
) -> None:
    agent = backend(FAKE_START="silent")
    starting = await begun_to_start(agent, folder)
    while not starting.done():
        pass_time(QUICK.start)
        await marked(agent.mark)
    with pytest.raises(BackendError, match="not ready within 2 minutes"):
        await starting
    assert not await marked(agent.mark)


async def test_a_server_that_is_never_healthy_is_told_and_leaves_nothing(
    backend: Backend, folder: Path, home: Path, pass_time: PassTime
) -> None:
    agent = backend(FAKE_START="unhealthy")
    starting = await begun_to_start(agent, folder)
    while not ((home / "requests").exists() and requests(home, "/health")):
        await marked(agent.mark)
    pass_time(QUICK.start)
    with pytest.raises(BackendError, match="not ready within 2 minutes"):
        await starting
    assert not await marked(agent.mark)


async def test_noise_before_the_server_listens_is_skipped(backend: Backend, ask: Ask) -> None:
    assert await ask(backend(FAKE_START="noise"), {"say": "fine"}) == FINE


async def test_a_command_that_is_not_there_is_told(tmp_path: Path, folder: Path) -> None:
    agent = ExternalAgent(name="opencode", kind="opencode_server", command=("no-such-command",))
    missing = OpencodeBackend(BackendSetup(agent, None, ignore, tmp_path / "errors"))
    with pytest.raises(BackendError, match="no command no-such-command"):
        await missing.ensure_session(folder, None)


NOISE = [
    pytest.param({"raw": 'data: {"type": "message.part\n\n'}, id="half-an-event"),
    pytest.param({"raw": "data: 123\n\ndata: [1]\n\ndata\n\n: comment\n\n\r\n\r\n"}, id="no-objects"),
    pytest.param({"raw": "event: x\nid: 1\nretry: 5\n\n"}, id="other-fields"),
    pytest.param({"event": {"type": "brand.new", "properties": {"sessionID": "x"}}}, id="unknown-events"),
    pytest.param({"event": {"type": "message.part.updated", "properties": 5}}, id="events-of-another-shape"),
    pytest.param({"event": {"no": "type"}}, id="events-without-a-type"),
    pytest.param({"event": {"type": "session.idle", "properties": {"sessionID": "ses_other"}}}, id="others-go-idle"),
    pytest.param({"flood": 20_000}, id="a-flood-of-others'-events"),
    pytest.param({"raw": f"data: {'x' * 3_000_000}\n\n"}, id="a-very-long-line"),
]


@pytest.mark.parametrize("noise", NOISE)
async def test_noise_on_the_stream_harms_nobody(backend: Backend, ask: Ask, noise: dict[str, Any]) -> None:
    assert text_of(await ask(backend(), {"say": "One."}, noise, {"say": "Two."})) == "One.\n\nTwo."


@pytest.mark.parametrize("loss", [{"cut": True}, {"mute": True}], ids=["ends", "goes-silent"])
async def test_a_stream_that_is_lost_is_opened_anew_and_nothing_is_missed(
    backend: Backend, ask: Ask, loss: dict[str, Any]
) -> None:
    agent = backend(limits=replace(QUICK, quiet=0.5))
    acts = [{"say": "One."}, loss, {"tool": "read", "output": "x"}, {"say": "Two."}, {"ask": BASH}]
    events = await ask(agent, *acts, permit=yes)
    assert text_of(events) == "One.Two.\n\nonce."
    assert [type(event) for event in events if not isinstance(event, AgentText)] == [
        AgentToolCall,
        AgentToolUpdate,
        AgentDone,
    ]
    assert events[-1] == DONE


async def test_a_stream_that_is_lost_at_the_end_does_not_hide_it(backend: Backend, ask: Ask) -> None:
    agent = backend(limits=replace(QUICK, quiet=0.5))
    assert text_of(await ask(agent, {"say": "One."}, {"mute": True}, {"say": "Two."})) == "One.\n\nTwo."


async def test_a_server_that_tells_nothing_is_looked_at_again_and_then_given_up(
    backend: Backend, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mulligan.backends.opencode.turn.BETWEEN_FEEDS", 0.01)
    agent = backend(FAKE_STREAM="closed")
    assert (await ask(agent, {"hang": True}))[-1] == AgentDone(
        "failed", "opencode's server no longer tells what it does."
    )


async def test_the_end_is_seen_even_if_no_event_tells_it(backend: Backend, ask: Ask) -> None:
    assert await ask(backend(FAKE_STREAM="closed"), {"say": "fine"}) == FINE


async def test_an_event_missed_while_nobody_listened_is_asked_once(backend: Backend, ask: Ask, home: Path) -> None:
    asked: list[PermissionRequest] = []

    async def permit(request: PermissionRequest, /) -> bool:
        asked.append(request)
        return True

    await ask(backend(), {"ask": BASH}, {"cut": True}, {"say": "on"}, permit=permit)
    assert len(asked) == 1
    assert len(requests(home, "/reply")) == 1


FAULTS = [
    pytest.param([{"die": 3}], r"opencode's server ended (exit code 3).", 2, id="dies"),
    pytest.param([{"tool": "x"}, {"spawn": True}, {"die": 9}], "exit code 9", 2, id="dies-with-a-process-left-behind"),
    pytest.param([{"refuse": 500}], "answered 500: not now", 1, id="refuses-the-prompt"),
    pytest.param([{"refuse": 404}], "answered 404", 1, id="does-not-know-the-session"),
    pytest.param([{"fail": "401"}], "401", 1, id="has-no-model"),
]


@pytest.mark.parametrize(("acts", "words", "servers"), FAULTS)
async def test_a_fault_ends_the_turn_and_the_next_one_works(
    backend: Backend, ask: Ask, folder: Path, home: Path, *, acts: list[dict[str, Any]], words: str, servers: int
) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    done = (await ask(agent, *acts, session=session))[-1]
    assert isinstance(done, AgentDone)
    assert done.how == "failed"
    assert words in done.detail
    assert await ask(agent, {"say": "fine"}, session=session) == FINE
    assert starts(home) == servers


@pytest.mark.parametrize(
    ("act", "servers"),
    [pytest.param({"hang": True}, 1, id="hears-the-abort"), pytest.param({"deaf": True}, 2, id="does-not-hear-it")],
)
async def test_an_agent_that_falls_silent_is_stopped(
    backend: Backend, ask: Ask, folder: Path, home: Path, pass_time: PassTime, *, act: dict[str, Any], servers: int
) -> None:
    agent = backend(limits=QUICK if servers == 1 else IMPATIENT)
    turn = await begun(agent, folder, act)
    pass_time(QUICK.silence)
    assert await whole_turn(turn) == [AgentDone("failed", "opencode was stopped: no output for 20 seconds.")]
    assert await ask(agent, {"say": "fine"}) == FINE
    assert starts(home) == servers


async def test_open_calls_are_closed_when_the_server_dies(backend: Backend, ask: Ask, folder: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    part = {"id": "prt_x", "messageID": "m", "type": "tool", "tool": "bash", "state": {"status": "running"}}
    info = {"id": "m", "role": "assistant", "time": {"created": 9e15}}
    events = await ask(
        agent,
        {"event": {"type": "message.updated", "properties": {"sessionID": session, "info": info}}},
        {"event": {"type": "message.part.updated", "properties": {"sessionID": session, "part": part}}},
        {"die": 1},
        session=session,
    )
    assert events[:2] == [AgentToolCall("prt_x", "bash", {}), AgentToolUpdate("prt_x", "failed")]


async def test_a_killed_server_is_noticed_between_turns(backend: Backend, ask: Ask, folder: Path, home: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    (pid,) = [process.pid for process in await marked(agent.mark)]
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(PATIENCE):
        while (await agent.health()).alive:  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(0.01)
    assert await ask(agent, {"say": "fine"}, session=session) == FINE
    assert starts(home) == 2


@pytest.mark.parametrize(
    ("act", "servers"),
    [
        pytest.param({"hang": True}, 1, id="that-obeys"),
        pytest.param({"deaf": True}, 2, id="that-does-not-hear"),
        pytest.param({"ask": BASH}, 1, id="that-waits-for-an-answer"),
    ],
)
async def test_an_abort_ends_a_turn(
    backend: Backend, ask: Ask, folder: Path, home: Path, *, act: dict[str, Any], servers: int
) -> None:
    agent = backend(limits=QUICK if servers == 1 else IMPATIENT)
    turn = await begun(agent, folder, {"spawn": True}, act, {"write": "late.txt"})
    await turn.aclose()
    assert await ask(agent, {"say": "fine"}) == FINE
    assert starts(home) == servers
    assert not (folder / "late.txt").exists()


async def test_what_an_aborted_turn_left_behind_is_ended_but_not_the_server(backend: Backend, folder: Path) -> None:
    agent = backend()
    await agent.ensure_session(folder, None)
    server = await marked(agent.mark)
    turn = await begun(agent, folder, {"spawn": True}, {"say": "on"}, {"hang": True})
    await anext(turn)
    assert len(await marked(agent.mark)) == 2
    await turn.aclose()
    assert await marked(agent.mark) == server


async def test_the_abort_of_one_turn_leaves_alone_what_another_started(backend: Backend, folder: Path) -> None:
    agent = backend()
    one = await begun(agent, folder, {"hang": True})
    other = await begun(agent, folder, {"spawn": True}, {"say": "on"}, {"hang": True})
    await anext(other)
    await one.aclose()
    assert len(await marked(agent.mark)) == 2
    await other.aclose()


async def test_an_abort_before_the_server_begins_is_told_again_until_it_stops(
    backend: Backend, folder: Path, home: Path
) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    turn = agent.prompt(session, json.dumps([{"late": True}, {"hang": True}, {"write": "late.txt"}]), no)
    waiting = asyncio.ensure_future(anext(turn))
    async with asyncio.timeout(PATIENCE):
        while not requests(home, "/prompt_async"):  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(requests(home, "/abort")) > 1
    assert starts(home) == 1
    assert not (folder / "late.txt").exists()


async def test_cancelling_who_waits_for_a_permission_rejects_it(backend: Backend, folder: Path, home: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    is_asked = asyncio.Event()

    async def never(request: PermissionRequest, /) -> bool:  # noqa: ARG001  the port names it
        is_asked.set()
        return await asyncio.Event().wait()

    turn = agent.prompt(session, json.dumps([{"ask": BASH}]), never)
    waiting = asyncio.ensure_future(anext(turn))
    await is_asked.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert [request["body"]["reply"] for request in requests(home, "/reply")] == ["reject"]
    assert starts(home) == 1


async def test_dispose_ends_a_turn_that_is_under_way(backend: Backend, folder: Path) -> None:
    agent = backend()
    turn = await begun(agent, folder, {"hang": True})
    await agent.dispose()
    assert not await marked(agent.mark)
    last = [event async for event in turn][-1]
    assert isinstance(last, AgentDone)
    assert last.how == "failed"


async def test_a_person_may_take_longer_to_answer_than_the_agent_may_be_silent(
    backend: Backend, ask: Ask, pass_time: PassTime
) -> None:
    async def slow(request: PermissionRequest, /) -> bool:  # noqa: ARG001  the port names it
        pass_time(QUICK.total)
        return True

    assert text_of(await ask(backend(), {"ask": BASH}, permit=slow)) == "once."


async def test_dispose_ends_a_server_that_is_just_being_started(backend: Backend, folder: Path) -> None:
    agent = backend(FAKE_START="silent")
    starting = await begun_to_start(agent, folder)
    await agent.dispose()
    with pytest.raises(BackendError, match="SIGKILL"):
        await starting
    assert not await marked(agent.mark)


async def test_a_start_that_is_cancelled_twice_leaves_nothing(backend: Backend, folder: Path) -> None:
    agent = backend(FAKE_START="silent")
    starting = await begun_to_start(agent, folder)
    starting.cancel()
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await agent.dispose()
    assert not await marked(agent.mark)
