import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.protocols.constrained import ConstrainedProtocol, reply_schema
from mulligan.models.protocols.constrained_reply import ConstrainedReader
from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply
from mulligan.types.model_io import (
    AssistantReply,
    CallDelta,
    Finished,
    ModelEvent,
    ModelRequest,
    SentCall,
    SystemText,
    TextDelta,
    ToolReply,
    UserText,
)
from mulligan.types.tool_calls import JsonObject, ToolSpec

GREP = ToolSpec(
    "grep",
    "Search.",
    {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "Regular expression.", "minLength": 1},
            "globs": {"type": "array", "items": {"type": "string", "description": "One."}},
        },
        "required": ["pattern"],
    },
)
VIEW = ToolSpec("view_file", "Read.", {"type": "object", "properties": {"path": {"type": "string"}}})
ASKED = ModelRequest((SystemText("Be brief."), UserText("hello")), tools=(GREP, VIEW))
ANSWER = {"tool": {"const": "answer"}, "text": {"type": "string"}}


def scripted(*texts: str, finish_reason: str = "auto") -> ScriptedModel:
    replies = tuple(ScriptedReply(text=text, chunk_size=3, finish_reason=finish_reason) for text in texts)
    return ScriptedModel(Script(replies=replies))


async def said(model: ScriptedModel, request: ModelRequest = ASKED) -> list[ModelEvent]:
    events = [event async for event in ConstrainedProtocol(model).stream(request)]
    return [event for event in events if isinstance(event, TextDelta | CallDelta | Finished)]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def call_of(events: list[ModelEvent]) -> tuple[str, str]:
    calls = [event for event in events if isinstance(event, CallDelta)]
    return "".join(call.name or "" for call in calls), "".join(call.arguments for call in calls)


def chosen(schema: JsonObject) -> list[str]:
    return [each["properties"]["tool"]["const"] for each in schema["anyOf"]]


def test_the_schema_is_small_and_names_the_tool_first() -> None:
    assert reply_schema([GREP])["anyOf"] == [
        {
            "type": "object",
            "properties": {
                "tool": {"const": "grep"},
                "arguments": {
                    "type": "object",
                    "required": ["pattern"],
                    "properties": {
                        "pattern": {"type": "string", "minLength": 1},
                        "globs": {"type": "array", "items": {"type": "string"}},
                    },
                    "additionalProperties": False,
                },
            },
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        },
        {"type": "object", "properties": ANSWER, "required": ["tool", "text"], "additionalProperties": False},
    ]
    assert list(reply_schema([GREP])["anyOf"][0]["properties"]) == ["tool", "arguments"]


def test_arguments_with_references_are_left_free() -> None:
    tool = ToolSpec("edit", "", {"type": "object", "$defs": {}, "properties": {"a": {"$ref": "#/$defs/A"}}})

    assert reply_schema([tool])["anyOf"][0]["properties"]["arguments"] == {"type": "object"}


@pytest.mark.parametrize(
    ("masked", "left"),
    [
        pytest.param(frozenset[str](), ["grep", "view_file", "answer"], id="none"),
        pytest.param(frozenset({"grep"}), ["view_file", "answer"], id="one"),
        pytest.param(frozenset({"grep", "view_file"}), ["answer"], id="all"),
    ],
)
async def test_masked_tools_are_described_but_not_offered(masked: frozenset[str], left: list[str]) -> None:
    model = scripted('{"tool": "answer", "text": "x"}', '{"tool": "answer", "text": "x"}')
    await said(model)
    await said(model, ModelRequest(ASKED.messages, tools=ASKED.tools, masked=masked))

    unmasked, sent = model.requests
    assert sent.schema is not None
    assert chosen(sent.schema) == left
    assert sent.messages == unmasked.messages
    assert sent.tools == ()


async def test_an_answer_streams_as_text() -> None:
    events = await said(scripted('{"tool": "answer", "text": "It is \\"a\\".\\nDone \\ud83d\\ude00."}'))

    assert text_of(events) == 'It is "a".\nDone 😀.'
    assert sum(isinstance(event, TextDelta) for event in events) > 3
    assert events[-1] == Finished("stop")


@pytest.mark.parametrize(
    "written", ['{"tool": "grep", "arguments": {"pattern": "}"}}', '{ "tool":"grep",\n"arguments":{"pattern":"}"} }\n']
)
async def test_a_call_comes_as_a_call(written: str) -> None:
    events = await said(scripted(written))

    name, arguments = call_of(events)
    assert (name, json.loads(arguments)) == ("grep", {"pattern": "}"})
    assert text_of(events) == ""
    assert events[-1] == Finished("tool_calls")


async def test_a_call_cut_off_at_the_limit_stays_so() -> None:
    events = await said(scripted('{"tool": "grep", "arguments": {"pattern": "a', finish_reason="length"))

    assert call_of(events) == ("grep", '{"pattern": "a')
    assert events[-1] == Finished("length")


