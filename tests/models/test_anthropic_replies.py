import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from mulligan.models.wire.anthropic import AnthropicChat
from mulligan.types.errors import ModelError, ModelOverloaded, ModelRejected, ReplyCutOff
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageReport,
    UserText,
)

Answering = Callable[..., AbstractAsyncContextManager[Any]]

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n"


def sse(*events: dict[str, Any]) -> bytes:
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return HEAD + "".join(lines).encode()


START: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "claude-x",
        "stop_reason": None,
        "usage": {
            "input_tokens": 25,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 5,
            "output_tokens": 1,
        },
    },
}
PING: dict[str, Any] = {"type": "ping"}
STOP: dict[str, Any] = {"type": "message_stop"}


def begin(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def end(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def finish(reason: str) -> dict[str, Any]:
    return {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"input_tokens": None, "output_tokens": 15},
    }


async def reply(base_url: str) -> list[ModelEvent]:
    model = AnthropicChat("claude-x", base_url=base_url, api_key="sk-1")
    try:
        return [event async for event in model.stream(ModelRequest((UserText("hello"),)))]
    finally:
        await model.aclose()


async def failure(byte_server: Answering, answer: bytes) -> ModelError:
    async with byte_server(answer) as server:
        with pytest.raises(ModelError) as caught:
            await reply(server.base_url)
    return caught.value


async def test_a_text_comes_with_its_usage(byte_server: Answering) -> None:
    answer = sse(
        START,
        begin(0, type="text", text=""),
        PING,
        delta(0, "text_delta", text="Hel"),
        delta(0, "text_delta", text="lo"),
        end(0),
        finish("end_turn"),
        STOP,
    )
    async with byte_server(answer) as server:
        events = await reply(server.base_url)

    assert events == [
        TextDelta("Hel"),
        TextDelta("lo"),
        UsageReport(Usage(prompt_tokens=130, completion_tokens=15, cached_tokens=100)),
        Finished("stop"),
    ]
    head = server.received[0].lower()
    assert b"\r\nx-api-key: sk-1\r\n" in head
    assert b"\r\nanthropic-version: 2023-06-01\r\n" in head


async def test_thoughts_and_calls_are_told_apart_from_text(byte_server: Answering) -> None:
    answer = sse(
        START,
        begin(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="Hm."),
        delta(0, "signature_delta", signature="EqQ"),
        end(0),
        begin(1, type="text", text=""),
        delta(1, "text_delta", text="Looking."),
        end(1),
        begin(2, type="tool_use", id="toolu_1", name="grep", input={}),
        delta(2, "input_json_delta", partial_json=""),
        delta(2, "input_json_delta", partial_json='{"pattern": "x'),
        delta(2, "input_json_delta", partial_json='"}'),
        end(2),
        begin(3, type="tool_use", id="toolu_2", name="list_dir", input={}),
        end(3),
        finish("tool_use"),
        STOP,
    )
    async with byte_server(answer) as server:
        events = await reply(server.base_url)

    assert events[:-2] == [
        ReasoningDelta("Hm."),
        TextDelta("Looking."),
        CallDelta(0, "toolu_1", "grep"),
        CallDelta(0, arguments='{"pattern": "x'),
        CallDelta(0, arguments='"}'),
        CallDelta(1, "toolu_2", "list_dir"),
        CallDelta(1, arguments="{}"),
    ]
    assert events[-1] == Finished("tool_calls")


async def test_arguments_that_come_whole_are_taken(byte_server: Answering) -> None:
    answer = sse(
        START, begin(0, type="tool_use", id="t", name="grep", input={"pattern": "x"}), end(0), finish("tool_use")
    )
    async with byte_server(answer) as server:
        assert (await reply(server.base_url))[0] == CallDelta(0, "t", "grep", '{"pattern":"x"}')


async def test_calls_that_the_server_runs_itself_are_not_ours(byte_server: Answering) -> None:
    answer = sse(
        START,
        begin(0, type="server_tool_use", id="s", name="web_search", input={}),
        delta(0, "input_json_delta", partial_json='{"query":"x"}'),
        end(0),
        finish("end_turn"),
    )
    async with byte_server(answer) as server:
        events = await reply(server.base_url)

    assert [event for event in events if isinstance(event, CallDelta)] == []


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        pytest.param("end_turn", "stop", id="end"),
        pytest.param("tool_use", "tool_calls", id="calls"),
        pytest.param("max_tokens", "length", id="too long"),
        pytest.param("model_context_window_exceeded", "length", id="context full"),
        pytest.param("refusal", "refusal", id="another"),
    ],
)
async def test_the_end_is_told_in_our_words(said: str, reason: str, byte_server: Answering) -> None:
    async with byte_server(sse(START, finish(said), STOP)) as server:
        assert (await reply(server.base_url))[-1] == Finished(reason)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"type": "content_block_delta", "index": [1], "delta": "x"}, id="wrong types"),
        pytest.param({"type": "content_block_stop", "index": 9}, id="a block that never began"),
        pytest.param({"type": "something_new", "data": 1}, id="an unknown event"),
    ],
)
async def test_an_odd_event_does_no_harm(odd: dict[str, Any], byte_server: Answering) -> None:
    async with byte_server(sse(START, odd, delta(0, "text_delta", text="fine"), finish("end_turn"))) as server:
        assert (await reply(server.base_url))[0] == TextDelta("fine")


