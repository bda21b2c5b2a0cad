"""A backend over the fake server, as a real process."""

import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.backends.opencode import OpencodeBackend, ServerLimits
from mulligan.backends.sweeping import marked
from mulligan.ports.backends import Permit
from mulligan.types.backends import AgentDone, AgentEvent, ExternalAgent, PermissionRequest

FAKE = Path(__file__).parent / "fake_opencode.py"
QUICK = ServerLimits(start=20.0, session=10.0, silence=20.0, total=20.0, cancel=2.0, terminate=1.0, quiet=20.0)

Backend = Callable[..., OpencodeBackend]
Ask = Callable[..., Awaitable[list[AgentEvent]]]


async def yes(request: PermissionRequest, /) -> bool:  # noqa: ARG001  the port names it
    return True


async def no(request: PermissionRequest, /) -> bool:  # noqa: ARG001  the port names it
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work tree"
    place.mkdir()
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the fake keeps what it knows, and notes what it was asked."""
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
async def backend(tmp_path: Path, home: Path) -> AsyncGenerator[Backend]:
    """Makes a backend. Nothing of it may run at the end."""
    made: list[OpencodeBackend] = []

    def make(*, limits: ServerLimits = QUICK, model: str | None = None, **env: str) -> OpencodeBackend:
        command = (sys.executable, "-S", "-E", str(FAKE))
        agent = ExternalAgent(
            name="opencode", kind="opencode_server", command=command, env={"FAKE_HOME": str(home), **env}
        )
        new = OpencodeBackend(agent, model=model, log=ignore, stderr_folder=tmp_path / "errors", limits=limits)
        made.append(new)
        return new

    yield make
    for each in made:
        await each.dispose()
        assert not await marked(each.mark)


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Has the acts carried out in a new session, or in the one given. `AgentDone` must be the last, and the only."""

    async def ask(
        agent: OpencodeBackend, *acts: dict[str, Any], session: str | None = None, permit: Permit = no
    ) -> list[AgentEvent]:
        opened = await agent.ensure_session(folder, session)
        events = [event async for event in agent.prompt(opened, json.dumps(acts), permit)]
        assert [isinstance(event, AgentDone) for event in events] == [False] * (len(events) - 1) + [True]
        return events

    return ask


def requests(home: Path, path: str) -> list[dict[str, Any]]:
    """What the fake was asked at paths that end so."""
    lines = (home / "requests").read_text().splitlines()
    return [request for line in lines if line.startswith("{") and (request := json.loads(line))["path"].endswith(path)]


def starts(home: Path) -> int:
    return (home / "requests").read_text().splitlines().count("started")


def ignore(event: str, **fields: Any) -> None:
    """A log that nobody reads."""
