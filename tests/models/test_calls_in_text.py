import json
from collections.abc import AsyncGenerator, Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.repetition import find_repeated_text
from mulligan.models.protocols.calls_in_text import CallsInText, TextCallReader
from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedModel, ScriptedReply
from mulligan.types.model_io import CallDelta, Finished, ModelEvent, ModelRequest, Retrying, TextDelta, UserText
from mulligan.types.tool_calls import ToolSpec

NAMES = ["grep", "view_file"]
TOOLS = tuple(ToolSpec(name, "", {"type": "object", "properties": {"path": {"type": "string"}}}) for name in NAMES)
ASKED = ModelRequest((UserText("hello"),), tools=TOOLS)
CALL = '<tool_call>{"name": "view_file", "arguments": {"path": "a.py"}}</tool_call>'


async def replied(*replies: ScriptedReply, request: ModelRequest = ASKED) -> tuple[list[ModelEvent], int]:
    """The events without usage, and how often calls were found."""
    found: list[None] = []
    model = CallsInText(ScriptedModel(Script(replies=replies)), on_found=lambda: found.append(None))
    events = [event async for event in model.stream(request)]
    return [event for event in events if isinstance(event, TextDelta | CallDelta | Finished | Retrying)], len(found)


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events: list[ModelEvent]) -> list[tuple[str | None, Any]]:
    return [(event.name, json.loads(event.arguments)) for event in events if isinstance(event, CallDelta)]


@pytest.mark.parametrize("chunk", [1, 3, 1000])
async def test_a_call_in_the_text_becomes_a_call_and_the_prose_remains(chunk: int) -> None:
    events, found = await replied(ScriptedReply(text=f"I will read it.\n{CALL}", chunk_size=chunk))

    assert text_of(events).strip() == "I will read it."
    assert calls_of(events) == [("view_file", {"path": "a.py"})]
    assert events[-1] == Finished("tool_calls")
    assert found == 1


async def test_several_calls_are_told_of_once() -> None:
    events, found = await replied(ScriptedReply(text=CALL + CALL.replace("view_file", "grep")))

    assert [event.index for event in events if isinstance(event, CallDelta)] == [0, 1]
    assert found == 1


async def test_a_reply_cut_off_at_the_limit_stays_so() -> None:
    events, _ = await replied(ScriptedReply(text=CALL, finish_reason="length"))

    assert calls_of(events)
    assert events[-1] == Finished("length")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"name": "shop", "version": 1}', id="other JSON"),
        pytest.param(f"Models write `{CALL}`.", id="a call that is shown"),
        pytest.param('It ends so:\n{"na', id="the beginning of JSON"),
        pytest.param("A fence:\n```", id="the beginning of a fence"),
        pytest.param("a <tool", id="the beginning of a tag"),
        pytest.param("```python\nprint({})\n```\n\n", id="code"),
        pytest.param("x = [\n  {\n", id="brackets"),
        pytest.param("", id="nothing"),
    ],
)
@pytest.mark.parametrize("chunk", [1, 4, 1000])
async def test_text_that_calls_nothing_comes_through_as_it_is(text: str, chunk: int) -> None:
    events, found = await replied(ScriptedReply(text=text, chunk_size=chunk))

    assert text_of(events) == text
    assert events[-1] == Finished("stop")
    assert found == 0


def test_prose_is_not_held_back() -> None:
    reader = TextCallReader(NAMES)

    assert reader.feed("The file ") == [TextDelta("The file ")]
    assert reader.feed("holds\n") == [TextDelta("holds\n")]
    assert reader.feed("{") == []
    assert reader.feed('"version"') == []
    assert reader.feed(": 1}") == [TextDelta('{"version": 1}')]


async def test_native_calls_pass_and_release_what_was_held() -> None:
    script = ScriptedReply(text='{"name": "x', tool_calls=(ScriptedCall(name="grep", arguments={"path": "b"}),))

    events, found = await replied(script)

    assert text_of(events) == '{"name": "x'
    assert [event.name for event in events if isinstance(event, CallDelta) and event.name] == ["grep"]
    assert found == 0


