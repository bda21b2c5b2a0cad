"""A server that is broken or means harm: no reply, body or silence of it goes on for ever, and all of it is told."""

import gzip
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from mulligan.core.reply_limits import MAX_CALLS_READ, longest_reply
from mulligan.models.known.metadata import read_metadata
from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedReply
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire import event_stream, http_client, openai_chat
from mulligan.models.wire.openai_chat import OpenAIChat, list_models
from mulligan.types.errors import ModelError, ModelRejected, ModelUnreachable, ReplyCutOff
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
from mulligan.types.profiles import ModelProfile, ToolProtocol
from mulligan.types.tool_calls import ToolSpec

Answering = Callable[..., AbstractAsyncContextManager[Any]]

SMALL = 256
"""Tokens of context: enough to see that a reply is cut, and soon."""
GREP = ToolSpec("grep", "Search.", {"type": "object", "properties": {"pattern": {"type": "string"}}})
HELLO = ModelRequest((UserText("hello"),), tools=(GREP,))
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


def chunk(delta: Any, **fields: Any) -> str:
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": delta}], **fields})


def call(arguments: str, **fields: Any) -> Any:
    return {"tool_calls": [{"index": 0, "function": {"arguments": arguments, **fields}}]}


async def said_by(
    reply: ScriptedReply,
    *,
    protocol: ToolProtocol = "native",
    context: int | None = SMALL,
    patience: float = 60.0,
) -> list[ModelEvent]:
    """What comes of the reply behind all that stands around a server's model; then the server has been left."""
    async with serve_script(Script(replies=(reply,))) as server:
        bare = OpenAIChat(server.base_url, "some-model", idle_timeout=patience, first_token_timeout=patience)
        profile = ModelProfile(server=server.base_url, model="some-model", context_length=context)
        model = AdaptiveModel(bare, profile, wanted=protocol, learn=lambda _: None)
        try:
            return [event async for event in model.stream(HELLO)]
        finally:
            await server.idle()
            await bare.aclose()


@pytest.mark.parametrize(
    ("reply", "protocol"),
    [
        pytest.param(ScriptedReply(text="At $t it went on. ", timed=True, endless=True), "native", id="text"),
        pytest.param(ScriptedReply(reasoning="At $t I thought. ", timed=True, endless=True), "native", id="thoughts"),
        pytest.param(
            ScriptedReply(
                raw=(chunk(call('{"at": "$t"', name="grep")), chunk(call(', "then": "$t"'))), timed=True, endless=True
            ),
            "native",
            id="one call",
        ),
        pytest.param(
            ScriptedReply(raw=(chunk({"content": '{"name": "grep", "$t": "'}),), timed=True, endless=True),
            "text",
            id="text that may be a call, and is held back",
        ),
        pytest.param(
            ScriptedReply(
                raw=(chunk({"content": '{"tool": "grep", "arguments": {}'}), *[chunk({"content": " " * 99})] * 99)
            ),
            "constrained",
            id="white space behind a call",
        ),
    ],
)
async def test_a_reply_without_end_is_cut_at_the_length_of_the_context(
    reply: ScriptedReply, protocol: ToolProtocol
) -> None:
    events = await said_by(reply, protocol=protocol)

    said = [event.text for event in events if isinstance(event, TextDelta | ReasoningDelta)]
    written = [event.arguments for event in events if isinstance(event, CallDelta)]
    assert len("".join([*said, *written])) <= longest_reply(SMALL) + 99
    assert events[-1] == Finished("length")


@pytest.mark.parametrize(
    ("context", "tokens"),
    [
        pytest.param(4096, 4096, id="known"),
        pytest.param(None, 262_144, id="not known"),
        pytest.param(10**12, 262_144, id="a context that no model has"),
    ],
)
def test_a_reply_may_fill_the_context_twice_over_as_characters_are_counted(context: int | None, tokens: int) -> None:
    assert longest_reply(context) == 7 * tokens


