"""One-shot agents made of a few lines of shell, in a folder of their own."""

import json
import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mulligan.backends.acp.limits import Limits
from mulligan.backends.one_shot import OneShotBackend
from mulligan.backends.sweeping import marked
from mulligan.types.backends import AgentDone, AgentEvent, ExternalAgent, PermissionRequest

QUICK = Limits(silence=20.0, total=20.0, cancel=0.3, terminate=0.3)

Backend = Callable[..., OneShotBackend]
Ask = Callable[..., Awaitable[list[AgentEvent]]]


def says(*lines: Any) -> str:
    """Shell that writes each of these as a line: text as it is, anything else as JSON."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return "\n".join(f"printf '%s\\n' {shlex.quote(text)}" for text in texts)


async def permits_nothing(request: PermissionRequest, /) -> bool:
    raise AssertionError(f"a one-shot agent asked for {request.title}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work tree"
    place.mkdir()
    return place


@pytest.fixture
async def backend(tmp_path: Path) -> AsyncGenerator[Backend]:
    """Makes a backend from shell: `$1` is the prompt. Nothing of it may run at the end."""
    made: list[OneShotBackend] = []

    def make(script: str, *, limits: Limits = QUICK, model: str | None = None, **fields: Any) -> OneShotBackend:
        command: Sequence[str] = fields.pop("command", ("/bin/sh", "-c", script, "sh", "{prompt}"))
        agent = ExternalAgent(name="shelly", kind="one_shot", command=tuple(command), **fields)
        new = OneShotBackend(agent, model=model, log=ignore, stderr_folder=tmp_path / "errors", limits=limits)
        made.append(new)
        return new

    yield make
    for each in made:
        await each.dispose()
        assert not await marked(each.mark)


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Asks in a new session, or in the one given, and takes all events. `AgentDone` must be the last, and the only."""

    async def ask(agent: OneShotBackend, prompt: str = "do it", session: str | None = None) -> list[AgentEvent]:
        opened = await agent.ensure_session(folder, session)
        events = [event async for event in agent.prompt(opened, prompt, permits_nothing)]
        assert [isinstance(event, AgentDone) for event in events] == [False] * (len(events) - 1) + [True]
        return events

    return ask


def ignore(event: str, **fields: Any) -> None:
    """A log that nobody reads."""