async def test_an_answer_cut_off_keeps_what_came() -> None:
    events = await said(scripted('{"tool": "answer", "text": "half of it\\u00', finish_reason="length"))

    assert text_of(events) == "half of it"
    assert events[-1] == Finished("length")


@pytest.mark.parametrize(
    ("written", "call"),
    [
        pytest.param('<tool_call>{"name": "grep", "arguments": {"pattern": "a"}}</tool_call>', "grep", id="tagged"),
        pytest.param('{"name": "grep", "arguments": {"pattern": "a"}}', "grep", id="JSON of another form"),
        pytest.param('{"tool": "Grep", "arguments": {"pattern": "a"}}', "grep", id="another case"),
        pytest.param("It is in a.py.", "", id="plain text"),
        pytest.param('{"tool": "unknown", "arguments": {}}', "", id="unknown tool"),
        pytest.param('{"tool": "answer", "arguments": {}}', "", id="an answer without text"),
        pytest.param('{"tool": "gr', "", id="cut off in its head"),
        pytest.param("{" + " " * 400 + '"tool"', "", id="nothing but space"),
    ],
)
async def test_a_server_that_ignores_the_schema_is_understood_all_the_same(written: str, call: str) -> None:
    events = await said(scripted(written))

    assert call_of(events)[0] == call
    assert text_of(events) == ("" if call else written)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        pytest.param('{"tool": "answer", "text": "x"}', ["obeyed"], id="answer"),
        pytest.param('{"tool": "grep", "arguments": {}}', ["obeyed"], id="call"),
        pytest.param("plain", ["ignored"], id="plain text"),
        pytest.param('{"a": 1}', ["ignored"], id="other JSON"),
        pytest.param("", [], id="nothing"),
    ],
)
async def test_it_is_told_whether_the_schema_was_obeyed(written: str, told: list[str]) -> None:
    heard: list[str] = []
    model = ConstrainedProtocol(
        scripted(written), on_followed=lambda: heard.append("obeyed"), on_ignored=lambda: heard.append("ignored")
    )
    [event async for event in model.stream(ASKED)]

    assert heard == told


async def test_history_is_told_in_the_same_form() -> None:
    history = (
        SystemText("Be brief."),
        UserText("hello"),
        AssistantReply("", (SentCall("1", "grep", {"pattern": "ä"}),)),
        ToolReply("1", "grep", "a.py:1: ä"),
        AssistantReply("Found."),
        UserText("Thanks"),
    )
    model = scripted('{"tool": "answer", "text": "x"}')
    await said(model, ModelRequest(history, tools=ASKED.tools))

    assert model.requests[0].messages[1:] == (
        UserText("hello"),
        AssistantReply('{"tool": "grep", "arguments": {"pattern": "ä"}}'),
        UserText('<tool_result name="grep">\na.py:1: ä\n</tool_result>'),
        AssistantReply('{"tool": "answer", "text": "Found."}'),
        UserText("Thanks"),
    )


@pytest.mark.parametrize("written", ["Plain words.", '{"tool": "answer", "text": "Plain words."}'])
async def test_the_last_words_of_a_turn_are_free(written: str) -> None:
    model = scripted('{"tool": "answer", "text": "x"}', written)
    protocol = ConstrainedProtocol(model)
    [event async for event in protocol.stream(ASKED)]
    events = [event async for event in protocol.stream(ModelRequest(ASKED.messages))]

    assert model.requests[1].schema is None
    assert model.requests[1].messages == model.requests[0].messages
    assert text_of(events) == "Plain words."


async def test_a_schema_of_the_callers_own_is_passed_on() -> None:
    model = scripted('{"tool": "answer", "text": "x"}')
    schema = {"type": "object"}

    events = await said(model, ModelRequest((UserText("x"),), schema=schema))

    assert model.requests[0].schema == schema
    assert text_of(events) == '{"tool": "answer", "text": "x"}'


@given(st.text(), st.booleans(), st.integers(1, 9))
def test_any_answer_comes_out_as_it_was_meant(text: str, ascii_only: bool, size: int) -> None:
    raw = json.dumps({"tool": "answer", "text": text}, ensure_ascii=ascii_only)
    reader = ConstrainedReader(["grep"])
    events = [event for at in range(0, len(raw), size) for event in reader.feed(raw[at : at + size])]

    assert text_of([*events, *reader.finish("stop")]) == text


VALUES = st.recursive(
    st.text() | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@given(st.dictionaries(st.text(max_size=9), VALUES, max_size=4), st.integers(1, 9), st.sampled_from([None, 2]))
def test_any_call_comes_out_as_it_was_meant(given_arguments: dict[str, Any], size: int, indent: int | None) -> None:
    raw = json.dumps({"tool": "grep", "arguments": given_arguments}, indent=indent)
    reader = ConstrainedReader(["grep"])
    events = [event for at in range(0, len(raw), size) for event in reader.feed(raw[at : at + size])]

    name, arguments = call_of([*events, *reader.finish("stop")])
    assert (name, json.loads(arguments)) == ("grep", given_arguments)