@pytest.mark.parametrize("written", ["native", "text"])
async def test_no_more_calls_are_listened_to_than_are_answered(written: Any) -> None:
    calls = tuple(ScriptedCall(name="grep", arguments={"pattern": str(n)}) for n in range(500))
    events = await said_by(ScriptedReply(tool_calls=calls, calls_as=written), context=None)

    heard = {event.index for event in events if isinstance(event, CallDelta)}
    assert heard == set(range(MAX_CALLS_READ))
    assert events[-1] == Finished("tool_calls")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(": ping", id="comments"),
        pytest.param("\n", id="blank lines"),
        pytest.param(chunk({"role": "assistant", "content": ""}), id="empty deltas"),
        pytest.param(chunk({"tool_calls": [{"index": 0, "id": "c"}]}), id="a call that is announced again and again"),
        pytest.param(chunk({}, usage={"prompt_tokens": 7}), id="a count that stands still"),
        pytest.param(chunk({}, prompt_progress={"total": 9, "processed": 3}), id="a prompt that is not read further"),
    ],
)
async def test_signs_of_life_do_not_stand_for_a_reply(sent: str) -> None:
    reply = ScriptedReply(raw=(sent,), endless=True, chunk_delay=0.01)

    with pytest.raises(ModelUnreachable, match=r"signs of life, but nothing of its reply, for 0\.3 s, the limit for"):
        await said_by(reply, patience=0.3)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        pytest.param(": " + "x" * 9_000, "8 MB, the last 8 MB without a word", id="comments"),
        pytest.param('data: {"padding": "' + "x" * 9_000 + '"}', "without a word", id="events that say nothing"),
        pytest.param('data: {"open":\n', "an event of more than 4 MB", id="an event over lines that never ends"),
        pytest.param("data: {" + "x" * 9_000 + "\r\n", "an event of more than 4 MB", id="an event of long lines"),
    ],
)
async def test_a_flood_that_says_nothing_is_cut_off(sent: str, why: str) -> None:
    with pytest.raises(ReplyCutOff, match=why):
        await said_by(ScriptedReply(raw=(sent * (1 if len(sent) > 99 else 500),), endless=True))


async def test_a_reply_is_whole_although_the_server_goes_on_after_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LINGER", 0.05)
    whole = chunk({"content": "x"}).removesuffix("}]}") + ', "finish_reason": "stop"}]}'

    events = await said_by(ScriptedReply(raw=(whole, "data: [DONE]", ": ping"), endless=True, chunk_delay=0.001))

    assert events == [TextDelta("x"), Finished("stop")]


@pytest.mark.parametrize(
    ("payload", "events"),
    [
        pytest.param(chunk({}, usage={"prompt_tokens": 10**400, "completion_tokens": 3}), [3], id="a huge count"),
        pytest.param(chunk({}, usage={"completion_tokens": -5}), [0], id="a count below zero"),
        pytest.param(
            chunk({"tool_calls": [{"index": i, "function": {"name": "grep"}} for i in (10**9, -1, 10**30)]}),
            [CallDelta(n, name="grep") for n in range(3)],
            id="places of calls that nobody could count up to",
        ),
        pytest.param(chunk({"content": "\x00\ud800"}), [TextDelta("\x00\ufffd")], id="half a character"),
    ],
)
async def test_numbers_out_of_this_world_do_no_harm(payload: str, events: list[Any]) -> None:
    end = chunk({}).removesuffix("}]}") + ', "finish_reason": "stop"}]}'
    expected = [UsageReport(Usage(completion_tokens=e)) if isinstance(e, int) else e for e in events]

    assert await said_by(ScriptedReply(raw=(payload, end))) == [*expected, Finished("stop")]


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param("data: " + "[" * 200_000, id="lists that never close"),
        pytest.param('data: {"a": ' + "[" * 200_000 + "]" * 200_000 + "}", id="lists within lists"),
        pytest.param('data: {"a": ' + "9" * 5_000 + "}", id="a number of 5,000 digits"),
        *(
            pytest.param(
                'data: {"choices": [{"delta": {"tool_calls": [{"function": {"name": "grep", "arguments": '
                + ('{"a":' * depth + "1" + "}" * depth)
                + "}}]}}]}",
                id=f"arguments {depth} deep",
            )
            for depth in range(900, 1000, 7)
        ),
    ],
)
async def test_events_that_are_too_much_for_a_reader_are_a_cut_off_reply(payload: str) -> None:
    with pytest.raises(ReplyCutOff):
        await said_by(ScriptedReply(raw=(payload,)), context=None)


