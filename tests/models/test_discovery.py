import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from mulligan.models.known.discovery import LocalServer, choose_model, choose_server, discover
from mulligan.models.known.profiles import Choice
from mulligan.models.scripted.model import Script, ServerStyle
from mulligan.models.scripted.server import serve_script


def port_of(base_url: str) -> int:
    return urlsplit(base_url).port or 0


def local(port: int, *models: str, loaded: tuple[str, ...] = (), kind: Any = "openai") -> LocalServer:
    return LocalServer(base_url=f"http://127.0.0.1:{port}/v1", kind=kind, models=models, loaded=loaded)


@asynccontextmanager
async def impostor(answer: bytes) -> AsyncGenerator[int]:
    """Something on a port that gives every request the same answer, or none."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (await reader.readline()).strip():
            pass
        if answer:
            writer.write(answer)
        else:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize("kind", ["ollama", "llama.cpp", "vllm", "lmstudio", "openai"])
async def test_a_server_is_known_by_its_endpoints_not_its_port(kind: Any) -> None:
    async with serve_script(Script(replies=(), model="tiny", server_style=ServerStyle(kind=kind))) as server:
        [found] = await discover([port_of(server.base_url)])

    assert (found.base_url, found.kind, found.models) == (server.base_url, kind, ("tiny",))
    assert server.requests == []


@pytest.mark.parametrize("kind", ["ollama", "lmstudio"])
@pytest.mark.parametrize(("loaded", "expected"), [(True, ("tiny",)), (False, ())])
async def test_what_is_in_memory_is_told(kind: Any, loaded: bool, expected: tuple[str, ...]) -> None:
    server_style = ServerStyle(kind=kind, loaded=loaded, embedding_model="nomic-embed-text")
    async with serve_script(Script(replies=(), model="tiny", server_style=server_style)) as server:
        [found] = await discover([port_of(server.base_url)])

    assert found.models == ("tiny",)
    assert found.loaded == expected


async def test_several_servers_come_in_the_order_of_the_ports() -> None:
    async with AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(serve_script(Script(replies=(), server_style=ServerStyle(kind=kind))))
            for kind in ("vllm", "ollama", "llama.cpp")
        ]
        found = await discover([port_of(server.base_url) for server in reversed(servers)])

    assert [server.kind for server in found] == ["llama.cpp", "ollama", "vllm"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", id="a server that knows no path"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 22\r\n\r\n<html>{}</html>       ",
            id="a page",
        ),
        pytest.param(
            b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 19\r\n\r\n{"version": "1.2.3"',
            id="half an answer",
        ),
        pytest.param(
            b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{"version": "1.2.3"}',
            id="a version everywhere",
        ),
        pytest.param(
            b"HTTP/1.1 302 Found\r\nlocation: http://192.0.2.1/\r\ncontent-length: 0\r\n\r\n", id="a redirect away"
        ),
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n", id="no HTTP"),
        pytest.param(b"", id="silence"),
    ],
)
async def test_what_is_no_model_server_is_not_taken_for_one(answer: bytes) -> None:
    async with impostor(answer) as port:
        assert await discover([port]) == []


async def test_impostors_do_not_hide_a_real_server() -> None:
    async with (
        impostor(b"") as silent,
        serve_script(Script(replies=(), server_style=ServerStyle(kind="ollama"))) as server,
    ):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            found = await discover([silent, unused.getsockname()[1], port_of(server.base_url)])

    assert [each.kind for each in found] == ["ollama"]


@pytest.mark.parametrize("host", ["192.0.2.1", "0.0.0.0", "10.0.0.1"])  # noqa: S104 - refused
async def test_nothing_but_loopback_is_searched(host: str) -> None:
    with pytest.raises(ValueError, match="loopback"):
        await discover([1], host=host)


async def test_a_model_that_ollama_runs_in_its_cloud_is_not_offered_as_local(
    json_server: Callable[..., AbstractAsyncContextManager[str]],
) -> None:
    tags = {"models": [{"name": "big:cloud", "remote_host": "https://ollama.com:443"}, {"name": "tiny"}]}
    async with json_server({"/api/version": {"version": "0.12.6"}, "/api/tags": tags}) as base_url:
        [found] = await discover([port_of(base_url)])

    assert found.models == ("tiny",)


@pytest.mark.parametrize(
    ("found", "remembered", "chosen"),
    [
        pytest.param([], None, None, id="nothing there"),
        pytest.param([local(1), local(2, "a")], None, 2, id="one without models is of no use"),
        pytest.param([local(1, "nomic-embed-text"), local(2, "a")], None, 2, id="nor one that only embeds"),
        pytest.param([local(1, "a"), local(2, "b")], None, 1, id="the first port"),
        pytest.param([local(1, "a"), local(2, "b", loaded=("b",))], None, 2, id="a model in memory"),
        pytest.param([local(1, "a", loaded=("a",)), local(2, "b")], ("openai", 2), 2, id="the remembered one"),
        pytest.param([local(1, "a")], ("openai", 2), 1, id="the remembered one is gone"),
        pytest.param([local(1, "a"), local(2, "b")], ("ollama", 2), 1, id="another server on the remembered port"),
    ],
)
def test_the_server_is_chosen(found: list[LocalServer], remembered: Any, chosen: int | None) -> None:
    last = remembered and Choice(base_url=local(remembered[1]).base_url, kind=remembered[0], model="m")

    server = choose_server(found, last)

    assert (server and port_of(server.base_url)) == chosen


@pytest.mark.parametrize(
    ("server", "remembered", "chosen"),
    [
        pytest.param(local(1), None, None, id="no model"),
        pytest.param(local(1, "bge-m3", "text-embedding-ada"), None, None, id="only models that can't chat"),
        pytest.param(local(1, "base", "llama3-instruct", "qwen2.5-coder:7b"), None, "qwen2.5-coder:7b", id="for code"),
        pytest.param(local(1, "base", "gemma-3-4b-it"), None, "gemma-3-4b-it", id="for chat"),
        pytest.param(local(1, "one", "two"), None, "one", id="the server's first"),
        pytest.param(local(1, "qwen-coder", "base", loaded=("base",)), None, "base", id="the one in memory"),
        pytest.param(local(1, "qwen-coder", "base"), "base", "base", id="the remembered one"),
        pytest.param(local(1, "qwen-coder"), "gone", "qwen-coder", id="the remembered one is gone"),
    ],
)
def test_the_model_is_chosen(server: LocalServer, remembered: str | None, chosen: str | None) -> None:
    assert choose_model(server, remembered) == chosen
