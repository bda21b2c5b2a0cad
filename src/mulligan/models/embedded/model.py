"""Makes an embedded model look like any other model."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

from mulligan.models.embedded.servers import EmbeddedServer, EmbeddedServers
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.ports.callbacks import Notify
from mulligan.types.errors import ModelError, ModelUnreachable, ReplyCutOff
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.profiles import ModelProfile


class EmbeddedModel:
    """Starts its server on demand and talks to it. Implements `ports.Model`."""

    def __init__(
        self,
        servers: EmbeddedServers,
        name: str,
        model_file: Path,
        *,
        context: int,
        idle_timeout: float = 300.0,
        first_token_timeout: float | None = None,
        known: Callable[[], ModelProfile] | None = None,
        tell: Notify | None = None,
        download: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """`download` fetches the file if it is missing."""
        self._servers = servers
        self._name = name
        self._model_file = model_file
        self._context = context
        self._idle_timeout = idle_timeout
        self._first_token_timeout = first_token_timeout
        self._known = known or self._nothing_learnt
        self._tell = tell
        self._download = download
        self._one_at_a_time = asyncio.Lock()
        self._server: EmbeddedServer | None = None
        self._chat: OpenAIChat | None = None

    @property
    def name(self) -> str:
        return f"embedded:{self._name}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply as it arrives. Restarts a server that is gone; an error names the log of one that dies."""
        chat = await self._ready()
        try:
            async with aclosing(chat.stream(request)) as events:
                async for event in events:
                    yield event
        except ModelError as error:
            if isinstance(error, ModelUnreachable | ReplyCutOff) and await self._servers.has_died(self._name):
                error.args = (f"The embedded model {self._name} is gone. {self._servers.why_it_died(self._name)}",)
            raise

    async def start(self) -> EmbeddedServer:
        """The server, started if necessary: its address, and its real context length. Concurrent callers wait for the
        same one."""
        await self.fetch()
        async with self._one_at_a_time:
            return await self._servers.ensure(self._name, self._model_file, context=self._context, tell=self._tell)

    async def fetch(self) -> None:
        """Download the file if it is missing. Raises `DownloadError`."""
        async with self._one_at_a_time:
            if self._download:
                await self._download()
                self._download = None

    async def aclose(self) -> None:
        """Close the connection. The server stays for the next command."""
        chat, self._chat = self._chat, None
        if chat is not None:
            await chat.aclose()

    def _nothing_learnt(self) -> ModelProfile:
        return ModelProfile(server="embedded", model=self._name, kind="embedded")

    async def _ready(self) -> OpenAIChat:
        server = await self.start()
        if self._chat is None or server != self._server:
            await self.aclose()
            self._server = server
            self._chat = OpenAIChat(
                server.base_url,
                server.model,
                api_key=server.api_key,
                idle_timeout=self._idle_timeout,
                first_token_timeout=self._first_token_timeout,
                known=self._known,
            )
        return self._chat
