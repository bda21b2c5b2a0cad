"""A one-shot agent that misbehaves: each turn has an end, the next one works, and nothing is left running."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.backends.one_shot import OneShotBackend
from mulligan.backends.one_shot import turn as one_shot_turn
from mulligan.runtime.process_trees import marked
from mulligan.types.agents import AgentDone, AgentEvent, AgentText
from tests.backends.conftest import PassTime, whole_turn
from tests.backends.one_shot.conftest import QUICK, Ask, Backend, permits_nothing, says

WORKS_WITHOUT_FAULT = "[ -e fault ] || { echo fine; exit 0; }\nrm fault\n"
"""The fault comes once; then the agent works."""
AS_TEXT = [AgentText("fine\n"), AgentDone("finished")]
OK = {"type": "result", "subtype": "success", "is_error": False}


async def begun(agent: OneShotBackend, folder: Path) -> AsyncGenerator[AgentEvent, None]:
    """A turn of which the first text, `begun`, has come."""
    session = await agent.ensure_session(folder, None)
    turn = agent.prompt(session, "x", permits_nothing)
    assert await anext(turn) == AgentText("begun\n")
    return turn


async def no_process_is_left(agent: OneShotBackend) -> bool:
    return not await marked(agent.mark)


FAULTS = [
    pytest.param("exit 3", "exit code 3", id="exits-with-a-code"),
    pytest.param("kill -9 $$", "SIGKILL", id="is-killed"),
    pytest.param("echo broken >&2; exit 1", "broken", id="complains-and-dies"),
    pytest.param("exec yes", "output did not end", id="floods-in-lines"),
    pytest.param("exec tr '\\0' x < /dev/zero", "output did not end", id="floods-without-a-line's-end"),
    pytest.param("setsid sleep 100 & exit 1", "exit code 1", id="leaves-a-process-in-a-session-of-its-own"),
    pytest.param("sleep 100 & exit 1", "exit code 1", id="leaves-a-process-that-holds-the-output"),
    pytest.param("exec >&-; exec sleep 100", "did not end", id="closes-its-output-and-stays"),
]


@pytest.fixture
def small_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood is seen after 1 MB."""
    monkeypatch.setattr(one_shot_turn, "OUTPUT_LIMIT", 1_000_000)
    monkeypatch.setattr(one_shot_turn, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr("mulligan.runtime.child_process.LineSplitter.__init__.__defaults__", (1_000_000,))


@pytest.mark.parametrize(("fault", "words"), FAULTS)
@pytest.mark.usefixtures("small_room")
async def test_a_fault_ends_the_turn_and_the_next_one_works(
    backend: Backend, ask: Ask, folder: Path, fault: str, words: str
) -> None:
    (folder / "fault").touch()
    agent = backend(WORKS_WITHOUT_FAULT + fault)
    done = (await ask(agent))[-1]
    assert isinstance(done, AgentDone)
    assert done.how == "failed"
    assert words in done.detail
    assert await no_process_is_left(agent)
    assert await ask(agent) == AS_TEXT


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param("exec sleep 100", id="heeds-signals"),
        pytest.param("trap '' INT TERM; while :; do sleep 1; done", id="ignores-signals"),
    ],
)
async def test_an_agent_that_falls_silent_is_stopped(
    backend: Backend, ask: Ask, folder: Path, pass_time: PassTime, fault: str
) -> None:
    (folder / "fault").touch()
    agent = backend(f"{WORKS_WITHOUT_FAULT}echo begun; {fault}")
    turn = await begun(agent, folder)
    pass_time(QUICK.silence)
    done = (await whole_turn(turn))[-1]
    assert done == AgentDone("failed", "shelly was stopped: no output for 20 seconds.")
    assert await no_process_is_left(agent)
    assert await ask(agent) == AS_TEXT


async def test_a_command_that_is_not_there_fails_the_turn_with_advice(backend: Backend, ask: Ask) -> None:
    agent = backend("", command=("no-such-command-here",), install="npm install it")
    done = (await ask(agent))[-1]
    assert done == AgentDone(
        "failed",
        "shelly could not be started: there is no command no-such-command-here. Install it with: npm install it",
    )


