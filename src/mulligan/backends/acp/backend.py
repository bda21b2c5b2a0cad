"""An external agent over warm ACP: a process that stays between turns."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.backends.base import BackendSetup, BaseBackend
from mulligan.backends.time_limits import AgentTimeouts
from mulligan.core.external_commands import command_of
from mulligan.ports.backends import Permit
from mulligan.runtime.child_process import ChildProcess, describe_exit
from mulligan.runtime.process_trees import marked, sweep
from mulligan.types.agents import AgentDone, AgentEvent, Health
from mulligan.types.errors import BackendError
from mulligan.types.model_io import SentImage

if TYPE_CHECKING:  # the SDK takes a second to import: we do that while the agent's process starts
    from mulligan.backends.acp.link import AgentConnection
    from mulligan.backends.acp.turn import Turn


class AcpBackend(BaseBackend):
    """One agent, one process, one prompt at a time. A process that died or hung is replaced for the next session."""

    def __init__(self, setup: BackendSetup) -> None:
        super().__init__(setup, AgentTimeouts())
        self._link: AgentConnection | None = None
        self._since = ""
        self._gone = "not started"
        self._opening = asyncio.Lock()

    async def ensure_session(self, folder: Path, session: str | None) -> str:
        folder = await self._work_folder(folder)
        async with self._opening:
            await self._clearing.wait()
            link = self._link
            if session and link and not link.lost and link.sessions.get(session) == folder:
                return session
            return await self._open(folder, session)

    async def takes_images(self, folder: Path) -> bool:
        async with self._opening:
            return (await self._live(await self._work_folder(folder))).takes_images

    async def prompt(
        self, session: str, text: str, permit: Permit, images: Sequence[SentImage] = ()
    ) -> AsyncGenerator[AgentEvent, None]:
        await self._clearing.wait()
        link, turn = self._begin(session, permit)
        try:
            turn.before = await marked(self.mark)
            turn.asking = asyncio.create_task(self._ask(link, turn, text, images))
            while not isinstance(event := await turn.next_event(), AgentDone):
                yield event
        finally:
            await self._clearing.run(self._finish(link, turn))
        for unclosed in turn.reader.close("failed"):
            yield unclosed
        yield event

    async def close_session(self, session: str) -> None:
        link = self._link
        if link and link.sessions.pop(session, None) and not link.lost:
            from mulligan.backends.acp.link import close_session

            try:
                await close_session(link, session)
            except BackendError as error:  # the session is no longer needed anyway
                self._log("agent_session_not_closed", agent=self._agent.name, session=session, error=str(error))

    async def health(self) -> Health:
        if self._link is None:
            return Health(alive=False, detail=self._gone)
        code = self._link.child.exit_code
        if code is not None:
            return Health(alive=False, detail=f"ended ({describe_exit(code)})")
        return Health(alive=True, detail=f"pid {self._link.child.pid}, since {self._since}")

    def _child(self) -> ChildProcess | None:
        return self._link.child if self._link else None

    async def _end(self) -> None:
        if self._link:
            await self._drop(self._link)
        self._gone = "not started"

    async def _open(self, folder: Path, session: str | None) -> str:
        link = await self._live(folder)
        try:
            from mulligan.backends.acp.link import load_session, new_session

            opened = session
            if opened:
                try:
                    await load_session(link, folder, opened, self._agent.mode, self._log)
                except BackendError as error:
                    self._log("agent_session_not_loaded", agent=self._agent.name, session=opened, error=str(error))
                    opened, link = None, await self._live(folder)  # the agent may have died of the error
            opened = opened or await new_session(link, folder, self._agent.mode, self._log)
        except BaseException:
            await self._clearing.run(self._drop(link))
            raise
        link.sessions[opened] = folder
        return opened

    async def _live(self, folder: Path) -> "AgentConnection":
        """The agent's process, started if there is no working one."""
        link = self._link
        if link and link.lost:
            await self._clearing.run(self._drop(link))
            link = None
        return link or await self._start(folder)

    async def _start(self, folder: Path) -> "AgentConnection":
        child = await self._start_process(command_of(self._agent, self._model), folder)
        try:
            link_of = await asyncio.to_thread(_link_class)
            link = link_of(self._agent.name, child, self._limits)
        except BaseException:
            await self._clearing.run(child.end(end_of_input=0))
            raise
        try:
            await link.greet()
        except BaseException:
            await self._clearing.run(self._drop(link))
            raise
        self._link, self._since = link, time.strftime("%H:%M:%S")
        return link

    def _begin(self, session: str, permit: Permit) -> "tuple[AgentConnection, Turn]":
        link = self._link
        if link is None or session not in link.sessions:
            raise BackendError(f"{self._agent.name} has no session {session} open.")
        if link.turn:
            raise BackendError(f"{self._agent.name} is busy with another prompt.")
        from mulligan.backends.acp.turn import Turn

        link.child.trim_stderr()
        link.turn = Turn(
            self._agent.name, session, permit, limits=self._limits, log=self._log, stale=frozenset(link.stale)
        )
        return link, link.turn

    async def _ask(self, link: "AgentConnection", turn: "Turn", text: str, images: Sequence[SentImage]) -> None:
        try:
            done = await link.prompt(turn, text, images)
        except Exception as error:  # noqa: BLE001  whatever the SDK does, a turn has an end
            self._log("agent_prompt_failed", agent=self._agent.name, error=error)
            done = AgentDone("failed", f"{self._agent.name} could not be asked: {error}")
        await turn.finish(done)

    async def _finish(self, link: "AgentConnection", turn: "Turn") -> None:
        """Leave nothing of a turn behind, whether it ended or not."""
        asking = turn.asking
        aborted = asking is not None and not asking.done()
        usable = await link.cancel(turn) if aborted else True
        hung = asking is not None and asking.cancel()
        turn.abandon()
        link.turn = None
        self._tell_dropped(link, turn)
        if link.lost or not usable:
            await self._drop(link, hung=hung)
        elif aborted:
            link.stale.update(turn.reader.calls)
            await sweep(self.mark, spare=turn.before)

    def _tell_dropped(self, link: "AgentConnection", turn: "Turn") -> None:
        noise, too_long = link.newly_dropped()
        if noise or too_long or turn.reader.unknown:
            self._log(
                "agent_output_dropped",
                agent=self._agent.name,
                noise=noise,
                sample=link.transport.noise_sample if noise else "",
                too_long=too_long,
                unknown_updates=turn.reader.unknown,
            )

    async def _drop(self, link: "AgentConnection", *, hung: bool = False) -> None:
        """End the process and everything it started. The next session gets another."""
        if self._link is link:
            self._link = None
        end_of_input = 0 if hung else self._limits.end_of_input
        await link.child.end(end_of_input=end_of_input, terminate=self._limits.terminate)
        code = link.child.exit_code
        self._gone = "stuck" if code is None else f"ended ({describe_exit(code)})"
        await link.close()


def _link_class() -> "type[AgentConnection]":
    from mulligan.backends.acp.link import AgentConnection

    return AgentConnection
