"""What Mulligan adds to an external agent's warm prompt, over driving the same agent directly.

Both drives use one warm process of the scripted agent, in turns, so that whatever slows the machine slows both. The
checkpoint, the sweep and bringing back what was made are no part of the bound: they stand in a row of their own.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from bench.harness import commit_all, project_of, tell
from bench.results import Baseline, Figure, Yielded, at_most
from mulligan.app.configuration import load_configuration
from mulligan.app.delegated_turn import TurnCallbacks
from mulligan.app.delegation import Delegations
from mulligan.app.open_session import open_session
from mulligan.app.project_tools import deny_unasked
from mulligan.app.session import Session
from mulligan.backends.acp import AcpBackend
from mulligan.backends.base import BackendSetup
from mulligan.backends.dispatcher import Dispatcher
from mulligan.backends.pool import BackendPool, MakeBackend
from mulligan.loop.delegated import ExternalAgentModel, run_delegated_turn
from mulligan.loop.plan import TurnPlan
from mulligan.types.agents import AgentEvent, ExternalAgent, PermissionRequest
from mulligan.types.frames import Frame

SCRIPTED = Path(__file__).parent.parent / "tests" / "backends" / "scripted_acp_agent.py"
RUNS = 60
WARM_UP = 5
FILES = 200
MAX_MS = 5.0

TURN: list[dict[str, Any]] = [
    {"think": "I look."},
    *(
        step
        for number in range(3)
        for step in (
            {"call": str(number), "title": "Read file_1.py", "kind": "read", "input": {"path": "file_1.py"}},
            {"update": str(number), "status": "completed", "text": "def function():\n" * 50},
        )
    ),
    *({"say": "word "} for _ in range(40)),
]

Drive = Callable[[], Awaitable[None]]


def measure(_asked: Namespace) -> Iterator[Yielded]:
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home:
        commit_all(project)
        tell(f"{RUNS} warm prompts, three ways in turn")
        direct, ours, whole = asyncio.run(_times(project, Path(home)))
    base = statistics.median(direct)
    added = statistics.median(each - bare for each, bare in zip(ours, direct, strict=True))
    driven = Baseline("the agent, driven directly", base)
    yield Figure("added to a warm prompt", added, "ms", at_most(MAX_MS), note="median of the differences")
    yield Figure("a warm prompt through Mulligan, median", statistics.median(ours), "ms", baseline=driven)
    name = f"the same with checkpoint, sweep and changes brought back, {FILES} files"
    yield Figure(name, statistics.median(whole), "ms", baseline=driven)


async def _times(project: Path, home: Path) -> list[list[float]]:
    script = home / "script.json"
    script.write_text(json.dumps({"turns": [TURN]}))
    agent = ExternalAgent(
        name="scripted", kind="acp", command=(sys.executable, str(SCRIPTED)), env={"SCRIPTED_ACP": str(script)}
    )
    configuration = load_configuration(project, {}, {"MULLIGAN_HOME": str(home), "MULLIGAN_DISCOVERY": "no"})
    async with open_session(configuration) as session:
        backend = AcpBackend(BackendSetup(agent, None, session.log, home))
        callbacks = TurnCallbacks(_print_frame, _ignore, deny_unasked)
        delegations = Delegations(session, {agent.name: agent})
        try:
            direct = await _direct(backend, project)
            ours = await _through_mulligan(session, agent, backend)
            whole = await _whole(delegations, agent, callbacks)
            return await _taken_in_turns(direct, ours, whole)
        finally:
            await delegations.aclose()
            await backend.dispose()


async def _direct(backend: AcpBackend, folder: Path) -> Drive:
    agent_session = await backend.ensure_session(folder, None)

    async def drive() -> None:
        async with aclosing(backend.prompt(agent_session, "do it", _denied)) as events:
            async for _ in events:
                pass

    return drive


async def _through_mulligan(session: Session, agent: ExternalAgent, backend: AcpBackend) -> Drive:
    project = session.settings.project
    pool, dispatcher = BackendPool(_always(backend), log=session.log), Dispatcher()
    agent_session = await backend.ensure_session(project, None)

    # Each turn has a chat of its own: how long one is must not count.
    titles = [f"turn {number}" for number in range(RUNS + WARM_UP)]
    chats = [await session.store.chats.create(project=str(project), agent=agent.name, title=title) for title in titles]

    async def drive() -> None:
        chat = chats.pop()
        plan = TurnPlan(chat.id, agent.name, system="", model=ExternalAgentModel(agent.name), tools=(), step_limit=0)

        async def events() -> AsyncGenerator[AgentEvent, None]:
            opened = await lease.backend.ensure_session(project, agent_session)
            async with aclosing(lease.backend.prompt(opened, "do it", _denied)) as stream:
                async for event in stream:
                    yield event

        with dispatcher.turn(chat.id, agent.name):
            async with pool.lease("bench", agent, None) as lease:
                await run_delegated_turn(
                    plan, "do it", events, store=session.store.messages, emit=_print_frame, log=session.log
                )

    return drive


def _always(backend: AcpBackend) -> MakeBackend:
    def make(_agent: ExternalAgent, _model: str | None) -> AcpBackend:
        return backend

    return make


async def _whole(delegations: Delegations, agent: ExternalAgent, callbacks: TurnCallbacks) -> Drive:
    chat_id = (await delegations.run("do it", agent.name, callbacks=callbacks)).chat_id

    async def drive() -> None:
        await delegations.run("do it", agent.name, chat_id, callbacks=callbacks)

    return drive


async def _taken_in_turns(*drives: Drive) -> list[list[float]]:
    """Milliseconds of each, one after the other, over and over."""
    times: list[list[float]] = [[] for _ in drives]
    for run in range(RUNS + WARM_UP):
        for taken, drive in zip(times, drives, strict=True):
            started = time.perf_counter()
            await drive()
            if run >= WARM_UP:
                taken.append((time.perf_counter() - started) * 1000)
    return times


async def _denied(_request: PermissionRequest) -> bool:
    return False


def _print_frame(frame: Frame) -> None:
    """As `--json` does, but to nowhere."""
    frame.model_dump_json(exclude_none=True)


def _ignore(_words: str) -> None:
    """Nobody listens."""
