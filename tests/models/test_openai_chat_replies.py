"""What servers send, as each of them words it, through a real socket."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedReply
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire import event_stream
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.errors import ModelError, ModelOverloaded, ModelRejected, ReplyCutOff
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    TokenChoices,
    Usage,
    UsageReport,
    UserText,
)

HELLO = ModelRequest((UserText("hello"),))
DONE = "data: [DONE]"


def chunk(delta: Any, finish_reason: str | None = None, **fields: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return "data: " + json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [choice], **fields})


def usage_chunk(**fields: Any) -> str:
    return "data: " + json.dumps({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, **fields}})


def call(**fields: Any) -> dict[str, Any]:
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return {"tool_calls": [{**fields, "type": "function", "function": function}]}


async def replies_of(base_url: str) -> list[ModelEvent]:
    model = OpenAIChat(base_url, "some-model")
    try:
        return [event async for event in model.stream(HELLO)]
    finally:
        await model.aclose()


async def reply_to(*raw: str) -> list[ModelEvent]:
    async with serve_script(Script(replies=(ScriptedReply(raw=raw),))) as server:
        return await replies_of(server.base_url)


LLAMA_CPP = [
    chunk({"role": "assistant", "content": None}),
    chunk({"reasoning_content": "I must look."}),
    chunk({"content": "Let me "}),
    chunk({"content": "see."}),
    chunk(call(index=0, id="jR2x", name="view_file", arguments="{")),
    chunk(call(index=0, arguments='"path":"a.py"}')),
    chunk({}, "tool_calls"),
    usage_chunk(total_tokens=11, prompt_tokens_details={"cached_tokens": 7}) + "\n",
    DONE,
]
OLLAMA = [
    chunk({"role": "assistant", "content": "", "reasoning": "two files"}),
    chunk(
        {"role": "assistant", "content": "", **call(id="call_a", index=0, name="view_file", arguments='{"path":"a"}')}
    ),
    chunk(
        {"role": "assistant", "content": "", **call(id="call_b", index=0, name="view_file", arguments='{"path":"b"}')}
    ),
    chunk({"role": "assistant", "content": ""}, "stop"),
    usage_chunk(total_tokens=11),
    DONE,
]
VLLM = [
    chunk({"role": "assistant", "content": ""}, usage={"prompt_tokens": 9, "total_tokens": 9, "completion_tokens": 0}),
    chunk(call(index=0, id="chatcmpl-tool-1", name="ls")),
    chunk(call(index=0, arguments="{}")),
    chunk({"content": ""}, "tool_calls", stop_reason=None),
    usage_chunk(total_tokens=11, prompt_tokens_details=None),
    DONE,
]
LM_STUDIO = [
    ": keep-alive",
    chunk({"role": "assistant", "content": "<thi"}),
    chunk({"content": "nk>hm</th"}),
    chunk({"content": "ink>\n\nHello"}),
    chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 2}),
    DONE,
]
OPENAI = [
    chunk({"role": "assistant", "content": "", "refusal": None}, usage=None, service_tier="default"),
    chunk({"content": "Hel"}, usage=None),
    chunk({"content": "lo"}, usage=None),
    chunk({}, "stop", usage=None),
    usage_chunk(completion_tokens_details={"reasoning_tokens": 0}),
    DONE,
]


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        pytest.param(
            LLAMA_CPP,
            [
                ReasoningDelta("I must look."),
                TextDelta("Let me "),
                TextDelta("see."),
                CallDelta(0, "jR2x", "view_file", "{"),
                CallDelta(0, arguments='"path":"a.py"}'),
                UsageReport(Usage(prompt_tokens=9, completion_tokens=2, cached_tokens=7)),
                Finished("tool_calls"),
            ],
            id="llama.cpp",
        ),
        pytest.param(
            OLLAMA,
            [
                ReasoningDelta("two files"),
                CallDelta(0, "call_a", "view_file", '{"path":"a"}'),
                CallDelta(1, "call_b", "view_file", '{"path":"b"}'),
                UsageReport(Usage(prompt_tokens=9, completion_tokens=2)),
                Finished("stop"),
            ],
            id="Ollama",
        ),
        pytest.param(
            VLLM,
            [
                CallDelta(0, "chatcmpl-tool-1", "ls"),
                CallDelta(0, arguments="{}"),
                UsageReport(Usage(prompt_tokens=9, completion_tokens=2)),
                Finished("tool_calls"),
            ],
            id="vLLM",
        ),
        pytest.param(
            LM_STUDIO,
            [
                ReasoningDelta("hm"),
                TextDelta("Hello"),
                UsageReport(Usage(prompt_tokens=9, completion_tokens=2)),
                Finished("stop"),
            ],
            id="LM Studio",
        ),
        pytest.param(
            OPENAI,
            [
                TextDelta("Hel"),
                TextDelta("lo"),
                UsageReport(Usage(prompt_tokens=9, completion_tokens=2)),
                Finished("stop"),
            ],
            id="OpenAI",
        ),
    ],
)
async def test_the_stream_of_each_known_server_is_understood(raw: list[str], events: list[ModelEvent]) -> None:
    assert await reply_to(*raw) == events


async def test_a_copied_text_arrives_with_the_choices_of_its_tokens() -> None:
    likeliest = [{"token": " +", "logprob": -0.3}, {"token": " *", "logprob": -1.5}]
    choice = {
        "index": 0,
        "delta": {"content": " +"},
        "finish_reason": None,
        "logprobs": {"content": [{"token": " +", "logprob": -0.3, "top_logprobs": likeliest}]},
    }
    copied = "data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]})
    assert await reply_to(copied, chunk({}, "stop"), DONE) == [
        TextDelta(" +"),
        TokenChoices(" +", ((" *", -1.5),)),
        Finished("stop"),
    ]


@pytest.mark.parametrize(
    ("odd", "events"),
    [
        pytest.param('data: {"choices": []}', [], id="no choices"),
        pytest.param('data: {"choices": null}', [], id="choices null"),
        pytest.param('data: {"choices": [null]}', [], id="a choice that is null"),
        pytest.param('data: {"choices": [{"delta": null}]}', [], id="delta null"),
        pytest.param(chunk({"content": None}), [], id="content null"),
        pytest.param(chunk({"content": [{"type": "text", "text": "Hi"}]}), [TextDelta("Hi")], id="content in parts"),
        pytest.param(
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
            [ReasoningDelta("hm")],
            id="thoughts in parts, as Mistral sends them",
        ),
        pytest.param(
            chunk({"reasoning": "hm", "reasoning_content": "hm"}), [ReasoningDelta("hm")], id="both reasonings"
        ),
        pytest.param(chunk({"refusal": "I won't."}), [TextDelta("I won't.")], id="refusal"),
        pytest.param(
            chunk({"function_call": {"name": "ls", "arguments": "{}"}}),
            [CallDelta(0, None, "ls", "{}")],
            id="legacy function_call",
        ),
        pytest.param(
            chunk({"tool_calls": [{"function": {"name": "ls", "arguments": {"a": 1}}}]}),
            [CallDelta(0, None, "ls", '{"a": 1}')],
            id="arguments as an object",
        ),
        pytest.param(chunk({"content": "\ud83d"}), [TextDelta("\ufffd")], id="half a surrogate pair"),
        pytest.param("data: 7", [], id="an event that is no object"),
    ],
)
async def test_an_odd_chunk_is_taken_for_what_it_says(odd: str, events: list[ModelEvent]) -> None:
    assert await reply_to(odd, chunk({}, "stop"), DONE) == [*events, Finished("stop")]


async def test_the_last_of_several_usages_counts() -> None:
    counting = [chunk({"content": "x"}, usage={"prompt_tokens": 9, "completion_tokens": n}) for n in (1, 2)]

    events = await reply_to(*counting, chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 3}), DONE)

    assert [event for event in events if isinstance(event, UsageReport)] == [
        UsageReport(Usage(prompt_tokens=9, completion_tokens=3))
    ]


async def test_a_finish_reason_is_passed_on_as_the_server_words_it() -> None:
    assert await reply_to(chunk({"content": "x"}), chunk({}, "length"), DONE) == [TextDelta("x"), Finished("length")]


async def test_a_stream_that_ends_after_its_finish_reason_is_whole_without_done() -> None:
    assert await reply_to(chunk({"content": "x"}, "stop")) == [TextDelta("x"), Finished("stop")]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param([chunk({"content": "x"})], id="the stream just ends"),
        pytest.param([chunk({"content": "x"}), DONE], id="DONE without a finish reason"),
        pytest.param([chunk({"content": "x"}, ""), DONE], id="an empty finish reason"),
        pytest.param([], id="nothing at all"),
        pytest.param(['data: {"choices": [{"delta"', chunk({}, "stop"), DONE], id="a broken event"),
    ],
)
async def test_a_reply_without_a_finish_reason_is_cut_off(raw: list[str]) -> None:
    with pytest.raises(ReplyCutOff):
        await reply_to(*raw)


async def test_a_connection_dropped_in_the_middle_is_a_cut_off_reply() -> None:
    async with serve_script(Script(replies=(ScriptedReply(text="x" * 99, chunk_size=9, cut_after=2),))) as server:
        with pytest.raises(ReplyCutOff, match="broke off"):
            await replies_of(server.base_url)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        pytest.param({"error": {"message": "no memory", "code": 500}}, ModelOverloaded, id="code 500"),
        pytest.param({"error": {"message": "slow down", "code": "429"}}, ModelOverloaded, id="code 429 as text"),
        pytest.param({"error": {"message": "too long", "code": 400}}, ModelRejected, id="code 400"),
        pytest.param({"error": {"message": "x", "code": "context_length_exceeded"}}, ModelRejected, id="named code"),
        pytest.param({"error": {"message": "x", "type": "invalid_request_error"}}, ModelRejected, id="type"),
        pytest.param({"error": {"message": "x", "type": "server_error"}}, ModelOverloaded, id="server error"),
        pytest.param({"error": "the runner has died"}, ModelOverloaded, id="words alone"),
        pytest.param({"object": "error", "message": "bad", "code": 400}, ModelRejected, id="an older vLLM"),
        pytest.param({"choices": [{"error": {"message": "x", "code": 502}}]}, ModelOverloaded, id="within the choice"),
    ],
)
async def test_an_error_in_the_stream_is_sorted_by_its_code(event: Any, error: type[ModelError]) -> None:
    with pytest.raises(error, match="failed while it answered"):
        await reply_to(chunk({"content": "x"}), f"data: {json.dumps(event)}")


async def test_a_character_split_over_two_writes_is_whole_again(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    event = f"{chunk({'content': 'x'}, 'stop')}\n\n".replace('"x"', '"ü€"').encode()
    middle = event.index("€".encode()) + 1
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (event[:middle], event[middle:], b"\n"))
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    async with byte_server(head + pieces + b"0\r\n\r\n") as server:
        assert await replies_of(server.base_url) == [TextDelta("ü€"), Finished("stop")]


async def test_a_server_that_does_not_stream_is_understood(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in ("ls", "pwd")]
    message = {"role": "assistant", "content": "<think>hm</think>Hi", "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 9}}, indent=1).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: {len(body)}\r\n\r\n"
    async with byte_server(head.encode() + body) as server:
        assert await replies_of(server.base_url) == [
            ReasoningDelta("hm"),
            TextDelta("Hi"),
            CallDelta(0, "ls", "ls", "{}"),
            CallDelta(1, "pwd", "pwd", "{}"),
            UsageReport(Usage(prompt_tokens=9)),
            Finished("tool_calls"),
        ]


async def test_a_plain_answer_that_is_no_json_is_a_cut_off_reply(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    async with byte_server(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"choices": [') as server:
        with pytest.raises(ReplyCutOff, match="not whole JSON"):
            await replies_of(server.base_url)


async def test_a_whole_reply_is_not_lost_to_a_server_that_never_hangs_up(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "LINGER", 0.005)
    stream = f"{chunk({'content': 'x'}, 'stop')}\n\n".encode()
    async with byte_server(b"HTTP/1.1 200 OK\r\n\r\n" + stream, hold_open=True) as server:
        assert await replies_of(server.base_url) == [TextDelta("x"), Finished("stop")]


async def test_a_whole_reply_is_not_lost_to_a_connection_that_breaks_after_it(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    stream = f"{chunk({'content': 'x'}, 'stop')}\n\n".encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n"
    async with byte_server(head + stream) as server:
        assert await replies_of(server.base_url) == [TextDelta("x"), Finished("stop")]


async def test_calls_of_the_scripted_server_arrive_whole() -> None:
    calls = (ScriptedCall(name="view_file", arguments={"path": "a.py"}), ScriptedCall(name="ls", arguments="{oops"))
    async with serve_script(Script(replies=(ScriptedReply(tool_calls=calls, chunk_size=5),))) as server:
        events = await replies_of(server.base_url)

    pieces = [event for event in events if isinstance(event, CallDelta)]
    assert [piece.name for piece in pieces if piece.name] == ["view_file", "ls"]
    assert "".join(piece.arguments for piece in pieces if piece.index == 0) == '{"path":"a.py"}'
    assert "".join(piece.arguments for piece in pieces if piece.index == 1) == "{oops"
