"""A backend over the fake server, as a real process."""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.backends.base import BackendSetup
from mulligan.backends.opencode import OpencodeBackend
from mulligan.backends.time_limits import AgentTimeouts
from mulligan.ports.backends import Permit
from mulligan.types.agents import AgentEvent, ExternalAgent, PermissionRequest
from tests.backends.conftest import Ends, ignore, whole_turn
from tests.patience import PATIENCE

FAKE = Path(__file__).parent / "fake_opencode.py"
QUICK = AgentTimeouts(
    start=PATIENCE, session=PATIENCE, silence=20.0, total=40.0, cancel=PATIENCE, terminate=1.0, quiet=20.0
)

Backend = Callable[..., OpencodeBackend]
Ask = Callable[..., Awaitable[list[AgentEvent]]]


async def yes(request: PermissionRequest, /) -> bool:  # noqa: ARG001  the port names it
    return True


async def no(request: PermissionRequest, /) -> bool:  # noqa: ARG001  the port names it
    return False


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the fake keeps what it knows, and notes what it was asked."""
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def backend(tmp_path: Path, home: Path, made: list[Ends]) -> Backend:
    """Makes a backend."""

    def make(*, limits: AgentTimeouts = QUICK, model: str | None = None, **env: str) -> OpencodeBackend:
        command = (sys.executable, "-S", "-E", str(FAKE))
        agent = ExternalAgent(
            name="opencode", kind="opencode_server", command=command, env={"FAKE_HOME": str(home), **env}
        )
        new = OpencodeBackend(BackendSetup(agent, model, ignore, tmp_path / "errors", limits))
        made.append(new)
        return new

    return make


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Has the acts carried out in a new session, or in the one given."""

    async def ask(
        agent: OpencodeBackend, *acts: dict[str, Any], session: str | None = None, permit: Permit = no
    ) -> list[AgentEvent]:
        opened = await agent.ensure_session(folder, session)
        return await whole_turn(agent.prompt(opened, json.dumps(acts), permit))

    return ask


def requests(home: Path, path: str) -> list[dict[str, Any]]:
    """What the fake was asked at paths that end so."""
    lines = (home / "requests").read_text().splitlines()
    return [request for line in lines if line.startswith("{") and (request := json.loads(line))["path"].endswith(path)]


def starts(home: Path) -> int:
    return (home / "requests").read_text().splitlines().count("started")