async def test_a_prompt_too_long_for_an_argument_fails_the_turn(backend: Backend, ask: Ask) -> None:
    done = (await ask(backend("true"), "x" * 3_000_000))[-1]
    assert done == AgentDone("failed", "shelly could not be started: Argument list too long.")


async def test_binary_on_standard_output_is_skipped_in_a_format(backend: Backend, ask: Ask) -> None:
    agent = backend("head -c 300000 /dev/urandom; echo\n" + says(OK), format="claude")
    assert await ask(agent) == [AgentDone("finished")]


async def test_a_very_long_line_is_read_whole(backend: Backend, ask: Ask) -> None:
    agent = backend("head -c 5000000 /dev/zero | tr '\\0' x")
    assert await ask(agent) == [AgentText("x" * 5_000_000 + "\n"), AgentDone("finished")]


async def test_nothing_is_lost_if_whoever_takes_the_events_is_slower_than_the_agent(
    backend: Backend, folder: Path
) -> None:
    agent = backend(f"echo begun; yes {'x' * 100} | head -n 20000")
    turn = await begun(agent, folder)
    running = agent._turn  # pyright: ignore[reportPrivateUsage] - nothing else tells when all was written
    assert running
    await asyncio.wait(running._pumps)  # pyright: ignore[reportPrivateUsage]
    assert len([event async for event in turn]) == 20_000 + 1


async def test_a_process_that_stays_after_its_last_word_is_ended(backend: Backend, ask: Ask) -> None:
    agent = backend(says(OK) + "\nexec sleep 100", format="claude")
    assert await ask(agent) == [AgentDone("finished")]
    assert await no_process_is_left(agent)


async def test_an_abort_interrupts_as_a_person_would(backend: Backend, folder: Path) -> None:
    script = "trap 'echo > interrupted; exit 0' INT; echo begun; while :; do sleep 0.05; done"
    agent = backend(script, limits=replace(QUICK, cancel=20.0))
    turn = await begun(agent, folder)
    await turn.aclose()
    assert (folder / "interrupted").exists()
    assert await no_process_is_left(agent)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("echo begun; exec sleep 100", id="obeys"),
        pytest.param("trap '' INT; echo begun; while :; do sleep 0.05; done", id="ignores-the-interrupt"),
        pytest.param("trap '' INT TERM; echo begun; while :; do sleep 0.05; done", id="ignores-all-it-can"),
        pytest.param(
            "setsid sh -c 'trap \"\" INT TERM; sleep 100' & echo begun; wait", id="has-a-grandchild-elsewhere"
        ),
    ],
)
async def test_nothing_runs_after_an_abort_and_the_next_turn_works(
    backend: Backend, ask: Ask, folder: Path, script: str
) -> None:
    (folder / "fault").touch()
    agent = backend(WORKS_WITHOUT_FAULT + script)
    turn = await begun(agent, folder)
    await turn.aclose()
    assert await no_process_is_left(agent)
    assert await ask(agent) == AS_TEXT


async def test_cancelling_who_waits_aborts_the_turn(backend: Backend, ask: Ask, folder: Path) -> None:
    (folder / "fault").touch()
    agent = backend(WORKS_WITHOUT_FAULT + "echo begun; exec sleep 100")
    turn = await begun(agent, folder)
    waiting = asyncio.create_task(anext(turn))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await no_process_is_left(agent)
    assert await ask(agent) == AS_TEXT


async def test_dispose_ends_a_turn_that_is_under_way(backend: Backend, folder: Path) -> None:
    agent = backend("echo begun; exec sleep 100")
    turn = await begun(agent, folder)
    await agent.dispose()
    assert await no_process_is_left(agent)
    last = [event async for event in turn][-1]
    assert isinstance(last, AgentDone)
    assert last.how == "failed"


async def test_a_sweep_spares_the_turn_under_way(backend: Backend, folder: Path) -> None:
    left = "(setsid sh -c ': > there; exec sleep 100' &)"  # no further process: `touch` may end after its file is there
    agent = backend(f"{left}; until [ -e there ]; do sleep 0.01; done; echo begun; exec sleep 100")
    turn = await begun(agent, folder)
    assert await agent.sweep() == 1
    assert len(await marked(agent.mark)) == 1
    await turn.aclose()
