"""External agents, however they are reached."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.agents import AgentEvent, Health, PermissionRequest
    from mulligan.types.model_io import SentImage


class Permit(Protocol):
    """Answers an agent's request: the user, `--yes`, or the policy."""

    async def __call__(self, request: PermissionRequest, /) -> bool: ...


class AgentBackend(Protocol):
    """One external agent. Every method raises `BackendError`, with a message for people."""

    async def ensure_session(self, folder: Path, session: str | None) -> str:
        """A session that works in the folder: the one with this id if possible, else a new one. Returns its id.

        Starts the child if there is none. Ignores what a loaded session replays.
        """
        ...

    async def takes_images(self, folder: Path) -> bool:
        """Whether a prompt may have images. Starts the child if it has to be asked."""
        ...

    def prompt(
        self, session: str, text: str, permit: Permit, images: Sequence[SentImage] = ()
    ) -> AsyncGenerator[AgentEvent, None]:
        """One turn. `AgentDone` is the last event, whatever happens to the child: a death is `failed`, not an
        exception.

        Closing the generator, or cancelling its consumer, aborts the turn: the agent is told, open permissions are
        answered `cancelled`, and an agent that does not stop within 5 seconds is ended. No event of an aborted turn
        shows up in the next one.
        """
        ...

    def session_of(self, session: str) -> str:
        """The id to store for a session, so that a later process can continue it.

        It may change in a turn: some agents name a session only once they work in it, or replace it with a new one.
        """
        ...

    async def sweep(self) -> int:
        """End what the agent's tools left running, but not the agent itself. Returns how many there were."""
        ...

    async def close_session(self, session: str) -> None: ...

    async def dispose(self) -> None:
        """Nothing of it keeps running, grandchildren included."""
        ...

    async def health(self) -> Health: ...
