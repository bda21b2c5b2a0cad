"""Agents as pages see them, with a check for installed external agents that keeps nobody waiting."""

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Literal

from mulligan.app.agents.installed import InstalledProgram, RunProcess, find_installed, program_of
from mulligan.app.project_tools import can_write
from mulligan.server.views.body import Body
from mulligan.types.agents import AgentSpec, ExternalAgent
from mulligan.workspace.process import run_process


class AgentView(Body):
    name: str
    description: str
    kind: Literal["native", "external"]
    writes: bool
    here: bool
    """An external agent whose program was not found can't be used."""
    version: str | None = None
    install: str = ""
    """The command that installs it."""
    tools: tuple[str, ...] = ()
    source: str = ""


FRESH = 600.0
"""Seconds after which programs are asked for their versions again."""


class InstalledVersions:
    """The versions of external agents. Asking all programs takes up to 5 seconds, so it runs in the background."""

    def __init__(
        self,
        agents: Collection[ExternalAgent],
        run: RunProcess = run_process,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._agents = agents
        self._run = run
        self._monotonic = monotonic
        self._found: dict[str, InstalledProgram] = {}
        self._asked_at: float | None = None
        self._asking: asyncio.Task[None] | None = None

    def known(self) -> dict[str, InstalledProgram]:
        """The last check's findings by agent, empty before the first check. If they are old, starts another."""
        if self._asked_at is None or self._monotonic() - self._asked_at > FRESH:
            self._asked_at = self._monotonic()
            self._asking = asyncio.create_task(self._look())
        return self._found

    async def settled(self) -> None:
        """Wait for the running check, if there is one."""
        if self._asking:
            await asyncio.wait([self._asking])

    async def close(self) -> None:
        if self._asking:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    async def _look(self) -> None:
        self._found = await find_installed(self._agents, self._run)


def native_view(agent: AgentSpec) -> AgentView:
    return AgentView(
        name=agent.name,
        description=agent.description,
        kind="native",
        writes=can_write(agent),
        here=True,
        tools=agent.tools,
        source=agent.source,
    )


def external_view(agent: ExternalAgent, found: InstalledProgram | None) -> AgentView:
    """Whether its program is installed is checked right away, whatever the last check found."""
    return AgentView(
        name=agent.name,
        description=agent.description,
        kind="external",
        writes=True,
        here=program_of(agent) is not None,
        version=found.version if found else None,
        install=agent.install,
        source=agent.source,
    )
