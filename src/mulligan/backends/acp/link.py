"""A live agent: its process, the SDK's connection over its pipes, and its capabilities. Imports the SDK."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, image_block, text_block
from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation, InitializeResponse, SessionModeState
from pydantic import ValidationError

from mulligan import __version__
from mulligan.backends.acp.client import AcpClient
from mulligan.backends.acp.messages import ChildTransport
from mulligan.backends.acp.turn import Turn
from mulligan.backends.time_limits import AgentTimeouts, format_duration
from mulligan.ports.callbacks import Log
from mulligan.runtime.child_process import ChildProcess, describe_exit
from mulligan.runtime.lenient_json import as_object
from mulligan.types.agents import AgentDone
from mulligan.types.errors import BackendError
from mulligan.types.model_io import SentImage
from mulligan.types.tool_calls import JsonObject

T = TypeVar("T")

DEATH_SECONDS = 1.0
"""How long it may take to notice an exit after the connection is gone."""
QUIET_SECONDS = 0.2
"""After an aborted turn: this long without an update means that no more are on their way."""
LOGIN_NEEDED = -32000

UNFINISHED = {
    "max_tokens": "it ran out of tokens",
    "max_turn_requests": "it used up its requests to the model",
    "refusal": "it refused to continue",
}
"""Reasons to stop before the work is done."""


class AgentConnection:
    """One process of an agent, from its start to its end."""

    def __init__(self, name: str, child: ChildProcess, limits: AgentTimeouts) -> None:
        self.child = child
        self.name = name
        self.limits = limits
        self.turn: Turn | None = None
        """The prompt that it works on."""
        self.sessions: dict[str, Path] = {}
        """The open ones, and their folders."""
        self.stale: set[str] = set()
        """Tool calls of aborted turns."""
        self.transport = ChildTransport(child, self._update)
        self.connection = connect_to_agent(AcpClient(lambda: self.turn).as_client(), self.transport)
        self.hello = InitializeResponse(protocol_version=PROTOCOL_VERSION)
        """What the agent said about itself; known after the greeting."""
        self._sign = asyncio.Event()
        self._dropped = (0, 0)
        self._lost = False

    @property
    def lost(self) -> bool:
        """Not worth asking again: it is gone, or does not answer."""
        return self._lost or self.child.exit_code is not None

    async def greet(self) -> None:
        """The first message, which tells each side what the other supports. Raises `BackendError`."""
        nothing = ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False
        )
        self.hello = await self.call(
            self.connection.initialize(
                PROTOCOL_VERSION, nothing, Implementation(name="mulligan", title="Mulligan", version=__version__)
            ),
            within=self.limits.start,
            to="say hello",
        )
        if self.hello.protocol_version != PROTOCOL_VERSION:
            raise BackendError(
                f"{self.name} speaks version {self.hello.protocol_version} of the Agent Client Protocol, "
                f"Mulligan speaks version {PROTOCOL_VERSION}."
            )

    async def call(self, request: Awaitable[T], *, within: float, to: str) -> T:
        """Wait for a response. Raises `BackendError` with a message that names the request."""
        try:
            async with asyncio.timeout(within):
                return await request
        except TimeoutError as error:
            self._lost = True
            raise BackendError(
                f"{self.name} did not answer within {format_duration(within)} when asked to {to}."
            ) from error
        except RequestError as error:
            raise BackendError(f"{self.name} could not {to}: {_words(error)}") from error
        except ConnectionError as error:
            raise BackendError(await self.death()) from error
        except ValidationError as error:
            raise BackendError(f"{self.name} could not {to}: its answer is not what the protocol says.") from error

    @property
    def takes_images(self) -> bool:
        capabilities = self.hello.agent_capabilities
        return bool(capabilities and capabilities.prompt_capabilities and capabilities.prompt_capabilities.image)

    async def prompt(self, turn: Turn, text: str, images: Sequence[SentImage] = ()) -> AgentDone:
        """Send the prompt, and wait for the agent to end its turn, however it does."""
        shown = [image_block(each.data, each.about.media_type) for each in images]
        try:
            response = await self.connection.prompt(turn.session, [text_block(text), *shown])
        except RequestError as error:
            return AgentDone("failed", f"{self.name} gave up: {_words(error)}")
        except ConnectionError:
            return AgentDone("failed", await self.death())
        except ValidationError as error:
            reason = error.errors()[0]["input"]
            return AgentDone("failed", f"{self.name} stopped for a reason that the protocol does not have: {reason!r}.")
        if response.stop_reason == "cancelled":
            return AgentDone("cancelled")
        if why := UNFINISHED.get(response.stop_reason):
            return AgentDone("failed", f"{self.name} stopped: {why}.")
        return AgentDone("finished")

    async def cancel(self, turn: Turn) -> bool:
        """Tell the agent to stop the turn. Returns whether it did in time, so that it can get another prompt.

        An agent with an open question can't: three of five agents that we tried wait for the answer forever, in this
        turn or in the next.
        """
        had_question = turn.has_open_question
        turn.abandon()
        try:
            async with asyncio.timeout(self.limits.cancel):
                if self.child.exit_code is None:
                    await self.connection.cancel(turn.session)
                turn.withdraw()
                if turn.asking:
                    await asyncio.wait([turn.asking])
                await self._quiet()
        except (TimeoutError, ConnectionError):
            return False
        finally:
            turn.withdraw()
        return not had_question

    async def death(self) -> str:
        """How it ended, with its last output."""
        self._lost = True
        code = await self.child.exited(DEATH_SECONDS)
        how = "closed its output" if code is None else f"ended ({describe_exit(code)})"
        words = self.child.stderr_tail() or self.transport.noise_sample
        return f"{self.name} {how}. Its last output:\n{words}" if words else f"{self.name} {how} without any output."

    def newly_dropped(self) -> tuple[int, int]:
        """Lines of its output that were noise, and too long, since the last call."""
        seen = self.transport.noise, self.child.output.left_out
        new = seen[0] - self._dropped[0], seen[1] - self._dropped[1]
        self._dropped = seen
        return new

    async def close(self) -> None:
        await self.connection.close()

    async def _update(self, params: JsonObject) -> None:
        self._sign.set()
        # Updates between turns are the replay of a loaded session, or late.
        if self.turn and not self.turn.over:
            await self.turn.update(params)

    async def _quiet(self) -> None:
        with suppress(TimeoutError):
            while True:
                self._sign.clear()
                await asyncio.wait_for(self._sign.wait(), QUIET_SECONDS)


def _words(error: RequestError) -> str:
    """The text of an agent's error. Some have the reason only in its data."""
    named = as_object(error.data) or {"details": error.data}
    details = named.get("details") or named.get("message")
    text = f"{error}: {details}" if isinstance(details, str) and details not in str(error) else str(error)
    return f"it wants you to log in first ({text})" if error.code == LOGIN_NEEDED else text


