"""One-shot agents made of a few lines of shell, in a folder of their own."""

import json
import shlex
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mulligan.backends.base import BackendSetup
from mulligan.backends.one_shot import OneShotBackend
from mulligan.backends.time_limits import AgentTimeouts
from mulligan.types.agents import AgentEvent, ExternalAgent, PermissionRequest
from tests.backends.conftest import Ends, ignore, whole_turn

QUICK = AgentTimeouts(silence=20.0, total=40.0, cancel=0.3, terminate=0.3)

Backend = Callable[..., OneShotBackend]
Ask = Callable[..., Awaitable[list[AgentEvent]]]


def says(*lines: Any) -> str:
    """Shell that writes each of these as a line: text as it is, anything else as JSON."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return "\n".join(f"printf '%s\\n' {shlex.quote(text)}" for text in texts)


async def permits_nothing(request: PermissionRequest, /) -> bool:
    raise AssertionError(f"a one-shot agent asked for {request.title}")


@pytest.fixture
def backend(tmp_path: Path, made: list[Ends]) -> Backend:
    """Makes a backend from shell: `$1` is the prompt."""

    def make(script: str, *, limits: AgentTimeouts = QUICK, model: str | None = None, **fields: Any) -> OneShotBackend:
        command: Sequence[str] = fields.pop("command", ("/bin/sh", "-c", script, "sh", "{prompt}"))
        agent = ExternalAgent(name="shelly", kind="one_shot", command=tuple(command), **fields)
        new = OneShotBackend(BackendSetup(agent, model, ignore, tmp_path / "errors", limits))
        made.append(new)
        return new

    return make


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Asks in a new session, or in the one given, and takes all events."""

    async def ask(agent: OneShotBackend, prompt: str = "do it", session: str | None = None) -> list[AgentEvent]:
        opened = await agent.ensure_session(folder, session)
        return await whole_turn(agent.prompt(opened, prompt, permits_nothing))

    return ask
