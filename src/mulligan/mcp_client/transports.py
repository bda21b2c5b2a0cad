"""The two transports to a server, for the SDK. Importing this loads the SDK.

The SDK can start a process itself. We don't use that: it does not limit the length of a line, and processes that leave
the server's process group would outlive it.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from mulligan.runtime.child_process import ChildProcess

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""A server that sends a larger one is disconnected."""
CONNECT_SECONDS = 10
NOT_FOUND = 404
HERE = ("localhost", "127.0.0.1", "::1")
"""Reached without a proxy, whatever the environment says."""

# It reports by raising, and must not write to the user's terminal.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("mcp").propagate = False


@asynccontextmanager
async def through_pipes(child: ChildProcess) -> "AsyncGenerator[TransportStreams]":
    """Messages to and from a process, one per line. Other lines are skipped: some servers print a greeting."""
    arriving, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_send, leaving = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with arriving:
            while (line := await child.line(or_too_long=True)) is not None:
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    continue
                await arriving.send(SessionMessage(message))

    async def write() -> None:
        async for each in leaving:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await child.write(f"{text}\n".encode())
            except ConnectionError:
                await arriving.aclose()
                return

    async with anyio.create_task_group() as group, received, to_send, arriving, leaving:
        group.start_soon(_until_closed, read)
        group.start_soon(_until_closed, write)
        try:
            yield received, to_send
        finally:
            group.cancel_scope.cancel()


@asynccontextmanager
async def over_http(url: str, headers: dict[str, str], lost: Callable[[], None]) -> "AsyncGenerator[TransportStreams]":
    """`lost` is called if the server doesn't know our session any more: it has restarted, or dropped an idle one."""
    timeout = httpx2.Timeout(CONNECT_SECONDS, read=None)  # a call has its own limit
    proxies = urlsplit(url).hostname not in HERE

    async def received(response: httpx2.Response) -> None:
        request = response.request
        is_unknown = response.status_code == NOT_FOUND and MCP_SESSION_ID in request.headers
        if is_unknown and request.method == "POST":  # to the others, servers that lack them answer so too
            lost()
        # An event stream limits each event instead.
        if "text/event-stream" not in response.headers.get("content-type", ""):
            response.stream = _Bounded(response.stream)

    async with (
        # With a transport of our own, the client would ignore the environment's proxies.
        httpx2.AsyncClient(
            headers=headers, timeout=timeout, event_hooks={"response": [received]}, trust_env=proxies
        ) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES) as streams,
    ):
        yield streams


async def _until_closed(work: Callable[[], Awaitable[None]]) -> None:
    """The session closed its end: nobody waits for more."""
    try:
        await work()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return


class _Bounded(httpx2.AsyncByteStream):
    """Reads no response beyond the largest message."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_MESSAGE_BYTES
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise httpx2.ReadError(f"a response of more than {MAX_MESSAGE_BYTES:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
