import json
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mulligan.backends.acp import AcpBackend
from mulligan.backends.base import BackendSetup
from mulligan.backends.time_limits import AgentTimeouts
from mulligan.runtime.process_trees import marked
from mulligan.types.agents import AgentDone, AgentEvent, AgentText, ExternalAgent, PermissionRequest

SCRIPTED_AGENT = Path(__file__).parent.parent / "scripted_acp_agent.py"

Step = dict[str, Any]

LINGER: Step = {"run": ["sleep", "1000"]}
"""A process in a session of its own, which holds the agent's output open."""


@dataclass
class Stage:
    """The scripted agent behind an `AcpBackend`, its folder, and what was asked and logged."""

    root: Path
    limits: AgentTimeouts = field(default_factory=AgentTimeouts)
    allow: bool = True
    asked: list[PermissionRequest] = field(default_factory=list[PermissionRequest])
    logged: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.folder = self.root / "tree"
        self.folder.mkdir(parents=True)
        self.state = self.root / "state"
        self.state.mkdir()
        self.script_file = self.root / "script.json"
        self.script()
        self.backend = self.another()

    def script(self, **script: Any) -> None:
        """For processes of the agent that start from now on."""
        self.script_file.write_text(json.dumps({"state": str(self.state), **script}), encoding="utf-8")

    def another(self, **agent: Any) -> AcpBackend:
        scripted = {
            "name": "scripted",
            "kind": "acp",
            "command": (sys.executable, str(SCRIPTED_AGENT)),
            "env": {"SCRIPTED_ACP": str(self.script_file)},
        }
        external = ExternalAgent.model_validate({**scripted, **agent})
        return AcpBackend(BackendSetup(external, None, self.log, self.root / "stderr", self.limits))

    def log(self, event: str, **_: Any) -> None:
        self.logged.append(event)

    async def permit(self, request: PermissionRequest, /) -> bool:
        self.asked.append(request)
        return self.allow

    async def session(self, session: str | None = None) -> str:
        return await self.backend.ensure_session(self.folder, session)

    async def turn(self, session: str, *steps: Step) -> list[AgentEvent]:
        """All events of a turn in which the agent does these steps."""
        return [event async for event in self.backend.prompt(session, as_prompt(*steps), self.permit)]

    async def abort_after_words(self, session: str, *steps: Step) -> None:
        """A turn that is aborted as soon as the agent says something."""
        async with aclosing(self.backend.prompt(session, as_prompt(*steps), self.permit)) as events:
            async for event in events:
                if isinstance(event, AgentText):
                    return
        pytest.fail("the agent said nothing")

    async def agent_pid(self) -> int:
        health = await self.backend.health()
        return int(health.detail.removeprefix("pid ").partition(",")[0])

    async def still_works(self, session: str) -> str:
        """That the next turn is a normal one. Returns the id of the session that it was in."""
        opened = await self.session(session)
        assert await self.turn(opened, {"say": "here"}) == [AgentText("here"), AgentDone("finished")]
        return opened


def as_prompt(*steps: Step) -> str:
    return f"script: {json.dumps(steps)}"


@pytest.fixture
def limits() -> AgentTimeouts:
    """Short for what is going to fail, ample for what is not: the machine may be slow."""
    return AgentTimeouts(cancel=0.3, end_of_input=0.3, terminate=0.3)


@pytest.fixture
async def stage(tmp_path: Path, limits: AgentTimeouts) -> AsyncIterator[Stage]:
    """Its agent is gone after the test, with all that it started."""
    stage = Stage(tmp_path, limits)
    yield stage
    await stage.backend.dispose()
    assert await marked(stage.backend.mark) == frozenset()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def one_stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """For the tests of a whole module, since an agent takes long to start. It is to run from the first to the last."""
    stage = Stage(tmp_path_factory.mktemp("stage"), AgentTimeouts())
    yield stage
    await stage.backend.dispose()
    assert await marked(stage.backend.mark) == frozenset()


@pytest_asyncio.fixture(loop_scope="module")
async def session(one_stage: Stage) -> str:
    """A new one, with the agent that runs."""
    one_stage.allow = True
    one_stage.asked.clear()
    one_stage.logged.clear()
    return await one_stage.session()