async def test_a_list_of_models_is_not_read_for_ever(byte_server: Answering) -> None:
    body = b'{"data": [' + b'{"id": "some-model"},' * 300_000
    async with byte_server(HEAD + b"\r\n" + body, hold_open=True) as server:
        with pytest.raises(ReplyCutOff, match="more than 4 MB"):
            await list_models(server.base_url)


async def test_a_list_of_models_that_trickles_in_is_given_up(
    byte_server: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_chat, "LISTING_TIMEOUT", 0.05)
    async with byte_server(HEAD + b"\r\n" + b'{"data": [', hold_open=True) as server:
        with pytest.raises(ModelUnreachable):
            await list_models(server.base_url)


async def test_names_that_nobody_could_type_are_left_out(
    json_server: Callable[..., AbstractAsyncContextManager[str]],
) -> None:
    names = ["fine", "x" * 5_000, "\x1b[2Jred", "", 7, None]
    async with json_server({"/v1/models": {"data": [{"id": name} for name in names]}}) as base_url:
        assert await list_models(base_url) == ["fine"]


@pytest.mark.parametrize(
    ("parameters", "length"),
    [
        pytest.param("num_ctx 8192", 8192, id="a length"),
        pytest.param("\n" * 500_000 + "num_ctx 8192", 8192, id="after half a million lines"),
        pytest.param("num_ctx " + "9" * 6_000, 4096, id="a length of 6,000 digits"),
    ],
)
async def test_metadata_made_to_be_read_for_ever_comes_to_an_end(
    parameters: str, length: int, json_server: Callable[..., AbstractAsyncContextManager[str]]
) -> None:
    answers: dict[str, Any] = {
        "/api/version": {"version": "1"},
        "/api/tags": {"models": []},
        "/api/show": {"parameters": parameters, "model_info": {"a.context_length": 10**500}},
    }
    async with json_server(answers) as base_url:
        assert (await read_metadata(base_url, "some-model")).context_length == length


async def failure(base_url: str) -> ModelError:
    model = OpenAIChat(base_url, "some-model")
    with pytest.raises(ModelError) as caught:
        await anext(model.stream(HELLO))
    await model.aclose()
    return caught.value


async def test_what_is_packed_is_not_unpacked(byte_server: Answering) -> None:
    packed = gzip.compress(b"x" * 1_000_000)
    async with byte_server(HEAD + b"content-encoding: gzip\r\n\r\n" + packed) as server:
        error = await failure(server.base_url)

    assert isinstance(error, ModelRejected)
    assert "answered compressed" in str(error)


@pytest.mark.parametrize(
    ("more", "body", "said"),
    [
        pytest.param(b"", b"x" * 100_000, "refused the request (400): xxx", id="endless"),
        pytest.param(b"", b"no such field", "refused the request (400): no such field.", id="that never ends"),
        pytest.param(b"content-encoding: gzip\r\n", gzip.compress(b"x" * 9_999), "request (400).", id="packed"),
    ],
)
async def test_a_refusal_is_told_however_it_goes_on(
    more: bytes, body: bytes, said: str, byte_server: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "ERROR_TIMEOUT", 0.2)
    head = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\n" + more
    async with byte_server(head + b"\r\n" + body, hold_open=True) as server:
        assert said in str(await failure(server.base_url))


async def test_a_reply_in_one_piece_has_an_end_too(byte_server: Answering) -> None:
    async with byte_server(HEAD + b"\r\n" + b'{"choices": [' + b" " * 5_000_000, hold_open=True) as server:
        assert "more than 4 MB" in str(await failure(server.base_url))
