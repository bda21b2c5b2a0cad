"""One server: started or connected on first use, asked for its tools, called, ended with everything it started."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from mulligan import __version__
from mulligan.core.mcp.catalog import MAX_TOOLS
from mulligan.core.mcp.results import answer_text
from mulligan.core.safe_text import one_line
from mulligan.mcp_client.sdk import sdk_installed, sdk_missing
from mulligan.runtime.child_process import ChildProcess, describe_exit
from mulligan.runtime.process_trees import sweep
from mulligan.types.errors import BackendError
from mulligan.types.mcp import McpAnswer, McpServer
from mulligan.types.tool_calls import JsonObject

if TYPE_CHECKING:
    import anyio
    from mcp.client import Client
    from mcp.client._transport import TransportStreams

START_SECONDS = 60.0
"""Until it has listed its tools. Some are downloaded by their own launcher at the first start."""
PASSED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "XDG_CONFIG_HOME",
          "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY",
          "NO_PROXY")  # fmt: skip
"""Variables that a server gets. Others, above all keys, only if its declaration names them."""
PAGES = 50
MAX_REASON_CHARS = 400
LAST_LINES = 3
"""Most characters of its standard error to quote when it has ended."""


_T = TypeVar("_T")


class _SessionLost(BackendError):
    """The server has restarted, or dropped a session that was idle."""


@dataclass(slots=True)
class _Open:
    """A connection that is up, or coming up."""

    task: "asyncio.Task[None]"
    client: "asyncio.Future[Client]"
    scope: "anyio.CancelScope"


class Connection:
    """A declared server that may be used. It is restarted if it has died."""

    def __init__(
        self,
        server: McpServer,
        *,
        folder: Path,
        stderr: Path,
        start_seconds: float = START_SECONDS,
        refuse_start: Callable[[], str] = str,
    ) -> None:
        """`folder` is where its program runs; `stderr` is the file for its standard error. `refuse_start` says, before
        each start, why it may not be started; empty if it may."""
        self.server = server
        self._refuse_start = refuse_start
        self._folder = folder
        self._stderr = stderr
        self._start_seconds = start_seconds
        self._open: _Open | None = None
        self._child: ChildProcess | None = None
        self._opening = asyncio.Lock()
        self._lost = False
        """Its server does not know the session any more."""

    async def list_tools(self) -> list[JsonObject]:
        """The tools as the server describes them. Raises `BackendError`."""
        return await _again(self._list_tools)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> McpAnswer:
        """Raises `BackendError`."""
        return await _again(partial(self._call, tool, arguments))

    async def _list_tools(self) -> list[JsonObject]:
        async with self._failing_as("did not list its tools", self._start_seconds):
            client = await self._client()
            tools: list[JsonObject] = []
            cursor: str | None = None
            for _ in range(PAGES):
                page = await client.list_tools(cursor=cursor)
                tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
                cursor = page.next_cursor
                if not cursor or len(tools) >= MAX_TOOLS:
                    break
            return tools
        raise AssertionError("unreachable")

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> McpAnswer:
        async with self._failing_as("could not be started", self._start_seconds):
            client = await self._client()
        async with self._failing_as("did not answer", self.server.timeout):
            answer = await client.call_tool(tool, dict(arguments))
            content = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in answer.content]
            if self._child:
                self._child.trim_stderr()
            return McpAnswer(answer_text(content, answer.structured_content), failed=bool(answer.is_error))
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Afterwards, it and everything it started are gone."""
        opened, self._open = self._open, None
        if opened:
            opened.scope.cancel()
            await asyncio.wait([opened.task])
            self._child = None
            _fail(opened.client, BackendError(f"The MCP server {self.server.name} was disconnected."))

    @asynccontextmanager
    async def _failing_as(self, what: str, seconds: float) -> AsyncGenerator[None]:
        """Any failure becomes one sentence, and the server is disconnected: the next call restarts it."""
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            await self.close()
            raise BackendError(f"The MCP server {self.server.name} {what} within {seconds:g} s.") from None
        except Exception as error:  # the SDK raises its own errors, groups of them, and those of its dependencies
            first = _first(error)
            if self._lost and _is_answer(first):
                await self.close()
                raise _SessionLost(f"The MCP server {self.server.name} does not know our session.") from None
            if isinstance(first, BackendError):
                await self.close()
                raise first from None
            why = ""
            if self._is_gone(first):
                why = await self._last_words()
                await self.close()
            why = why or one_line(str(first), MAX_REASON_CHARS) or type(first).__name__
            raise BackendError(f"The MCP server {self.server.name} failed: {why}") from error

    def _is_gone(self, error: BaseException) -> bool:
        """An error that the server returned leaves it connected."""
        return not self._lives() or not _is_answer(error)

    def _lives(self) -> bool:
        ended = self._child is not None and self._child.exit_code is not None
        return self._open is not None and not self._open.task.done() and not ended

    async def _client(self) -> "Client":
        async with self._opening:
            if not self._lives():
                await self.close()
                self._open = await self._start()
            opened = self._open
        assert opened  # noqa: S101  just made, or it lives
        return await asyncio.shield(opened.client)

    async def _start(self) -> _Open:
        if not sdk_installed():
            raise BackendError(str(sdk_missing()))
        # In parallel with everything else: the model's answer, another server's start.
        await asyncio.to_thread(__import__, "mulligan.mcp_client.transports")
        import anyio

        scope, client = anyio.CancelScope(), asyncio.get_running_loop().create_future()
        return _Open(asyncio.create_task(self._stay_connected(scope, client)), client, scope)

    async def _stay_connected(self, scope: "anyio.CancelScope", opened: "asyncio.Future[Client]") -> None:
        """One task opens and closes it, as the SDK requires; others call meanwhile."""
        import anyio
        from mcp.client import Client
        from mcp_types import Implementation

        try:
            with scope:
                ours = Implementation(name="mulligan", version=__version__)
                async with Client(self._transport(), client_info=ours) as client:
                    if not opened.done():
                        opened.set_result(client)
                    await anyio.sleep_forever()
        except Exception as error:  # noqa: BLE001  whoever waits is told
            _fail(opened, error)

    @asynccontextmanager
    async def _transport(self) -> "AsyncGenerator[TransportStreams]":
        import anyio

        from mulligan.mcp_client.transports import MAX_MESSAGE_BYTES, over_http, through_pipes

        server = self.server
        if why := await asyncio.to_thread(self._refuse_start):
            raise BackendError(f"The MCP server {server.name} was not started: {why}")
        if server.url:
            self._lost = False
            async with over_http(server.url, dict(server.headers), self._lose) as streams:
                yield streams
            return
        mark = token_hex(8)
        env = {name: os.environ[name] for name in PASSED if name in os.environ}
        self._child = child = await ChildProcess.start(
            server.command,
            name=f"The MCP server {server.name}",
            cwd=self._folder,
            env={**env, **server.env, "PWD": str(self._folder)},
            mark=mark,
            stderr=self._stderr,
            longest_line=MAX_MESSAGE_BYTES,
        )
        try:
            async with through_pipes(child) as streams:
                yield streams
        finally:
            with anyio.CancelScope(shield=True):
                await child.end(end_of_input=1.0)
                await sweep(mark)

    def _lose(self) -> None:
        self._lost = True

    async def _last_words(self) -> str:
        """How its program ended, and its output."""
        child = self._child
        if child is None:
            return ""
        if child.output.left_out:
            return "it sent a message that is too large."
        code = await child.exited(0.5)
        if code is None:
            return ""
        errors = one_line(" ".join(child.stderr_tail().splitlines()[-LAST_LINES:]), MAX_REASON_CHARS)
        return f"it ended ({describe_exit(code)}){': ' + errors if errors else '.'}"


async def _again(ask: Callable[[], Awaitable[_T]]) -> _T:
    """Once more, in a new session, if the server did not know the old one: then it has done nothing."""
    try:
        return await ask()
    except _SessionLost:
        return await ask()


def _fail(opened: "asyncio.Future[Client]", error: Exception) -> None:
    if not opened.done():
        opened.set_exception(error)
        opened.exception()  # nobody may wait for it any more


def _is_answer(error: BaseException) -> bool:
    """Whether the server returned this error."""
    from mcp_types import CONNECTION_CLOSED

    return getattr(error, "code", CONNECTION_CLOSED) != CONNECTION_CLOSED


def _first(error: BaseException) -> BaseException:
    """The first single error of a group."""
    inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return _first(inner[0]) if inner else error
