"""opencode, through its own HTTP server."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from secrets import token_hex

from mulligan.backends.agent_processes import marked, sweep, sweep_around
from mulligan.backends.opencode.server import OpencodeServer
from mulligan.backends.opencode.turn import ServerTurn
from mulligan.backends.time_limits import ServerTimeouts
from mulligan.backends.work_folder import work_folder
from mulligan.ports.backends import Permit
from mulligan.ports.outlets import Log
from mulligan.runtime.unfinished import UnfinishedWork
from mulligan.types.agents import AgentEvent, ExternalAgent, Health
from mulligan.types.errors import BackendError, ConfigurationError
from mulligan.types.tool_calls import JsonObject


class OpencodeBackend:
    """One server for all sessions, which may be asked at the same time; each session one prompt at a time.

    A server that died, or would not let go of a prompt, is replaced by the next `ensure_session`.
    """

    def __init__(
        self,
        agent: ExternalAgent,
        *,
        model: str | None,
        log: Log,
        stderr_folder: Path,
        limits: ServerTimeouts | None = None,
    ) -> None:
        self.mark = token_hex(8)
        """In the environment of all that the server starts."""
        self._agent = agent
        self._model = model
        self._log = log
        self._limits = limits or ServerTimeouts()
        self._stderr = stderr_folder / f"{self.mark}.log"
        self._server: OpencodeServer | None = None
        self._since = ""
        self._gone = "not started"
        self._folders: dict[str, Path] = {}
        """Of the sessions that are open."""
        self._busy: set[str] = set()
        self._opening = asyncio.Lock()
        self._clearing = UnfinishedWork()

    async def ensure_session(self, folder: Path, session: str | None) -> str:
        _as_model(self._model)
        folder = await work_folder(folder, self._agent.name)
        async with self._opening:
            await self._clearing.wait()
            server = self._server
            if session and server and not server.has_ended and self._folders.get(session) == folder:
                return session
            server = await self._live()
            opened = await self._found(server, folder, session) or await server.api.create_session(folder)
        self._folders[opened] = folder
        return opened

    def session_of(self, session: str) -> str:
        return session

    async def prompt(self, session: str, text: str, permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        await self._clearing.wait()
        turn = self._begin(session, permit)
        try:
            turn.before = await marked(self.mark)
            async with aclosing(turn.events(text, _as_model(self._model))) as events:
                async for event in events:
                    yield event
            last: list[AgentEvent] = []
        except BackendError as error:
            last = await turn.broken_off(error)
        finally:
            self._busy.discard(session)
            if not turn.is_over:
                await self._clearing.run(self._stop(turn))
        for event in last:
            yield event

    async def close_session(self, session: str) -> None:
        """opencode keeps it: it can be gone on with by its id."""
        self._folders.pop(session, None)

    async def sweep(self) -> int:
        return await sweep_around(self.mark, self._server.child.pid if self._server else None)

    async def dispose(self) -> None:
        await self._clearing.wait()
        if self._server:
            await self._clearing.run(self._drop(self._server))
        else:
            await sweep(self.mark)  # one that is just being started
        self._gone = "not started"
        await asyncio.to_thread(self._stderr.unlink, missing_ok=True)

    async def health(self) -> Health:
        if self._server is None:
            return Health(alive=False, detail=self._gone)
        if ended := self._server.has_ended:
            return Health(alive=False, detail=ended)
        return Health(alive=True, detail=f"pid {self._server.child.pid}, since {self._since}")

    async def _live(self) -> OpencodeServer:
        """The server, started if there is none that works."""
        if self._server and self._server.has_ended:
            await self._clearing.run(self._drop(self._server))
        if self._server is None:
            self._server = await OpencodeServer.start(
                self._agent, mark=self.mark, stderr=self._stderr, limits=self._limits, clearing=self._clearing
            )
            self._since = time.strftime("%H:%M:%S")
        return self._server

    async def _found(self, server: OpencodeServer, folder: Path, session: str | None) -> str | None:
        if session is None:
            return None
        if await server.api.folder_of(folder, session) == str(folder):
            return session
        self._log("agent_session_not_loaded", agent=self._agent.name, session=session)
        return None

    def _begin(self, session: str, permit: Permit) -> ServerTurn:
        if self._server is None or session not in self._folders:
            raise BackendError(f"{self._agent.name} has no session {session} open.")
        if session in self._busy:
            raise BackendError(f"{self._agent.name} is busy with another prompt in this session.")
        self._busy.add(session)
        self._server.child.trim_stderr()
        return ServerTurn(
            self._server,
            session,
            self._folders[session],
            permit,
            name=self._agent.name,
            limits=self._limits,
            log=self._log,
        )

    async def _stop(self, turn: ServerTurn) -> None:
        """Leave nothing of a turn behind. A server that goes on with it is ended, whoever else it works for."""
        if turn.server.has_ended or not await turn.stop():
            await self._drop(turn.server)
        elif self._busy:
            await self.sweep()  # what hangs on the server may be another turn's
        else:
            await sweep(self.mark, spare=turn.before)

    async def _drop(self, server: OpencodeServer) -> None:
        """End the server and all that it started. The next session gets another."""
        if self._server is server:
            self._server = None
        await server.end()
        self._gone = server.has_ended or "stuck"


def _as_model(model: str | None) -> JsonObject | None:
    if model is None:
        return None
    provider, slash, name = model.partition("/")
    if not (slash and provider and name):
        raise ConfigurationError(f"opencode names models as provider/model, and {model} is not of that form.")
    return {"providerID": provider, "modelID": name}
