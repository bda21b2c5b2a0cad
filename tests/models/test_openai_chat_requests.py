import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import pytest
from inline_snapshot import snapshot

from mulligan.models.scripted.model import Script, ScriptedReply
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.models.wire.chat_request import TOP_LOGPROBS, request_body
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.model_io import (
    AssistantReply,
    Finished,
    ModelRequest,
    SentCall,
    SystemText,
    ToolReply,
    UserText,
)
from mulligan.types.tool_calls import ToolSpec

HELLO = ModelRequest((UserText("hello"),))
FINISHED = b'HTTP/1.1 200 OK\r\n\r\ndata: {"choices": [{"finish_reason": "stop"}]}\n\n'
SPEC = ToolSpec("view_file", "Show a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


def test_a_request_is_written_as_servers_want_it() -> None:
    call = SentCall("c1", "view_file", {"path": "ä.py", "from": 1})
    messages = (
        SystemText("Be brief."),
        UserText("Look."),
        AssistantReply("", (call,)),
        ToolReply("c1", "view_file", "1"),
    )

    body = request_body(ModelRequest((*messages, AssistantReply("One line.")), (SPEC,)), "m", include_usage=True)

    assert json.loads(body) == snapshot(
        {
            "model": "m",
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "view_file",
                        "description": "Show a file.",
                        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
                    },
                }
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Look."},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "view_file", "arguments": '{"path":"ä.py","from":1}'},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "name": "view_file", "content": "1"},
                {"role": "assistant", "content": "One line."},
            ],
        }
    )


def test_limits_are_sent_only_if_they_are_set() -> None:
    body = request_body(ModelRequest(HELLO.messages, max_tokens=9, temperature=0.0), "m", include_usage=False)

    assert json.loads(body) == {
        "model": "m",
        "stream": True,
        "max_tokens": 9,
        "temperature": 0.0,
        "messages": [{"role": "user", "content": "hello"}],
    }


def test_fields_that_only_one_server_knows_can_be_sent() -> None:
    body = json.loads(request_body(HELLO, "m", include_usage=False, extra={"return_progress": True}))
    assert body["return_progress"] is True


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        pytest.param('say("hi")', r'"say(\"hi\")"', id="quotes"),
        pytest.param(r"split(\n)", r'"split(\\n)"', id="backslashes"),
        pytest.param("a\n\tb\n", r'"a\n\tb\n"', id="newlines and tabs"),
        pytest.param("größer → 中 🙂", '"größer → 中 🙂"', id="beyond ASCII"),
        pytest.param("[^a-z]* | (b)", '"[^a-z]* | (b)"', id="signs of the grammar"),
        pytest.param("", '""', id="nothing"),
    ],
)
def test_an_exact_text_is_sent_as_a_grammar_that_allows_this_text_alone(text: str, literal: str) -> None:
    body = json.loads(request_body(replace(HELLO, exact_text=text), "m", include_usage=False))
    assert body["grammar"] == f"root ::= {literal}"


def test_with_an_exact_text_the_likeliest_tokens_are_asked_for() -> None:
    body = json.loads(request_body(replace(HELLO, exact_text="x"), "m", include_usage=False))
    assert (body["logprobs"], body["top_logprobs"]) == (True, TOP_LOGPROBS)


def test_without_an_exact_text_there_is_neither_a_grammar_nor_are_tokens_asked_for() -> None:
    body = json.loads(request_body(HELLO, "m", include_usage=False))
    assert not {"grammar", "logprobs", "top_logprobs"} & body.keys()


def test_a_longer_history_begins_with_the_same_bytes() -> None:
    first = ModelRequest((SystemText("Be brief."), UserText("Look.")), (SPEC,))
    second = ModelRequest((*first.messages, AssistantReply("", (SentCall("c1", "view_file", {}),))), (SPEC,))

    shorter, longer = (request_body(request, "m", include_usage=True) for request in (first, second))

    assert longer.startswith(shorter.removesuffix(b"]}"))


def test_text_is_written_compactly_and_without_escapes() -> None:
    assert request_body(ModelRequest((UserText("ü"),)), "m", include_usage=False) == (
        '{"model":"m","stream":true,"messages":[{"role":"user","content":"ü"}]}'.encode()
    )


def test_a_file_name_that_is_no_text_does_not_stop_a_request() -> None:
    assert b'"content":"a?b"' in request_body(ModelRequest((UserText("a\udcffb"),)), "m", include_usage=False)


