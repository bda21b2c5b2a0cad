"""An external agent that runs as a command, once per turn."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from uuid import uuid4

from mulligan.backends.base import BackendSetup, BaseBackend
from mulligan.backends.one_shot.turn import CommandTurn
from mulligan.backends.one_shot.turn_reader import CommandTurnReader
from mulligan.backends.time_limits import AgentTimeouts
from mulligan.core.external_commands import chooses_session, command_of, takes_prompt_on_stdin
from mulligan.ports.backends import Permit
from mulligan.runtime.child_process import ChildProcess
from mulligan.types.agents import AgentDone, AgentEvent, AgentReasoning, Health
from mulligan.types.errors import BackendError
from mulligan.types.model_io import SentImage

_UNNAMED = "unnamed-"
"""Before the first turn, an agent that names its own sessions has not named this one yet."""


@dataclass(slots=True)
class _Session:
    folder: Path
    name: str | None
    """The agent's own; ours if the agent accepts one."""
    known: bool
    """The agent has it: it can be resumed."""


class OneShotBackend(BaseBackend):
    """One agent, one command at a time.

    A session is what the agent itself keeps between commands. If the agent chooses its name, we learn it in the first
    turn: `session_of` knows it from then on, and so does `ensure_session`.
    """

    def __init__(self, setup: BackendSetup) -> None:
        super().__init__(setup, AgentTimeouts())
        self._sessions: dict[str, _Session] = {}
        self._turn: CommandTurn | None = None
        self._busy = False

    async def ensure_session(self, folder: Path, session: str | None) -> str:
        """Starts nothing yet. Raises `ConfigurationError` if the agent can't be given the model."""
        command_of(self._agent, self._model)
        folder = await self._work_folder(folder)
        kept = self._sessions.get(session or "")
        if kept is None:
            return self._open(folder, session)
        kept.folder = folder
        return kept.name or session or ""

    def session_of(self, session: str) -> str:
        kept = self._sessions.get(session)
        return (kept and kept.name) or session

    async def prompt(
        self,
        session: str,
        text: str,
        permit: Permit,  # noqa: ARG002  the port names it
        images: Sequence[SentImage] = (),  # noqa: ARG002  it takes none
    ) -> AsyncGenerator[AgentEvent, None]:
        """One run of the command. `permit` is not called: nobody can be asked once it runs. Its arguments decide what
        it may do without asking; what it refuses itself shows up as a failed call.

        If it no longer knows its session, it runs once more, in a new one.
        """
        await self._clearing.wait()
        kept = self._begin(session)
        resume = kept.known
        try:
            while True:
                self._turn = turn = await self._start(kept, text, resume=resume)
                try:
                    async with aclosing(turn.events()) as events:
                        async for event in events:
                            yield event
                finally:
                    await self._clearing.run(turn.finish())
                    self._learn(kept, turn.reader)
                if not (resume and turn.knew_no_session):
                    break
                resume = False
                self._log("agent_session_lost", agent=self._agent.name, session=kept.name)
                yield AgentReasoning(f"{self._agent.name} did not continue its earlier session: it starts a new one.")
            for event in turn.closing():
                yield event
        except BackendError as error:
            yield AgentDone("failed", str(error))
        finally:
            self._busy, self._turn = False, None

    async def close_session(self, session: str) -> None:
        """The agent keeps it: it can be resumed by its id."""
        kept = self._sessions.get(session)
        self._sessions = {name: other for name, other in self._sessions.items() if other is not kept}

    async def health(self) -> Health:
        """An agent without processes between turns is healthy as long as its command exists."""
        if self._turn:
            return Health(alive=True, detail=f"pid {self._turn.child.pid}")
        program = self._agent.command[0]
        if await asyncio.to_thread(shutil.which, program, path=self._agent.env.get("PATH")) is None:
            return Health(alive=False, detail=f"there is no command {program}")
        return Health(alive=True, detail="a command a turn")

    def _child(self) -> ChildProcess | None:
        return self._turn.child if self._turn else None

    async def _end(self) -> None:
        if self._turn:
            await self._turn.finish()

    def _open(self, folder: Path, session: str | None) -> str:
        # An unnamed session of a dead process never had a turn, or its name was not stored: start over.
        known = session is not None and not session.startswith(_UNNAMED)
        name = session if known else str(uuid4()) if chooses_session(self._agent) else None
        opened = name or f"{_UNNAMED}{token_hex(8)}"
        self._sessions[opened] = _Session(folder, name, known and bool(self._agent.resume_args))
        return opened

    def _begin(self, session: str) -> _Session:
        kept = self._sessions.get(session)
        if kept is None:
            raise BackendError(f"{self._agent.name} has no session {session} open.")
        if self._busy:
            raise BackendError(f"{self._agent.name} is busy with another prompt.")
        self._busy = True
        return kept

    async def _start(self, kept: _Session, text: str, *, resume: bool) -> CommandTurn:
        is_new = not resume and chooses_session(self._agent)
        session = kept.name if resume or is_new else None
        command = command_of(self._agent, self._model, text, session, new_session=is_new)
        child = await self._start_process(command, kept.folder)
        child.trim_stderr()
        stdin = text if takes_prompt_on_stdin(self._agent) else ""
        return CommandTurn(self._agent.name, child, CommandTurnReader(self._agent.format), self._limits, stdin=stdin)

    def _learn(self, kept: _Session, reader: CommandTurnReader) -> None:
        named = reader.session or (kept.name if chooses_session(self._agent) and reader.has_output else None)
        if named and self._agent.resume_args:
            kept.name, kept.known = named, True
            self._sessions[named] = kept
