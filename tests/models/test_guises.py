"""The scripted server in the guise of others: their endpoints, their limits, their words."""

import asyncio
import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply, ServerStyle, When
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.ports.models import Model
from mulligan.types.errors import ModelRejected
from mulligan.types.model_io import (
    AssistantReply,
    ModelRequest,
    SystemText,
    TextDelta,
    UsageReport,
    UserText,
    WireMessage,
)
from mulligan.types.tool_calls import ToolSpec
from tests.patience import PATIENCE

TOOL = ToolSpec("ls", "List.", {"type": "object", "properties": {}})
KINDS = ["openai", "ollama", "llama.cpp", "vllm", "lmstudio"]


def fetch(base_url: str, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE)
    connection.request(method, path, json.dumps(body) if body is not None else None)
    with connection.getresponse() as response:
        answer = response.status, response.read()
    connection.close()
    return answer


async def said(model: Model, *messages: WireMessage, **request: Any) -> str:
    events = [event async for event in model.stream(ModelRequest(messages, **request))]
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize(
    ("kind", "method", "path", "part"),
    [
        pytest.param("ollama", "GET", "/api/version", {"version": "0.12.6"}, id="Ollama's version"),
        pytest.param("vllm", "GET", "/version", {"version": "0.11.0"}, id="vLLM's version"),
        pytest.param("ollama", "GET", "/nowhere", None, id="Ollama answers unknown paths in plain text"),
        pytest.param(
            "lmstudio", "GET", "/nowhere", {"error": "Unexpected endpoint or method. (GET /nowhere)"}, id="LM"
        ),
        pytest.param("vllm", "GET", "/nowhere", {"detail": "Not Found"}, id="vLLM does not know a path"),
    ],
)
async def test_endpoints_have_the_shape_of_the_real_ones(kind: Any, method: str, path: str, part: Any) -> None:
    async with serve_script(Script(replies=(), server_style=ServerStyle(kind=kind))) as server:
        _, body = await asyncio.to_thread(fetch, server.base_url, method, path)

    assert body == b"404 page not found" if part is None else json.loads(body) == part


@pytest.mark.parametrize("kind", KINDS)
async def test_every_guise_lists_its_model_as_openai_does(kind: Any) -> None:
    async with serve_script(Script(replies=(), model="tiny", server_style=ServerStyle(kind=kind))) as server:
        status, body = await asyncio.to_thread(fetch, server.base_url, "GET", "/v1/models")

    assert status == 200
    assert [entry["id"] for entry in json.loads(body)["data"]] == ["tiny"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        pytest.param("ollama", "does not support tools", id="Ollama"),
        pytest.param("llama.cpp", "requires --jinja", id="llama.cpp"),
        pytest.param("vllm", "--enable-auto-tool-choice", id="vLLM"),
        pytest.param("lmstudio", "does not support tools", id="LM Studio"),
        pytest.param("openai", "Unrecognized request argument supplied: tools", id="any other"),
    ],
)
async def test_tools_are_refused_in_the_server_s_own_words(kind: Any, words: str) -> None:
    script = Script(replies=(ScriptedReply(text="hi"),), server_style=ServerStyle(kind=kind, tools="refused"))
    async with serve_script(script) as server:
        model = OpenAIChat(server.base_url, "m")
        with pytest.raises(ModelRejected, match=words):
            await said(model, UserText("x"), tools=(TOOL,))
        assert await said(model, UserText("x")) == "hi"
        await model.aclose()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        pytest.param("llama.cpp", "exceeds the available context size", id="llama.cpp"),
        pytest.param("vllm", "maximum context length is 64 tokens", id="vLLM"),
        pytest.param("lmstudio", "context length of only 64 tokens", id="LM Studio"),
        pytest.param("openai", "Please reduce the length", id="any other"),
    ],
)
async def test_a_prompt_that_is_too_long_is_refused_in_the_server_s_own_words(kind: Any, words: str) -> None:
    script = Script(replies=(ScriptedReply(text="hi"),), server_style=ServerStyle(kind=kind, context_length=64))
    async with serve_script(script) as server:
        model = OpenAIChat(server.base_url, "m")
        with pytest.raises(ModelRejected, match=words):
            await said(model, UserText("x" * 400))
        await model.aclose()


async def test_ollama_cuts_off_the_beginning_and_counts_only_what_it_read() -> None:
    replies = (ScriptedReply(when=When(contains="MARKER"), text="seen"), ScriptedReply(text="what marker?"))
    script = Script(replies=replies, then="repeat_last", server_style=ServerStyle(kind="ollama", context_length=64))
    async with serve_script(script) as server:
        model = OpenAIChat(server.base_url, "m")
        short = await said(model, UserText("MARKER " + "x" * 40))
        request = ModelRequest((SystemText("Be brief."), UserText("MARKER " + "x" * 900)))
        events = [event async for event in model.stream(request)]
        await model.aclose()

    assert short == "seen"
    assert TextDelta("what marker?") in events
    assert [event.usage.prompt_tokens for event in events if isinstance(event, UsageReport)] == [64]


async def test_a_cut_drops_old_messages_before_it_touches_the_last_and_keeps_the_system_text() -> None:
    replies = (
        ScriptedReply(when=When(contains="old"), text="old"),
        ScriptedReply(when=When(contains="rules"), text="rules"),
        ScriptedReply(text="neither"),
    )
    model = ScriptedModel(Script(replies=replies, server_style=ServerStyle(kind="ollama", context_length=64)))

    talk = (UserText("old" * 60), AssistantReply("ok"), UserText("new"))
    assert await said(model, SystemText("rules"), *talk) == "rules"


@pytest.mark.parametrize(
    ("server_style", "answer"),
    [
        pytest.param(ServerStyle(), "forced", id="taken"),
        pytest.param(ServerStyle(json_schema="ignored"), "free", id="ignored"),
        pytest.param(ServerStyle(json_schema="refused"), None, id="refused"),
    ],
)
async def test_a_schema_is_taken_ignored_or_refused(server_style: ServerStyle, answer: str | None) -> None:
    replies = (ScriptedReply(when=When(json_schema=True), text="forced"), ScriptedReply(text="free"))
    model = ScriptedModel(Script(replies=replies, server_style=server_style))
    request = said(model, UserText("x"), schema={"type": "object"})

    if answer is None:
        with pytest.raises(ModelRejected, match="response_format"):
            await request
    else:
        assert await request == answer


async def test_a_reply_with_a_condition_takes_nothing_from_the_order() -> None:
    replies = (
        ScriptedReply(text="first $n"),
        ScriptedReply(text="second $n"),
        ScriptedReply(when=When(contains="aside"), text="aside $n"),
    )
    model = ScriptedModel(Script(replies=replies))

    answers = [await said(model, UserText(text)) for text in ("a", "aside", "b", "aside")]

    assert answers == ["first 1", "aside 2", "second 3", "aside 4"]


async def test_a_reply_can_be_for_requests_with_tools() -> None:
    model = ScriptedModel(
        Script(replies=(ScriptedReply(when=When(tools=True), text="tools"), ScriptedReply(text="plain")))
    )

    assert await said(model, UserText("x"), tools=(TOOL,)) == "tools"
    assert await said(model, UserText("x")) == "plain"