async def load_session(link: AgentConnection, folder: Path, session: str, mode: str | None, log: Log) -> None:
    """Continue an earlier session. Raises `BackendError` if the agent can't."""
    if not (link.hello.agent_capabilities and link.hello.agent_capabilities.load_session):
        raise BackendError(f"{link.name} can't load sessions.")
    request = link.connection.load_session(str(folder), session, [])
    response = await link.call(request, within=link.limits.session, to="load the session")
    await _set_mode(link, session, response.modes, mode, log)


async def new_session(link: AgentConnection, folder: Path, mode: str | None, log: Log) -> str:
    """Raises `BackendError`."""
    request = link.connection.new_session(str(folder), mcp_servers=[])
    response = await link.call(request, within=link.limits.session, to="open a session")
    await _set_mode(link, response.session_id, response.modes, mode, log)
    return response.session_id


async def close_session(link: AgentConnection, session: str) -> None:
    """Tell the agent, if it supports that. Raises `BackendError`."""
    capabilities = link.hello.agent_capabilities
    if capabilities and capabilities.session_capabilities and capabilities.session_capabilities.close is not None:
        await link.call(link.connection.close_session(session), within=link.limits.cancel, to="close the session")


async def _set_mode(
    link: AgentConnection, session: str, modes: SessionModeState | None, wanted: str | None, log: Log
) -> None:
    """An agent that stays in a mode where it asks nobody is not used: failing to set the mode is an error."""
    if wanted is None or (modes and modes.current_mode_id == wanted):
        return
    offered = [mode.id for mode in modes.available_modes] if modes else []
    if wanted not in offered:
        log("agent_mode_not_offered", agent=link.name, mode=wanted, offered=offered)
        return
    request = link.connection.set_session_mode(session_id=session, mode_id=wanted)
    await link.call(request, within=link.limits.session, to=f"set the mode {wanted}")
