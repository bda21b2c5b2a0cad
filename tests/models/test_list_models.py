import json
import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire.openai_chat import list_models
from mulligan.types.errors import ConfigurationError, ModelError, ModelRejected, ModelUnreachable, ReplyCutOff


def json_answer(payload: Any, status: str = "200 OK") -> bytes:
    body = json.dumps(payload).encode()
    return f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


async def test_the_scripted_server_lists_its_model() -> None:
    async with serve_script(Script(replies=(), model="tiny")) as server:
        assert await list_models(server.base_url) == ["tiny"]


@pytest.mark.parametrize(
    ("listing", "names"),
    [
        pytest.param({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}, ["a", "b"], id="in the server's order"),
        pytest.param([{"id": "a"}], ["a"], id="a bare list"),
        pytest.param({"models": [{"name": "a"}], "data": [{"id": "a"}]}, ["a"], id="llama.cpp"),
        pytest.param({"object": "list", "data": None}, [], id="Ollama without models"),
        pytest.param({"data": [{"name": "a"}, None, {"id": 7}]}, [], id="entries without a name"),
    ],
)
async def test_the_names_are_read_from_the_listing(
    listing: Any, names: list[str], byte_server: Callable[..., AbstractAsyncContextManager[Any]]
) -> None:
    async with byte_server(json_answer(listing)) as server:
        assert await list_models(server.base_url, "sk-1") == names

    assert server.received[0].startswith(b"GET /v1/models HTTP/1.1\r\n")
    assert b"\r\nauthorization: bearer sk-1\r\n" in server.received[0].lower()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param(json_answer({"error": "no key"}, "401 Unauthorized"), ModelRejected, id="no access"),
        pytest.param(json_answer({}, "404 Not Found"), ModelRejected, id="no such path"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>", ModelRejected, id="a web page"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\nhello", ReplyCutOff, id="no JSON"),
    ],
)
async def test_a_listing_fails_as_a_reply_would(
    answer: bytes, kind: type[ModelError], byte_server: Callable[..., AbstractAsyncContextManager[Any]]
) -> None:
    async with byte_server(answer) as server:
        with pytest.raises(kind, match="/v1/models"):
            await list_models(server.base_url)


async def test_no_server_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ModelUnreachable, match="connection refused"):
            await list_models(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")


async def test_no_address_is_a_matter_of_configuration() -> None:
    with pytest.raises(ConfigurationError):
        await list_models("nowhere")
