"""Whoever opens connections and does nothing with them keeps nobody else out."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from mulligan.runtime.serving import connections
from mulligan.runtime.serving.listening import listen, serving
from mulligan.server.access.middleware import AccessPolicy, with_access_checks
from tests.patience import PATIENCE
from tests.server.server_process import serving_from_the_start

HALF_SENT = {
    "nothing": b"",
    "half a line": b"GET /api/pro",
    "half of the headers": b"GET /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "half of a body": b"POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n{",
}


@pytest.mark.parametrize("kind", ["half of the headers", "half of a body"])
async def test_requests_that_never_end_do_not_keep_others_out(project: Path, tmp_path: Path, kind: str) -> None:
    """Far more of them than the process may have descriptors."""
    async with serving_from_the_start(project, tmp_path / "home", descriptors=128) as process:
        with ExitStack() as opened:
            for _ in range(200):
                half = opened.enter_context(socket.create_connection(("127.0.0.1", process.port), timeout=PATIENCE))
                half.sendall(HALF_SENT[kind])
            async with httpx2.AsyncClient(base_url=process.url, timeout=PATIENCE) as client:
                for _ in range(3):
                    assert (await client.get("/api/projects")).status_code == 200
        code, _, errors = await process.end()
    assert (code, errors) == (0, "")


async def test_pages_that_stay_leave_room_for_requests(project: Path, tmp_path: Path) -> None:
    async with serving_from_the_start(project, tmp_path / "home", descriptors=128) as process:
        address = f"ws://127.0.0.1:{process.port}/api/socket"
        pages = [await connect(address) for _ in range(32)]
        with pytest.raises(InvalidStatus, match="503"):
            await connect(address)
        async with httpx2.AsyncClient(base_url=process.url, timeout=PATIENCE) as client:
            assert (await client.get("/api/projects")).status_code == 200
            await pages.pop().close()
            pages.append(await connect(address))
        for page in pages:
            await page.close()


@asynccontextmanager
async def server(app: ASGIApp) -> AsyncGenerator[int]:
    listening = listen("127.0.0.1", 0)
    async with serving(with_access_checks(app, AccessPolicy()), listening):
        yield listening.getsockname()[1]


class Application:
    """Answers with so many bytes, and tells which requests reached it."""

    def __init__(self, size: int = 2) -> None:
        self.size = size
        self.reached: list[str] = []
        self.done = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached.append(scope["path"])
        await receive()
        try:
            await (self.answer(send) if scope["type"] == "http" else self.stream(send))
        finally:
            self.done.set()

    async def stream(self, send: Send) -> None:
        """Until the page is gone."""
        await send({"type": "websocket.accept"})
        while True:
            await send({"type": "websocket.send", "text": "x" * 65_536})

    async def answer(self, send: Send) -> None:
        start: Message = {"type": "http.response.start", "status": 200, "headers": []}
        await send(start)
        for _ in range(max(1, self.size // 65_536)):
            await send({"type": "http.response.body", "body": b"x" * min(self.size, 65_536), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the other side ends it."""
    got = bytearray()
    try:
        while piece := await asyncio.wait_for(reader.read(65_536), PATIENCE):
            got += piece
    except ConnectionResetError:
        pass
    return bytes(got)


@pytest.mark.parametrize("sent", HALF_SENT.values(), ids=HALF_SENT)
async def test_a_request_that_does_not_come_is_given_up(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.2)
    app = Application()
    async with server(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert await rest_of(reader) == b""
        writer.close()
    assert app.reached == []


async def test_a_byte_now_and_then_gains_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    async with server(Application()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        async def dribble() -> None:
            writer.write(b"GET / HTTP/1.1\r\nX: ")
            while True:
                writer.write(b"x")
                await asyncio.sleep(0.02)

        dribbling = asyncio.create_task(dribble())
        assert await rest_of(reader) == b""
        dribbling.cancel()
        writer.close()


async def test_the_second_request_of_a_connection_is_waited_for_as_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Application()
    async with server(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in range(3):
            writer.write(f"GET /{number} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            await reader.readuntil(b"0\r\n\r\n")
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
        writer.write(b"GET /4 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        await reader.readuntil(b"0\r\n\r\n")
        writer.write(b"GET /5 HTTP/1.1\r\n")
        assert await rest_of(reader) == b""
        writer.close()
    assert app.reached == ["/0", "/1", "/2", "/4"]


async def test_the_body_of_somebody_who_left_is_no_request() -> None:
    app = Application()
    async with server(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HALF_SENT["half of a body"] + b"}")
        writer.write_eof()
        writer.close()
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            await client.get(f"http://127.0.0.1:{port}/next")
        assert await rest_of(reader) == b""
    assert app.reached == ["/next"]


UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n"
READERS = {"an answer": "", "frames": UPGRADE.format("c2l4dGVlbiBieXRlcy4uLg==")}


@pytest.mark.parametrize("headers", READERS.values(), ids=READERS)
async def test_who_does_not_read_what_is_sent_is_let_go(headers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "READER_SECONDS", 0.5)
    app = Application(size=50_000_000)
    async with server(app) as port:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n".encode())
            await asyncio.wait_for(app.done.wait(), PATIENCE)
