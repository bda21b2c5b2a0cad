"""Real MCP servers, made with the SDK, in processes of their own."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mulligan.mcp_client.connection import Connection
from mulligan.types.mcp import McpServer
from tests.patience import PATIENCE

LITTLE = Path(__file__).with_name("little_server.py")
USELESS = Path(__file__).with_name("useless_server.py")

Connect = Callable[[McpServer], Connection]


def little(theme: str, *, timeout: float = PATIENCE) -> McpServer:
    """A server that is started when it is needed."""
    return McpServer(theme, "a test", True, command=(sys.executable, str(LITTLE), theme), timeout=timeout)


def useless(theme: str) -> McpServer:
    """One that fails at its start, or never answers."""
    return McpServer(theme, "a test", True, command=(sys.executable, str(USELESS), theme), timeout=PATIENCE)


@pytest.fixture
async def connect(tmp_path: Path) -> AsyncIterator[Connect]:
    made: list[Connection] = []

    def connect(server: McpServer, *, start_seconds: float = PATIENCE) -> Connection:
        made.append(
            Connection(server, folder=tmp_path, stderr=tmp_path / "stderr" / server.name, start_seconds=start_seconds)
        )
        return made[-1]

    yield connect
    for connection in made:
        await connection.close()


@pytest.fixture
def over_http() -> Iterator[McpServer]:
    """One that listens on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, LITTLE, "tracker", str(port)], stderr=subprocess.DEVNULL)
    try:
        asyncio.run(_listens(port, process))
        yield McpServer("tracker", "a test", True, url=f"http://127.0.0.1:{port}/mcp", timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()


async def _listens(port: int, process: "subprocess.Popen[bytes]") -> None:
    async with asyncio.timeout(PATIENCE):
        while process.poll() is None:
            with suppress(ConnectionRefusedError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return
            await asyncio.sleep(0.05)
