"""Servers that answer with exact bytes or fixed JSON, for what the scripted server does not send."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from mulligan.models.scripted.http11 import Connection, HttpRequest, json_response


class ByteServer:
    """Answers the n-th connection with the n-th piece of bytes, then hangs up; after the last it answers no more."""

    def __init__(self, answers: list[bytes], *, hold_open: bool) -> None:
        self._answers = answers
        self._hold_open = hold_open
        self._clients: list[asyncio.StreamWriter] = []
        self.base_url = ""
        self.received: list[bytes] = []
        """The requests, head and body."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.append(writer)
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
        self.received.append(head + await reader.readexactly(int(fields.get(b"content-length", b"0"))))
        writer.write(self._answers[len(self.received) - 1])
        if self._hold_open:
            await reader.read()
        writer.close()

    async def hang_up(self) -> None:
        for client in self._clients:
            client.close()
            await client.wait_closed()


@pytest.fixture
def byte_server() -> Callable[..., AbstractAsyncContextManager[ByteServer]]:
    @asynccontextmanager
    async def start(*answers: bytes, hold_open: bool = False) -> AsyncGenerator[ByteServer]:
        server = ByteServer(list(answers), hold_open=hold_open)
        listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        server.base_url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
        async with listener:
            yield server
            await server.hang_up()

    return start


@pytest.fixture
def json_server() -> Callable[[Mapping[str, Any]], AbstractAsyncContextManager[str]]:
    """Serves fixed JSON by path, 404 elsewhere; gives the base URL."""

    @asynccontextmanager
    async def start(answers: Mapping[str, Any]) -> AsyncGenerator[str]:
        async def answer(request: HttpRequest, client: Connection) -> None:
            known = request.path in answers
            client.send(json_response(200 if known else 404, answers.get(request.path, {})))

        peers: set[Connection] = set()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Connection(answer, peers), "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            for peer in tuple(peers):
                peer.abort()

    return start
