"""Plain HTTP without a library: connections that are kept, answers in every framing, servers that misbehave."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from mulligan.models.wire.direct_client import DirectClient
from mulligan.models.wire.http_client import ModelServer
from mulligan.models.wire.http_exchange import CannotSend, ConnectFailed, HttpFailed, HttpResponse

OK = b"HTTP/1.1 200 OK\r\n"


class Server:
    """Answers each request with the next of these bytes; `None` closes the connection without a word."""

    def __init__(self, *answers: bytes | None) -> None:
        self._answers = list(answers)
        self.connections = 0
        self.heads: list[bytes] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self._answers:
                self.heads.append(await reader.readuntil(b"\r\n\r\n"))
                answer = self._answers.pop(0)
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
                if b"close" in answer or b"Content-Length" not in answer:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def talking(*answers: bytes | None) -> AsyncGenerator[tuple[Server, DirectClient]]:
    server, client = Server(*answers), DirectClient(connect_timeout=3.0, send_timeout=3.0)
    async with await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening:
        server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        try:
            yield server, client
        finally:
            await client.aclose()


async def whole(answer: Awaitable[HttpResponse]) -> bytes:
    return b"".join([chunk async for chunk in (await answer).aiter_raw()])


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(OK + b"Content-Length: 5\r\n\r\nhello", id="a length"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", id="chunks"),
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\nhello", id="until it is closed"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 5\r\n\r\nhello", id="after a note"),
    ],
)
async def test_the_body_comes_whole_in_every_framing(answer: bytes) -> None:
    async with talking(answer) as (server, client):
        assert await whole(client.send("GET", f"{server.url}/a b?q=1", {}, None)) == b"hello"
    assert server.heads[0].startswith(b"GET /a%20b?q=1 HTTP/1.1\r\n")


async def test_a_connection_is_used_again() -> None:
    answer = OK + b"Content-Length: 2\r\n\r\nhi"
    async with talking(answer, answer) as (server, client):
        for _ in range(2):
            assert await whole(client.send("POST", server.url, {"x-a": "b"}, b"")) == b"hi"
    assert server.connections == 1


async def test_one_that_was_closed_or_spoke_unasked_is_not() -> None:
    closing = OK + b"Content-Length: 2\r\nConnection: close\r\n\r\nhi"
    chatty = OK + b"Content-Length: 2\r\n\r\nhiHTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"
    async with talking(closing, chatty, closing) as (server, client):
        for _ in range(3):
            assert await whole(client.send("GET", server.url, {}, None)) == b"hi"
    assert server.connections == 3


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="closed without an answer"),
        pytest.param(b"NONSENSE\r\n\r\n", id="no HTTP"),
        pytest.param(OK + b"Content-Length: 9\r\nConnection: close\r\n\r\nhello", id="too short"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\n9\r\nhe", id="cut off in a chunk"),
        pytest.param(OK + b"X: " + b"y" * 300_000 + b"\r\n\r\n", id="an endless head"),
    ],
)
async def test_an_answer_that_breaks_off_is_told(answer: bytes | None) -> None:
    async with talking(answer) as (server, client):
        with pytest.raises(HttpFailed):
            await whole(client.send("GET", server.url, {}, None))


async def test_a_header_that_can_not_be_sent_is_refused() -> None:
    async with talking() as (server, client):
        with pytest.raises(CannotSend):
            await client.send("GET", server.url, {"x": "a\nb"}, None)


async def test_no_server_is_no_connection() -> None:
    async with talking() as (server, _):
        gone = server.url
    client = DirectClient(connect_timeout=3.0, send_timeout=3.0)
    with pytest.raises(ConnectFailed):
        await client.send("GET", gone, {}, None)


async def test_leaving_an_answer_closes_its_connection() -> None:
    async with talking(OK + b"Content-Length: 9\r\n\r\nhello") as (server, client):
        response = await client.send("GET", server.url, {}, None)
        await response.aclose()
        await response.aclose()
        with pytest.raises(HttpFailed):
            await whole(client.send("GET", server.url, {}, None))
    assert server.connections == 2


@pytest.mark.parametrize(
    ("url", "environ", "library"),
    [
        pytest.param("http://127.0.0.1:1/v1", {}, False, id="our own machine"),
        pytest.param("http://localhost:1/v1", {"http_proxy": "http://127.0.0.1:9"}, False, id="past the proxy"),
        pytest.param("http://192.168.1.2:1/v1", {"http_proxy": "http://127.0.0.1:9"}, True, id="through a proxy"),
        pytest.param("https://127.0.0.1:1/v1", {}, True, id="encrypted"),
        pytest.param("http://user:word@127.0.0.1:1/v1", {}, True, id="with a login"),
    ],
)
def test_who_carries_a_request(
    url: str, environ: dict[str, str], library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    made: Callable[[], object] = ModelServer(url, None, idle_timeout=1.0, connect_timeout=1.0).new_client
    assert isinstance(made(), DirectClient) is not library
