from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from mulligan.models.known.discovery import discover
from mulligan.models.known.metadata import from_listing, from_llama_cpp, from_lmstudio, from_ollama, read_metadata
from mulligan.models.scripted.model import Script, ServerStyle
from mulligan.models.scripted.server import serve_script
from mulligan.types.errors import ConfigurationError
from mulligan.types.profiles import ModelProfile

BARE = ModelProfile(server="http://127.0.0.1:1/v1", model="tiny")


def facts(profile: ModelProfile) -> dict[str, Any]:
    """What is known, beyond the names."""
    told = profile.model_dump(exclude={"server", "model", "kind"})
    return {name: value for name, value in told.items() if value != ModelProfile.field_defaults[name]}


@pytest.mark.parametrize(
    ("server_style", "expected"),
    [
        pytest.param(
            ServerStyle(kind="ollama", context_length=8192),
            {"context_length": 8192, "truncates_at": 8192, "native_tools": True, "json_schema": True, "images": False},
            id="Ollama",
        ),
        pytest.param(
            ServerStyle(kind="ollama", tools="refused", loaded=False),
            {"context_length": 4096, "truncates_at": 4096, "native_tools": False, "json_schema": True, "images": False},
            id="Ollama without tools, nothing loaded",
        ),
        pytest.param(
            ServerStyle(kind="llama.cpp", context_length=6144),
            {"context_length": 6144, "native_tools": True, "json_schema": True},
            id="llama.cpp",
        ),
        pytest.param(
            ServerStyle(kind="llama.cpp", context_length=6144, images=True),
            {"context_length": 6144, "native_tools": True, "json_schema": True, "images": True},
            id="llama.cpp with an mmproj",
        ),
        pytest.param(
            ServerStyle(kind="llama.cpp", context_length=6144, tools="refused"),
            {"context_length": 6144, "json_schema": True},
            id="llama.cpp with a template that knows no tools",
        ),
        pytest.param(
            ServerStyle(kind="vllm", context_length=16384), {"context_length": 16384, "json_schema": True}, id="vLLM"
        ),
        pytest.param(
            ServerStyle(kind="lmstudio", context_length=5000),
            {"context_length": 5000, "native_tools": True, "json_schema": True, "images": False},
            id="LM Studio",
        ),
        pytest.param(
            ServerStyle(kind="lmstudio", loaded=False),
            {"context_length": 4096, "native_tools": True, "json_schema": True, "images": False},
            id="LM Studio before it loads",
        ),
        pytest.param(ServerStyle(), {}, id="any other tells nothing"),
    ],
)
@pytest.mark.parametrize("by_address", [True, False])
async def test_what_a_server_tells_is_read_without_calling_the_model(
    server_style: ServerStyle, expected: dict[str, Any], by_address: bool
) -> None:
    async with serve_script(Script(replies=(), model="tiny", server_style=server_style)) as server:
        port = int(server.base_url.rpartition(":")[2].removesuffix("/v1"))
        where = server.base_url if by_address else (await discover([port]))[0]
        profile = await read_metadata(where, "tiny")

    assert facts(profile) == expected
    assert (profile.server, profile.model, profile.kind) == (server.base_url, "tiny", server_style.kind)
    assert server.requests == []


async def test_a_server_that_is_not_there_leaves_everything_open() -> None:
    profile = await read_metadata("http://127.0.0.1:1/v1", "tiny")

    assert facts(profile) == {}


async def test_an_address_that_is_none_is_a_matter_of_configuration() -> None:
    with pytest.raises(ConfigurationError):
        await read_metadata("nowhere", "tiny")


async def test_the_key_is_sent_along(byte_server: Callable[..., AbstractAsyncContextManager[Any]]) -> None:
    refusal = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    async with byte_server(*[refusal] * 8) as server:
        await read_metadata(server.base_url, "tiny", "sk-1")

    assert all(b"\r\nauthorization: Bearer sk-1\r\n" in request for request in server.received)


def show(parameters: str = "", trained: int = 32768, **more: Any) -> dict[str, Any]:
    return {"parameters": parameters, "model_info": {"qwen2.context_length": trained}, **more}


def running(name: str, length: int) -> dict[str, Any]:
    return {"models": [{"name": name, "context_length": length}]}


@pytest.mark.parametrize(
    ("shown", "ps", "length"),
    [
        pytest.param(show(), {}, 4096, id="the server's default, not what it was trained for"),
        pytest.param(show(trained=2048), {}, 2048, id="trained for less than the default"),
        pytest.param(show('stop "x"\nnum_ctx      16384'), {}, 16384, id="set by the model"),
        pytest.param(show("num_ctx 99999"), {}, 32768, id="set to more than it was trained for"),
        pytest.param(show(), running("tiny:latest", 8192), 8192, id="loaded with more"),
        pytest.param(show("num_ctx 16384"), running("tiny:latest", 2048), 2048, id="loaded with less"),
        pytest.param(show(), running("other", 8192), 4096, id="another one is loaded"),
        pytest.param(show(remote_host="https://ollama.com"), {}, 32768, id="in the cloud"),
        pytest.param({}, running("tiny:latest", 8192), None, id="not a model of this server"),
    ],
)
def test_ollama_s_real_context_is_found(shown: dict[str, Any], ps: dict[str, Any], length: int | None) -> None:
    profile = from_ollama(BARE, shown, ps)

    assert profile.context_length == profile.truncates_at == length


@pytest.mark.parametrize(
    ("capabilities", "tools"),
    [({"capabilities": ["completion", "tools"]}, True), ({"capabilities": ["completion"]}, False), ({}, None)],
)
def test_ollama_tells_whether_it_takes_tools(capabilities: dict[str, Any], tools: bool | None) -> None:
    assert from_ollama(BARE, show(**capabilities), {}).native_tools is tools


@pytest.mark.parametrize(
    ("props", "tools"),
    [
        pytest.param({"chat_template_caps": {"supports_tools": True}}, True, id="by its caps"),
        pytest.param(
            {"chat_template_caps": {"supports_tools": False}, "chat_template": "tools"}, None, id="caps first"
        ),
        pytest.param({"chat_template": "{% if tools %}"}, True, id="an older server, by its template"),
        pytest.param({"chat_template": "{{ messages }}"}, None, id="not told"),
    ],
)
def test_llama_cpp_tells_by_its_template_whether_it_takes_tools(props: dict[str, Any], tools: bool | None) -> None:
    assert from_llama_cpp(BARE, props).native_tools is tools


@pytest.mark.parametrize("answer", [{}, {"data": None}, {"data": [{"id": "other", "max_context_length": 9}]}])
def test_a_model_that_lm_studio_does_not_list_stays_unknown(answer: dict[str, Any]) -> None:
    assert from_lmstudio(BARE, answer) == BARE


@pytest.mark.parametrize(
    ("entry", "length"),
    [({"max_model_len": 2048}, 2048), ({"context_length": 4096}, 4096), ({"max_model_len": "many"}, None), ({}, None)],
)
def test_a_listing_may_tell_the_context(entry: dict[str, Any], length: int | None) -> None:
    assert from_listing(BARE, {"data": [{"id": "tiny", **entry}]}).context_length == length
