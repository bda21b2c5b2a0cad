"""What Mulligan adds to an external agent's warm prompt, over driving the same agent directly.

Both drives use one warm process of the scripted agent, in turns, so that whatever slows the machine slows both. The
checkpoint, the sweep and bringing back what was made are no part of the bound: they stand in a row of their own.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

from bench.harness import print_table, project_of
from mulligan.backends.acp import AcpBackend
from mulligan.backends.dispatcher import Dispatcher
from mulligan.backends.pool import BackendPool, MakeBackend
from mulligan.configuration import load_configuration
from mulligan.delegate_wiring import Delegations
from mulligan.delegated_turn import Outlets
from mulligan.loop.delegated import AgentsModel, run_delegated_turn
from mulligan.loop.plan import TurnPlan
from mulligan.types.backends import AgentEvent, ExternalAgent, PermissionRequest
from mulligan.types.frames import Frame
from mulligan.wiring import House, open_house
from mulligan.workbench import nobody_to_ask

SCRIPTED = Path(__file__).parent.parent / "tests" / "backends" / "scripted_acp_agent.py"
RUNS = 60
WARM_UP = 5
FILES = 200
MOST_MS = 5.0

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


def main() -> bool:
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home:
        for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
            identity = ["-c", "user.name=b", "-c", "user.email=b@localhost"]
            subprocess.run(["git", *identity, *arguments], cwd=project, check=True)
        return asyncio.run(_measure(project, Path(home)))


async def _measure(project: Path, home: Path) -> bool:
    script = home / "script.json"
    script.write_text(json.dumps({"turns": [TURN]}))
    agent = ExternalAgent(
        name="scripted", kind="acp", command=(sys.executable, str(SCRIPTED)), env={"SCRIPTED_ACP": str(script)}
    )
    configuration = load_configuration(project, {}, {"MULLIGAN_HOME": str(home), "MULLIGAN_DISCOVERY": "no"})
    async with open_house(configuration) as house:
        backend = AcpBackend(agent, model=None, log=house.log, stderr_folder=home)
        outlets = Outlets(_print_frame, _ignore, nobody_to_ask)
        delegations = Delegations(house, {agent.name: agent})
        try:
            direct = await _direct(backend, project)
            ours = await _through_mulligan(house, agent, backend)
            whole = await _whole(delegations, agent, outlets)
            times = await _taken_in_turns(direct, ours, whole)
        finally:
            await delegations.aclose()
            await backend.dispose()
    return _report(*times)


async def _direct(backend: AcpBackend, folder: Path) -> Drive:
    session = await backend.ensure_session(folder, None)

    async def drive() -> None:
        async with aclosing(backend.prompt(session, "do it", _denied)) as events:
            async for _ in events:
                pass

    return drive


async def _through_mulligan(house: House, agent: ExternalAgent, backend: AcpBackend) -> Drive:
    project = house.settings.project
    pool, dispatcher = BackendPool(_always(backend), log=house.log), Dispatcher()
    session = await backend.ensure_session(project, None)

    # Each turn has a chat of its own: how long one is must not count.
    titles = [f"turn {number}" for number in range(RUNS + WARM_UP)]
    chats = [await house.store.create_chat(project=str(project), agent=agent.name, title=title) for title in titles]

    async def drive() -> None:
        chat = chats.pop()
        plan = TurnPlan(chat.id, agent.name, system="", model=AgentsModel(agent.name), tools=(), step_limit=0)

        async def events() -> AsyncGenerator[AgentEvent, None]:
            opened = await lease.backend.ensure_session(project, session)
            async with aclosing(lease.backend.prompt(opened, "do it", _denied)) as stream:
                async for event in stream:
                    yield event

        with dispatcher.turn(chat.id, agent.name):
            async with pool.lease("bench", agent, None) as lease:
                await run_delegated_turn(plan, "do it", events, store=house.store, emit=_print_frame, log=house.log)

    return drive


def _always(backend: AcpBackend) -> MakeBackend:
    def make(_agent: ExternalAgent, _model: str | None) -> AcpBackend:
        return backend

    return make


async def _whole(delegations: Delegations, agent: ExternalAgent, outlets: Outlets) -> Drive:
    chat_id = (await delegations.run("do it", agent.name, outlets=outlets)).chat_id

    async def drive() -> None:
        await delegations.run("do it", agent.name, chat_id, outlets=outlets)

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


def _report(direct: list[float], ours: list[float], whole: list[float]) -> bool:
    base = statistics.median(direct)
    added = statistics.median(each - bare for each, bare in zip(ours, direct, strict=True))
    rows = [
        ("the agent, driven directly", f"{base:.1f}", "-", "1.00", "-", "-"),
        (
            "through Mulligan",
            f"{statistics.median(ours):.1f}",
            f"{added:.1f}",
            f"{statistics.median(ours) / base:.2f}",
            f"+{MOST_MS:g} ms",
            "yes" if added <= MOST_MS else "NO",
        ),
        (
            f"with checkpoint, sweep and changes brought back, {FILES} files",
            f"{statistics.median(whole):.1f}",
            f"{statistics.median(whole) - base:.1f}",
            f"{statistics.median(whole) / base:.2f}",
            "-",
            "-",
        ),
    ]
    columns = ("warm prompt", "median ms", "added ms", "ratio", "at most", "holds")
    print_table(f"A warm prompt of 3 calls and 40 pieces of text, {RUNS} runs", columns, rows)
    return added <= MOST_MS


async def _denied(_request: PermissionRequest) -> bool:
    return False


def _print_frame(frame: Frame) -> None:
    """As `--json` does, but to nowhere."""
    frame.model_dump_json(exclude_none=True)


def _ignore(_words: str) -> None:
    """Nobody listens."""