async def test_without_tools_on_offer_text_is_text() -> None:
    events, found = await replied(ScriptedReply(text=CALL), request=ModelRequest((UserText("hello"),)))

    assert text_of(events) == CALL
    assert found == 0


async def test_a_retry_starts_anew() -> None:
    class Stumbling:
        name = "m"

        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:  # noqa: ARG002
            yield TextDelta('{"name": "view_file", "argu')
            yield Retrying(1, 2, 0.0, "cut off")
            yield TextDelta("Fine.")
            yield Finished("stop")

    events = [event async for event in CallsInText(Stumbling(), on_found=lambda: None).stream(ASKED)]

    assert events == [Retrying(1, 2, 0.0, "cut off"), TextDelta("Fine."), Finished("stop")]


def test_a_call_that_repeats_itself_for_ever_is_shown_so_that_it_can_be_stopped() -> None:
    reader = TextCallReader(NAMES)
    shown = ""
    for _ in range(200):
        shown += text_of(reader.feed(f"{CALL}\n"))

    assert find_repeated_text(shown)


ARGUMENTS = st.dictionaries(
    st.text("abcdefgh_", min_size=1, max_size=8),
    st.text(max_size=30) | st.integers(-999, 999) | st.booleans(),
    max_size=3,
)
FORMS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "tool_call": lambda name, given: f"<tool_call>\n{json.dumps({'name': name, 'arguments': given})}\n</tool_call>",
    "unclosed": lambda name, given: f"<tool_call>{json.dumps({'name': name, 'arguments': given})}",
    "function": lambda name, given: f"<function={name}>{json.dumps(given)}</function>",
    "fence": lambda name, given: f"```json\n{json.dumps({'name': name, 'arguments': given}, indent=2)}\n```",
    "tool fence": lambda name, given: f"```tool_call\n{json.dumps({'name': name, 'arguments': given})}\n```",
    "bare": lambda name, given: json.dumps({"name": name, "parameters": given}, ensure_ascii=False),
    "tool": lambda name, given: json.dumps({"tool": name, "args": given}),
    "nested": lambda name, given: json.dumps({"type": "function", "function": {"name": name, "arguments": given}}),
    "list": lambda name, given: json.dumps([{"name": name, "arguments": given}]),
    "doubled": lambda name, given: "{" + json.dumps({"name": name, "arguments": given}) + "}",
    "Mistral": lambda name, given: f"[TOOL_CALLS] {json.dumps([{'name': name, 'arguments': given}])}",
    "Llama": lambda name, given: f"<|python_tag|>{json.dumps({'name': name, 'parameters': given})}",
}
PROSE = st.sampled_from(
    ["", "I will look.\n", "First, the file:\n\n", "`a` is <b> and {c}.\n", "x\n{\n", "1 < 2 [see]\n\n"]
)


@given(
    st.sampled_from(sorted(FORMS)), st.sampled_from(NAMES), ARGUMENTS, PROSE, st.lists(st.integers(0, 400), max_size=8)
)
def test_any_call_in_any_form_comes_out_the_same_wherever_the_chunks_fall(
    form: str, name: str, given_arguments: dict[str, Any], prose: str, cuts: list[int]
) -> None:
    text = prose + FORMS[form](name, given_arguments)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    reader = TextCallReader(NAMES)

    events = [event for start, end in pairwise(places) for event in reader.feed(text[start:end])]
    events += reader.finish("stop")

    assert calls_of(events) == [(name, given_arguments)]
    assert text_of(events).strip() == prose.strip()


@given(st.text(st.sampled_from('{}[]<>|"`~:\n\t _,aegmnotl='), max_size=60), st.integers(1, 5))
def test_text_is_never_lost(text: str, size: int) -> None:
    reader = TextCallReader(NAMES)
    events = [event for at in range(0, len(text), size) for event in reader.feed(text[at : at + size])]

    assert text_of([*events, *reader.finish("stop")]) == text
