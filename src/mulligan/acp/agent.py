"""What a client can request from Mulligan, as called by the SDK. Imports the SDK."""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from acp import PROTOCOL_VERSION, Agent, RequestError
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    ClientCapabilities,
    CloseSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    McpCapabilities,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)

from mulligan import __version__
from mulligan.acp.commands import commands_update
from mulligan.acp.history import replay
from mulligan.acp.mcp_servers import server_tables
from mulligan.acp.prompts import Block
from mulligan.acp.session import EditorSession
from mulligan.acp.session_options import MODE, Mode
from mulligan.app.agents.definitions import known_agents
from mulligan.app.configuration import Configuration, load_configuration
from mulligan.app.images import images_of, known_to_see
from mulligan.app.open_session import log_file, open_configured_store, session_with_store
from mulligan.app.project_tools import can_write
from mulligan.app.ready_models import Downloads
from mulligan.core.model_downloads import DownloadOffer
from mulligan.core.transcript import open_question
from mulligan.runtime.log import JsonLog
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.store.ids import new_id
from mulligan.store.store import SqlStore
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.messages import Chat

PAGE = 50
"""Chats in one response to `session/list`."""
INVALID, FAILED = -32602, -32603
"""JSON-RPC codes: what the user can correct, and what went wrong."""


