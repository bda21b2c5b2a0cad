"""Shared by the three ways to reach an agent: how to start it, and how to leave nothing behind."""

import asyncio
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from mulligan.backends.time_limits import AgentTimeouts
from mulligan.core.external_commands import AgentCommand
from mulligan.ports.callbacks import Log
from mulligan.runtime.child_process import ChildProcess
from mulligan.runtime.process_trees import sweep, sweep_around
from mulligan.runtime.uninterrupted import UnfinishedWork
from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import BackendError


@dataclass(frozen=True, slots=True)
class BackendSetup:
    """What a backend is made with."""

    agent: ExternalAgent
    model: str | None
    log: Log
    stderr_folder: Path
    """Where the agent's standard error goes."""
    limits: AgentTimeouts | None = None
    """If they differ from the usual ones."""


class BaseBackend(ABC):
    """One external agent. Subclasses, which know how to talk to it, implement the rest of
    `ports.backends.AgentBackend`."""

    def __init__(self, setup: BackendSetup, usual: AgentTimeouts) -> None:
        self.mark = token_hex(8)
        """In the environment of everything the agent starts."""
        self._agent = setup.agent
        self._model = setup.model
        self._log = setup.log
        self._limits = setup.limits or usual
        self._stderr = setup.stderr_folder / f"{self.mark}.log"
        self._clearing = UnfinishedWork()

    async def takes_images(self, folder: Path) -> bool:  # noqa: ARG002  the port names it
        return False

    def session_of(self, session: str) -> str:
        return session

    async def sweep(self) -> int:
        child = self._child()
        return await sweep_around(self.mark, child.pid if child else None)

    async def dispose(self) -> None:
        await self._clearing.wait()
        await self._clearing.run(self._end())
        await sweep(self.mark)  # also ends an agent that is just starting
        await asyncio.to_thread(self._stderr.unlink, missing_ok=True)

    @abstractmethod
    def _child(self) -> ChildProcess | None:
        """The agent's process, if there is one."""

    @abstractmethod
    async def _end(self) -> None:
        """End the agent's process, if there is one."""

    async def _start_process(self, command: AgentCommand, folder: Path) -> ChildProcess:
        """Raises `BackendError`."""
        # An agent may trust PWD more than its working directory.
        env = {**os.environ, **command.env, "PWD": str(folder)}
        return await ChildProcess.start(
            command.argv,
            name=self._agent.name,
            install=self._agent.install,
            cwd=folder,
            env=env,
            mark=self.mark,
            stderr=self._stderr,
        )

    async def _work_folder(self, folder: Path) -> Path:
        """The folder, as an absolute path. Raises `BackendError` if it does not exist.

        We check it: some agents accept a missing folder, and work somewhere else, or create it.
        """
        if not await asyncio.to_thread(folder.is_dir):
            raise BackendError(f"{folder} is not a folder: {self._agent.name} can't work there.")
        return await asyncio.to_thread(folder.absolute)
