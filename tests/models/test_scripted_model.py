import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedModel, ScriptedReply
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.ports.models import Model
from mulligan.types.errors import ModelError, ModelRejected, ReplyCutOff
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelRequest,
    ReasoningDelta,
    SystemText,
    TextDelta,
    TextWasReasoning,
    Usage,
    UsageReport,
    UserText,
)
from tests.examples import examples

HELLO = ModelRequest((SystemText("Be brief."), UserText("hellö")))


async def told(model: Model) -> dict[str, Any]:
    """All that one reply says, joined, and how it ended."""
    said: dict[str, Any] = {"text": "", "reasoning": "", "calls": {}, "usage": None, "end": None}
    try:
        async for event in model.stream(HELLO):
            match event:
                case TextDelta(text):
                    said["text"] += text
                case ReasoningDelta(text):
                    said["reasoning"] += text
                case TextWasReasoning(text):
                    said |= {"text": "", "reasoning": text}
                case CallDelta(index, call_id, name, arguments):
                    before = said["calls"].get(index, ("", "", ""))
                    said["calls"][index] = tuple(map(str.__add__, before, (call_id or "", name or "", arguments)))
                case UsageReport(usage):
                    said["usage"] = usage
                case Finished(reason):
                    said["end"] = reason
                case other:
                    raise AssertionError(other)
    except ModelError as error:
        said["end"] = type(error)
        said["retry_after"] = getattr(error, "retry_after", None)
    return said


words = st.text(max_size=30) | st.sampled_from(["<think>hm</think>Hi", "request $n", "</think>", "üñ€😀"])
calls = st.builds(
    ScriptedCall,
    name=st.sampled_from(["view_file", "grep", "ls"]),
    arguments=words | st.dictionaries(st.text(max_size=5), st.integers() | words | st.none(), max_size=3),
    id=st.none() | st.sampled_from(["a", "b"]),
)
spoken: dict[str, st.SearchStrategy[Any]] = {
    "text": words,
    "reasoning": words,
    "tool_calls": st.lists(calls, max_size=3).map(tuple),
    "calls_as": st.sampled_from(["native", "text"]),
    "chunk_size": st.integers(min_value=1, max_value=12),
    "times": st.integers(min_value=1, max_value=2),
}
replies = st.one_of(
    st.builds(ScriptedReply, **spoken, finish_reason=st.sampled_from(["auto", "stop", "length", None])),
    st.builds(
        ScriptedReply,
        **spoken,
        usage=st.builds(Usage, prompt_tokens=st.integers(0, 99), cached_tokens=st.integers(0, 9)),
    ),
    st.builds(ScriptedReply, **spoken, cut_after=st.integers(min_value=0, max_value=9)),
    st.builds(
        ScriptedReply,
        status=st.sampled_from([400, 401, 404, 408, 429, 500, 503]),
        headers=st.sampled_from([{}, {"Retry-After": "3"}]),
        body=st.sampled_from(["no", "<html>", {"error": "no"}]),
    ),
    st.builds(
        ScriptedReply, raw=st.sampled_from([(), ("data: [DONE]",), ('data: {"choices": [{"finish_reason": "stop"}]}',)])
    ),
)
scripts = st.builds(
    Script, replies=st.lists(replies, max_size=3).map(tuple), then=st.sampled_from(["repeat_last", "loop", "fail"])
)


@settings(max_examples=examples(60), deadline=None)
@given(script=scripts)
async def test_in_process_and_over_http_a_script_says_the_same(script: Script) -> None:
    in_process = ScriptedModel(script)
    async with serve_script(script) as server:
        over_http = OpenAIChat(server.base_url, script.model)
        for _ in range(4):
            assert await told(in_process) == await told(over_http)
        await over_http.aclose()


async def test_requests_are_kept() -> None:
    model = ScriptedModel(Script(replies=(ScriptedReply(text="a"),)))
    await told(model)

    assert model.requests == [HELLO]


async def test_a_used_up_script_rejects_the_request() -> None:
    with pytest.raises(ModelRejected, match="the script is used up: 0 replies, and this is request 1"):
        await anext(ScriptedModel(Script(replies=())).stream(HELLO))


async def test_tokens_are_reckoned_at_four_characters() -> None:
    said = await told(ScriptedModel(Script(replies=(ScriptedReply(text="x" * 40, reasoning="y" * 8),))))

    assert said["usage"].completion_tokens == 12
    assert said["usage"].prompt_tokens > 0


async def test_calls_can_be_written_as_text() -> None:
    call = ScriptedCall(name="ls", arguments={"path": "."})
    said = await told(
        ScriptedModel(Script(replies=(ScriptedReply(text="Look:", tool_calls=(call,), calls_as="text"),)))
    )

    assert said["text"] == 'Look:\n<tool_call>\n{"name": "ls", "arguments": {"path":"."}}\n</tool_call>'
    assert said["calls"] == {}
    assert said["end"] == "stop"


async def test_what_came_before_a_cut_is_streamed() -> None:
    events = ScriptedModel(Script(replies=(ScriptedReply(text="abcd", chunk_size=2, cut_after=1),))).stream(HELLO)

    assert await anext(events) == TextDelta("ab")
    with pytest.raises(ReplyCutOff):
        await anext(events)


async def test_delays_are_slept_where_the_script_has_them() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    reply = ScriptedReply(text="abcd", chunk_size=2, delay=9, chunk_delay=0.5)
    await told(ScriptedModel(Script(replies=(reply,)), sleep=sleep))

    assert slept == [9, *[0.5] * 5]


async def test_a_reply_that_hangs_waits_for_its_reader_to_leave() -> None:
    events = ScriptedModel(Script(replies=(ScriptedReply(text="abcd", chunk_size=2, hang=1),))).stream(HELLO)
    assert await anext(events) == TextDelta("ab")

    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