class EditorAgent:
    """One client, and its open sessions. Its chats are in the store, so the terminal and the page see them too."""

    def __init__(self, flags: Mapping[str, Any], mode: Mode) -> None:
        """`flags` are command-line settings, for every project. `mode` is that of new sessions."""
        self._flags = flags
        self._mode: Mode = mode
        self._client: Client | None = None
        self._offered = ClientCapabilities()
        self._store: SqlStore | None = None
        self._opening = asyncio.Lock()
        self._sessions: dict[str, EditorSession] = {}

    def as_agent(self) -> Agent:
        # The SDK itself answers what is missing (authentication, forks, extensions).
        return cast("Agent", self)

    def on_connect(self, client: Client) -> None:
        self._client = client

    async def initialize(
        self, protocol_version: int, client_capabilities: ClientCapabilities | None = None, **_: Any
    ) -> InitializeResponse:
        del protocol_version  # the client decides whether it accepts ours
        self._offered = client_capabilities or self._offered
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(
                load_session=True,
                mcp_capabilities=McpCapabilities(http=True, sse=False),
                prompt_capabilities=PromptCapabilities(image=self._sees(), audio=False, embedded_context=True),
                session_capabilities=SessionCapabilities(
                    list=SessionListCapabilities(), resume=SessionResumeCapabilities(), close=SessionCloseCapabilities()
                ),
            ),
            auth_methods=[],
            agent_info=Implementation(name="mulligan", title="Mulligan", version=__version__),
        )

    async def new_session(self, cwd: str, mcp_servers: Sequence[object] | None = None, **_: Any) -> NewSessionResponse:
        with _protocol_errors():
            session = await self._open(new_id(), self._configuration(cwd), None, mcp_servers)
        return NewSessionResponse(
            session_id=session.id, modes=session.modes(), config_options=list(session.config_options())
        )

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[object] | None = None, **_: Any
    ) -> LoadSessionResponse:
        """Open a session with its whole history, sent before the response."""
        with _protocol_errors():
            session = await self._reopen(cwd, session_id, mcp_servers)
            messages = await session.session.store.messages.list(session_id)
            images = await images_of(session.session.store, messages)
            for update in replay(messages, session.project, images):
                session.show(update)
            session.begin()
            await session.settle()
        return LoadSessionResponse(modes=session.modes(), config_options=list(session.config_options()))

    async def resume_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[object] | None = None, **_: Any
    ) -> ResumeSessionResponse:
        """Without its history: the client knows it."""
        with _protocol_errors():
            session = await self._reopen(cwd, session_id, mcp_servers)
        return ResumeSessionResponse(modes=session.modes(), config_options=list(session.config_options()))

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None, **_: Any) -> ListSessionsResponse:
        """The user's chats with our own agents, most recently used first."""
        with _protocol_errors():
            configuration = load_configuration(_folder(cwd) if cwd else None, self._flags)
            store = await self._open_store(configuration)
            chats = await store.chats.list(project=str(configuration.settings.project) if cwd else None)
            agents = known_agents(configuration)
            first = int(cursor) if cursor and cursor.isdecimal() else 0
        own = [chat for chat in chats if chat.run_id is None and chat.agent in agents]
        page = own[first : first + PAGE]
        return ListSessionsResponse(
            sessions=[_info(chat) for chat in page],
            next_cursor=str(first + PAGE) if own[first + PAGE :] else None,
        )

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        session = self._session(session_id)
        del self._sessions[session_id]
        await session.close()
        return CloseSessionResponse()

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> SetSessionModeResponse:
        session = self._session(session_id)
        with _protocol_errors():
            session.set_option(MODE, mode_id)
        session.show_options()
        return SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: object, **_: Any
    ) -> SetSessionConfigOptionResponse:
        session = self._session(session_id)
        with _protocol_errors():
            session.set_option(config_id, str(value))
        if config_id == MODE:
            session.show_options()
        return SetSessionConfigOptionResponse(config_options=list(session.config_options()))

    async def prompt(self, session_id: str, prompt: list[Block], **_: Any) -> PromptResponse:
        session = self._session(session_id)
        with _protocol_errors():
            return await session.prompt(prompt)

    async def cancel(self, session_id: str, **_: Any) -> None:
        with suppress(RequestError):
            self._session(session_id).cancel()

    def cancel_all(self) -> None:
        """Nobody waits for turns any more."""
        for session in self._sessions.values():
            session.cancel()

    async def close(self) -> None:
        """End running work, so that all of it is stored."""
        try:
            while self._sessions:
                await self._sessions.popitem()[1].close()
        finally:
            store, self._store = self._store, None
            if store:
                await store.close()

    def _session(self, session_id: str) -> EditorSession:
        if session_id not in self._sessions:
            raise RequestError(INVALID, f"there is no session {session_id} open: use session/new or session/load first")
        return self._sessions[session_id]

    def _sees(self) -> bool:
        """Whether the model that would answer accepts images, by what is known so far: contacts nobody."""
        try:
            return known_to_see(load_configuration(None, self._flags).settings)
        except ConfigurationError:  # it is told when a session is opened
            return False

    def _configuration(self, cwd: str) -> Configuration:
        return load_configuration(_folder(cwd), self._flags)

    async def _reopen(self, cwd: str, session_id: str, mcp_servers: Sequence[object] | None) -> EditorSession:
        configuration = self._configuration(cwd)
        store = await self._open_store(configuration)
        chat = await store.chats.find(session_id)
        if chat.id != session_id or chat.project != str(configuration.settings.project):
            raise ConfigurationError(f"there is no chat {session_id} in {cwd}: session/list has the available ones")
        if known := self._sessions.pop(session_id, None):
            await known.close()
        session = await self._open(session_id, configuration, chat, mcp_servers)
        if chat.agent not in session.session.agents:
            del self._sessions[session_id]
            await session.close()
            raise ConfigurationError(f"chat {session_id} is with {chat.agent}, which is not one of our own agents")
        asked = open_question(await store.messages.list(session_id))
        session.open_options = asked.options if asked else ()
        return session

    async def _open(
        self, session_id: str, configuration: Configuration, chat: Chat | None, mcp_servers: Sequence[object] | None
    ) -> EditorSession:
        if self._client is None:
            raise AssertionError("a request before the connection")
        store = await self._open_store(configuration)
        configuration = replace(configuration, editor_mcp=server_tables(mcp_servers or ()))
        early_messages: list[str] = []
        opened: list[EditorSession] = []

        def tell(message: str) -> None:
            if opened:
                opened[0].say(message)
            else:
                early_messages.append(message)

        async def allow(offer: DownloadOffer) -> bool:
            return await opened[0].allow_download(offer)

        session = await session_with_store(
            store,
            configuration,
            JsonLog(log_file(configuration.settings)),
            tell=tell,
            downloads=Downloads(allow=allow),
        )
        writes = chat is not None and chat.agent in session.agents and can_write(session.agents[chat.agent])
        mode = self._mode if chat is None else "edit" if writes else "ask"
        editor = EditorSession(session_id, session, self._client, self._offered, mode=mode, chat=chat)
        opened.append(editor)
        self._sessions[session_id] = editor
        # The response goes out first: until then the client does not know the session.
        asyncio.get_running_loop().call_soon(editor.begin)
        editor.show(commands_update(editor))
        for message in early_messages:
            editor.say(message)
        editor.look_for_models()
        return editor

    async def _open_store(self, configuration: Configuration) -> SqlStore:
        async with self._opening:
            if self._store is None:
                # A half-open store would keep the process alive when the editor disconnects.
                await finish_despite_cancel(self._keep_store(configuration))
            return cast("SqlStore", self._store)

    async def _keep_store(self, configuration: Configuration) -> None:
        self._store = await open_configured_store(configuration.settings)


@contextmanager
def _protocol_errors() -> Generator[None]:
    """Turns our errors into protocol errors, with helpful messages."""
    try:
        yield
    except MulliganError as error:
        code = INVALID if isinstance(error, ConfigurationError) else FAILED
        raise RequestError(code, str(error), {"error": type(error).__name__}) from error


def _folder(cwd: str) -> Path:
    folder = Path(cwd)
    if not folder.is_absolute():
        raise ConfigurationError(f"the folder of a session must be absolute, but {cwd} is not")
    return folder


def _info(chat: Chat) -> SessionInfo:
    updated = datetime.fromtimestamp(chat.updated_at, UTC).isoformat()
    return SessionInfo(session_id=chat.id, cwd=chat.project, title=chat.title, updated_at=updated)
