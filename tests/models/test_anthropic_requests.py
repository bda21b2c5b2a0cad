import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.wire.anthropic import AnthropicChat, list_models
from mulligan.models.wire.anthropic_request import alternating, request_body
from mulligan.types.errors import ModelError, ModelRejected
from mulligan.types.model_io import (
    AssistantReply,
    ModelRequest,
    SentCall,
    SystemText,
    ToolReply,
    UserText,
    WireMessage,
)
from mulligan.types.tool_calls import ToolSpec

GREP = ToolSpec("grep", "Search.", {"type": "object", "properties": {"pattern": {"type": "string"}}})


def body(*messages: WireMessage, **fields: Any) -> dict[str, Any]:
    return json.loads(request_body(ModelRequest(messages, **fields), "claude-x"))


def test_a_request_has_all_that_the_wire_wants() -> None:
    assert body(SystemText("Be brief."), UserText("hello"), tools=(GREP,), temperature=0.5) == {
        "model": "claude-x",
        "tools": [{"name": "grep", "description": "Search.", "input_schema": GREP.parameters}],
        "system": "Be brief.",
        "max_tokens": 4096,
        "temperature": 0.5,
        "stream": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
    }


def test_the_longest_reply_can_be_set() -> None:
    assert body(UserText("hello"), max_tokens=7)["max_tokens"] == 7


def test_a_temperature_above_the_wire_s_highest_is_lowered() -> None:
    assert body(UserText("hello"), temperature=2.0)["temperature"] == 1.0


def test_a_schema_and_masked_tools_are_not_sent() -> None:
    plain = request_body(ModelRequest((UserText("hello"),), tools=(GREP,)), "m")

    assert plain == request_body(
        ModelRequest((UserText("hello"),), tools=(GREP,), schema={"type": "object"}, masked=frozenset({"grep"})), "m"
    )


def test_calls_and_their_results_stand_in_two_messages() -> None:
    calls = (SentCall("a", "grep", {"pattern": "x"}), SentCall("b", "grep", {}))
    said = AssistantReply("Looking.", calls)

    assert body(UserText("go"), said, ToolReply("a", "grep", "1"), ToolReply("b", "grep", ""), UserText("note"))[
        "messages"
    ] == [
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "a", "name": "grep", "input": {"pattern": "x"}},
                {"type": "tool_use", "id": "b", "name": "grep", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "1"},
                {"type": "tool_result", "tool_use_id": "b", "content": ""},
                {"type": "text", "text": "note"},
            ],
        },
    ]


def test_ids_of_another_server_are_made_fit() -> None:
    messages = body(
        UserText("go"), AssistantReply("", (SentCall("call:1/x", "grep", {}),)), ToolReply("call:1/x", "grep", "1")
    )["messages"]

    assert messages[1]["content"][0]["id"] == messages[2]["content"][0]["tool_use_id"] == "call_1_x"


def test_tools_off_after_calls_names_them_and_forbids_them() -> None:
    sent = body(UserText("go"), AssistantReply("", (SentCall("a", "grep", {}),)), ToolReply("a", "grep", "1"))

    assert sent["tools"] == [{"name": "grep", "input_schema": {"type": "object"}}]
    assert sent["tool_choice"] == {"type": "none"}


def test_tools_off_without_calls_sends_none() -> None:
    assert "tools" not in body(UserText("go"))


def test_a_system_text_in_mid_history_stays_where_it_is() -> None:
    sent = body(SystemText("one"), SystemText("two"), UserText("go"), AssistantReply("yes"), SystemText("late"))

    assert sent["system"] == "one\n\ntwo"
    assert sent["messages"][-1] == {"role": "user", "content": [{"type": "text", "text": "late"}]}


def test_bytes_that_are_no_text_do_not_break_a_request() -> None:
    assert body(UserText("a\udc80b"))["messages"][0]["content"][0]["text"] == "a?b"


TEXTS = st.sampled_from(["", " ", "hello"])
CALLS = st.lists(st.builds(SentCall, st.sampled_from("abc"), st.just("grep"), st.just({})), max_size=2).map(tuple)
MESSAGES = st.lists(
    st.builds(UserText, TEXTS)
    | st.builds(SystemText, TEXTS)
    | st.builds(AssistantReply, TEXTS, CALLS)
    | st.builds(ToolReply, st.sampled_from("abc"), st.just("grep"), TEXTS)
)


@given(history=MESSAGES)
def test_roles_always_alternate_and_the_user_begins(history: list[WireMessage]) -> None:
    roles = [message["role"] for message in alternating(history)]

    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    assert roles


@given(history=MESSAGES)
def test_no_block_is_blank_and_results_come_first(history: list[WireMessage]) -> None:
    for message in alternating(history):
        kinds = [block["type"] for block in message["content"]]
        assert kinds == sorted(kinds, key=lambda kind: kind != "tool_result")
        assert kinds
        assert all(block["text"].strip() for block in message["content"] if block["type"] == "text")


def json_answer(payload: Any, status: str = "200 OK") -> bytes:
    sent = json.dumps(payload).encode()
    return f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(sent)}\r\n\r\n".encode() + sent


async def test_the_models_are_listed_with_key_and_version(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    listing = {"data": [{"type": "model", "id": "claude-b"}, {"type": "model", "id": "claude-a"}], "has_more": False}
    async with byte_server(json_answer(listing)) as server:
        assert await list_models("sk-1", base_url=server.base_url) == ["claude-b", "claude-a"]

    head = server.received[0].lower()
    assert head.startswith(b"get /v1/models?limit=1000 http/1.1\r\n")
    assert b"\r\nx-api-key: sk-1\r\n" in head
    assert b"\r\nanthropic-version: 2023-06-01\r\n" in head
    assert b"authorization" not in head


async def test_a_listing_without_a_right_key_is_rejected(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    refused = {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
    async with byte_server(json_answer(refused, "401 Unauthorized")) as server:
        with pytest.raises(ModelRejected, match=r"denied access \(401\): invalid x-api-key\. Check MULLIGAN_API_KEY"):
            await list_models("sk-1", base_url=server.base_url)


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
async def test_the_address_may_have_its_version(
    ending: str, byte_server: Callable[..., AbstractAsyncContextManager[Any]]
) -> None:
    async with byte_server(json_answer({}, "400 Bad Request")) as server:
        model = AnthropicChat("claude-x", base_url=server.base_url.removesuffix("/v1") + ending)
        with pytest.raises(ModelError):
            await anext(model.stream(ModelRequest((UserText("hello"),))))
        await model.aclose()

    assert server.received[0].startswith(b"POST /v1/messages HTTP/1.1\r\n")
