"""An external agent without a process: it does what a test tells it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mulligan.ports.backends import Permit
from mulligan.types.agents import AgentDone, AgentEvent, AgentText, ExternalAgent, Health
from mulligan.types.errors import BackendError
from mulligan.types.model_io import SentImage

Act = Callable[[Path, str, Permit], AsyncGenerator[AgentEvent, None]]
"""What the agent does in its folder with a prompt."""


async def says_done(_folder: Path, _text: str, _permit: Permit) -> AsyncGenerator[AgentEvent, None]:
    yield AgentText("Done.")
    yield AgentDone("finished")


@dataclass
class FakeBackend:
    act: Act = says_done
    alive: bool = True
    disposed: int = 0
    resists: bool = False
    """It can't be ended."""
    asked_for: list[str | None] = field(default_factory=list[str | None])
    """The sessions that were to be loaded."""
    prompts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """By session."""
    closed: list[str] = field(default_factory=list[str])
    """Sessions."""
    swept: int = 0
    folder: Path = Path()

    async def ensure_session(self, folder: Path, session: str | None) -> str:
        self.folder = folder
        self.asked_for.append(session)
        return session or f"session-{len(self.asked_for)}"

    async def takes_images(self, folder: Path) -> bool:  # noqa: ARG002  the port names it
        return False

    async def prompt(
        self,
        session: str,
        text: str,
        permit: Permit,
        images: Sequence[SentImage] = (),  # noqa: ARG002  it takes none
    ) -> AsyncGenerator[AgentEvent, None]:
        self.prompts.append((session, text))
        async for event in self.act(self.folder, text, permit):
            yield event

    def session_of(self, session: str) -> str:
        return session

    async def close_session(self, session: str) -> None:
        self.closed.append(session)

    async def sweep(self) -> int:
        self.swept += 1
        return 0

    async def dispose(self) -> None:
        if self.resists:
            raise BackendError("it is stuck")
        self.disposed += 1
        self.alive = False

    async def health(self) -> Health:
        await asyncio.sleep(0)  # it takes a moment, in which others may come
        return Health(alive=self.alive, detail="pid 1" if self.alive else "ended (SIGKILL)")


def agent_named(name: str, **more: object) -> ExternalAgent:
    return ExternalAgent.model_validate({"name": name, "kind": "acp", "command": ("true",), **more})
