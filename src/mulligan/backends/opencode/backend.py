"""opencode, through its own HTTP server."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

from mulligan.backends.base import BackendSetup, BaseBackend
from mulligan.backends.opencode.server import OpencodeServer
from mulligan.backends.opencode.turn import ServerTurn
from mulligan.backends.time_limits import AgentTimeouts
from mulligan.ports.backends import Permit
from mulligan.runtime.child_process import ChildProcess
from mulligan.runtime.process_trees import marked, sweep
from mulligan.types.agents import AgentEvent, Health
from mulligan.types.errors import BackendError, ConfigurationError
from mulligan.types.model_io import SentImage
from mulligan.types.tool_calls import JsonObject

SERVER_START = 20.0
"""Seconds to start listening. It took 2.5, and 7 on a busy machine."""


class OpencodeBackend(BaseBackend):
    """One server for all sessions, which may work at the same time; each session one prompt at a time.

    A server that died, or would not stop a prompt, is replaced by the next `ensure_session`.
    """

    def __init__(self, setup: BackendSetup) -> None:
        super().__init__(setup, AgentTimeouts(start=SERVER_START))
        self._server: OpencodeServer | None = None
        self._since = ""
        self._gone = "not started"
        self._folders: dict[str, Path] = {}
        """Of the sessions that are open."""
        self._busy: set[str] = set()
        self._opening = asyncio.Lock()

    async def ensure_session(self, folder: Path, session: str | None) -> str:
        _as_model(self._model)
        folder = await self._work_folder(folder)
        async with self._opening:
            await self._clearing.wait()
            server = self._server
            if session and server and not server.has_ended and self._folders.get(session) == folder:
                return session
            server = await self._live()
            opened = await self._found(server, folder, session) or await server.api.create_session(folder)
        self._folders[opened] = folder
        return opened

    async def prompt(
        self,
        session: str,
        text: str,
        permit: Permit,
        images: Sequence[SentImage] = (),  # noqa: ARG002  it takes none
    ) -> AsyncGenerator[AgentEvent, None]:
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
        """opencode keeps it: it can be resumed by its id."""
        self._folders.pop(session, None)

    async def health(self) -> Health:
        if self._server is None:
            return Health(alive=False, detail=self._gone)
        if ended := self._server.has_ended:
            return Health(alive=False, detail=ended)
        return Health(alive=True, detail=f"pid {self._server.child.pid}, since {self._since}")

    def _child(self) -> ChildProcess | None:
        return self._server.child if self._server else None

    async def _end(self) -> None:
        if self._server:
            await self._drop(self._server)
        self._gone = "not started"

    async def _live(self) -> OpencodeServer:
        """The server, started if there is no working one."""
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
        """Leave nothing of a turn behind. If the server continues it, the server is ended, even if others use it."""
        if turn.server.has_ended or not await turn.stop():
            await self._drop(turn.server)
        elif self._busy:
            await self.sweep()  # the server's own child processes may belong to another turn
        else:
            await sweep(self.mark, spare=turn.before)

    async def _drop(self, server: OpencodeServer) -> None:
        """End the server and everything it started. The next session gets another."""
        if self._server is server:
            self._server = None
        await server.end()
        self._gone = server.has_ended or "stuck"


def _as_model(model: str | None) -> JsonObject | None:
    if model is None:
        return None
    provider, slash, name = model.partition("/")
    if not (slash and provider and name):
        raise ConfigurationError(f"opencode names models as provider/model, but {model} does not have that form.")
    return {"providerID": provider, "modelID": name}
