"""What the tests of all backends need."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from mulligan.runtime.process_trees import marked
from mulligan.types.agents import AgentDone, AgentEvent

PassTime = Callable[[float], None]


class Ends(Protocol):
    """A backend, as far as it is ended."""

    mark: str

    async def dispose(self) -> None: ...


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the agent works."""
    place = tmp_path / "work tree"
    place.mkdir()
    return place


@pytest.fixture
async def made() -> AsyncGenerator[list[Ends]]:
    """The backends that a test makes. Nothing of them may run at its end."""
    backends: list[Ends] = []
    yield backends
    for each in backends:
        await each.dispose()
        assert not await marked(each.mark)


@pytest.fixture
def pass_time() -> PassTime:
    """Makes so many seconds pass at once: the clock of the test's loop jumps, and is never put back."""
    passed: list[float] = []

    def jump(seconds: float) -> None:
        loop = asyncio.get_running_loop()
        if not passed:
            monotonic = loop.time
            pytest.MonkeyPatch().setattr(loop, "time", lambda: monotonic() + sum(passed))
        passed.append(seconds)

    return jump


async def whole_turn(events: AsyncGenerator[AgentEvent, None]) -> list[AgentEvent]:
    """All events of a turn. `AgentDone` must be the last, and the only."""
    told = [event async for event in events]
    assert [isinstance(event, AgentDone) for event in told] == [False] * (len(told) - 1) + [True]
    return told


def ignore(event: str, **fields: Any) -> None:
    """A log that nobody reads."""