async def test_the_key_is_sent_as_a_bearer_token(byte_server: Callable[..., AbstractAsyncContextManager[Any]]) -> None:
    async with byte_server(FINISHED) as server:
        model = OpenAIChat(server.base_url + "/", "m", api_key=" sk-1 \n")
        assert [event async for event in model.stream(HELLO)] == [Finished("stop")]
        await model.aclose()

    head = server.received[0].lower()
    assert head.startswith(b"post /v1/chat/completions http/1.1\r\n")
    assert b"\r\nauthorization: bearer sk-1\r\n" in head
    assert b"\r\ncontent-type: application/json\r\n" in head


async def test_no_key_sends_no_authorization(byte_server: Callable[..., AbstractAsyncContextManager[Any]]) -> None:
    async with byte_server(FINISHED) as server:
        model = OpenAIChat(server.base_url, "m")
        assert [event async for event in model.stream(HELLO)] == [Finished("stop")]
        await model.aclose()

    assert b"authorization" not in server.received[0].lower()


async def test_a_server_that_does_not_know_stream_options_is_asked_without_them_from_then_on() -> None:
    refusal = ScriptedReply(status=400, body="Unrecognized request argument supplied: stream_options")
    async with serve_script(Script(replies=(refusal, ScriptedReply(text="one"), ScriptedReply(text="two")))) as server:
        model = OpenAIChat(server.base_url, "m")
        for _ in range(2):
            assert [event async for event in model.stream(HELLO)][-1] == Finished("stop")
        await model.aclose()

    assert ["stream_options" in seen.body for seen in server.requests] == [True, False, False]


async def test_requests_share_one_connection() -> None:
    async with serve_script(Script(replies=(ScriptedReply(text="fine", times=3),))) as server:
        model = OpenAIChat(server.base_url, "m")
        for _ in range(3):
            assert [event async for event in model.stream(HELLO)][-1] == Finished("stop")
            assert server.connections == 1
        await model.aclose()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_no_proxy_is_used_on_our_own_machine(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serve_script(Script(replies=(ScriptedReply(text="fine"),))) as server:
        model = OpenAIChat(server.base_url.replace("127.0.0.1", host), "m")
        assert [event async for event in model.stream(HELLO)][-1] == Finished("stop")
        await model.aclose()


async def test_a_proxy_is_used_for_other_machines(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with byte_server(FINISHED) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1"))
        model = OpenAIChat("http://model.invalid/v1", "m")
        assert [event async for event in model.stream(HELLO)] == [Finished("stop")]
        await model.aclose()

    assert proxy.received[0].startswith(b"POST http://model.invalid/v1/chat/completions HTTP/1.1\r\n")


async def leave_early(server: ScriptedServer) -> None:
    """Close the stream after the first event."""
    model = OpenAIChat(server.base_url, "m")
    events = model.stream(HELLO)
    await anext(events)
    await events.aclose()
    await server.idle()
    await model.aclose()


async def test_closing_the_stream_ends_the_servers_work() -> None:
    async with serve_script(Script(replies=(ScriptedReply(text="a long story", chunk_size=1, hang=3),))) as server:
        await leave_early(server)

    assert server.requests[0].disconnected


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(ScriptedReply(text="a long story", delay=3600), id="before the first byte"),
        pytest.param(ScriptedReply(text="a long story", chunk_size=1, hang=1), id="in the middle"),
    ],
)
async def test_cancelling_the_reader_ends_the_servers_work(reply: ScriptedReply) -> None:
    async def read(model: OpenAIChat) -> None:
        async for _ in model.stream(HELLO):
            pass

    async with serve_script(Script(replies=(reply,))) as server:
        model = OpenAIChat(server.base_url, "m")
        reading = asyncio.create_task(read(model))
        await server.asked(1)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await server.idle()
        await model.aclose()

    assert server.requests[0].disconnected


async def test_a_closed_model_opens_a_new_connection_when_asked_again() -> None:
    async with serve_script(Script(replies=(ScriptedReply(text="fine", times=2),))) as server:
        model = OpenAIChat(server.base_url, "m")
        for _ in range(2):
            assert [event async for event in model.stream(HELLO)][-1] == Finished("stop")
            await model.aclose()

    assert len(server.requests) == 2


def test_importing_the_adapter_does_not_import_the_http_client() -> None:
    code = "import sys, mulligan.models.wire.openai_chat; sys.exit('httpx2' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_plain_http_loads_no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("certificates were loaded")

    monkeypatch.setattr("ssl.SSLContext.load_verify_locations", refuse)
    monkeypatch.setattr("ssl.SSLContext.load_default_certs", refuse)
    async with serve_script(Script(replies=(ScriptedReply(text="fine"),))) as server:
        model = OpenAIChat(server.base_url, "m")
        assert [event async for event in model.stream(HELLO)][-1] == Finished("stop")
        await model.aclose()

    with pytest.raises(AssertionError, match="certificates"):
        await anext(OpenAIChat("https://127.0.0.1:1/v1", "m").stream(HELLO))