async def test_a_reply_without_an_end_is_cut_off(byte_server: Answering) -> None:
    error = await failure(byte_server, sse(START, begin(0, type="text", text="Hel")))

    assert isinstance(error, ReplyCutOff)
    assert "claude-x" in str(error)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param("overloaded_error", ModelOverloaded, id="overloaded"),
        pytest.param("api_error", ModelOverloaded, id="internal"),
        pytest.param("rate_limit_error", ModelOverloaded, id="too many"),
        pytest.param("invalid_request_error", ModelRejected, id="invalid"),
        pytest.param("authentication_error", ModelRejected, id="no access"),
    ],
)
async def test_an_error_in_mid_stream_is_sorted_by_its_type(
    kind: str, expected: type[ModelError], byte_server: Answering
) -> None:
    event = {"type": "error", "error": {"type": kind, "message": "Something"}}
    error = await failure(byte_server, sse(START, delta(0, "text_delta", text="Hel"), event))

    assert type(error) is expected
    assert "Something" in str(error)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        pytest.param(400, ModelRejected, id="400"),
        pytest.param(401, ModelRejected, id="401"),
        pytest.param(404, ModelRejected, id="404"),
        pytest.param(413, ModelRejected, id="413"),
        pytest.param(429, ModelOverloaded, id="429"),
        pytest.param(500, ModelOverloaded, id="500"),
        pytest.param(529, ModelOverloaded, id="529"),
    ],
)
async def test_a_status_is_sorted_as_on_the_other_wire(
    status: int, expected: type[ModelError], byte_server: Answering
) -> None:
    said = json.dumps({"type": "error", "error": {"type": "x", "message": "Overloaded"}}).encode()
    head = f"HTTP/1.1 {status} X\r\nretry-after: 3\r\ncontent-length: {len(said)}\r\n\r\n"
    error = await failure(byte_server, head.encode() + said)

    assert type(error) is expected
    assert "Overloaded" in str(error)
    if isinstance(error, ModelOverloaded):
        assert error.retry_after == 3


async def test_closing_the_stream_closes_the_connection() -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sse(START, delta(0, "text_delta", text="Hel")))
        await reader.read()
        gone.set()
        writer.close()

    async with asyncio.timeout(30), await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        model = AnthropicChat("claude-x", base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        events = model.stream(ModelRequest((UserText("hello"),)))
        assert await anext(events) == TextDelta("Hel")
        await events.aclose()
        await gone.wait()
        await model.aclose()
