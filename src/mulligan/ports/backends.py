"""External agents, whichever way they are reached."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.agents import AgentEvent, Health, PermissionRequest


class Permit(Protocol):
    """Answers an agent that asks: the person, `--yes`, or the policy."""

    async def __call__(self, request: PermissionRequest, /) -> bool: ...


class AgentBackend(Protocol):
    """One external agent. Every method raises `BackendError`, with words fit for a person."""

    async def ensure_session(self, folder: Path, session: str | None) -> str:
        """A session that works in the folder: the one of this id if it can be had, else a new one. Returns its id.

        The child is started if there is none. What a loaded session replays is swallowed.
        """
        ...

    def prompt(self, session: str, text: str, permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        """One turn. `AgentDone` is the last event, whatever happens to the child: a death is `failed`, no exception.

        Closing the generator, or cancelling who waits on it, aborts the turn: the agent is told, open permissions are
        answered `cancelled`, and an agent that does not stop within 5 seconds is ended. No event of an aborted turn
        shows up in the next one.
        """
        ...

    def session_of(self, session: str) -> str:
        """The id to keep for a session, so that a later process can go on in it.

        It may change in a turn: some agents name a session only once they work in it, or begin a new one in its place.
        """
        ...

    async def sweep(self) -> int:
        """End what the agent's tools left running, but not the agent itself. How many there were."""
        ...

    async def close_session(self, session: str) -> None: ...

    async def dispose(self) -> None:
        """Nothing of it runs afterwards, grandchildren included."""
        ...

    async def health(self) -> Health: ...
