"""Every family's own way to write a call: read right, never run when cut off, never run when only shown."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mulligan.core.text_calls import find_text_calls
from mulligan.core.tool_calls import read_calls
from mulligan.models.protocols.calls_in_text import TextCallReader
from mulligan.types.model_io import CallDelta, TextDelta
from mulligan.types.tool_calls import RejectedCall, ToolCall
from tests.core.text_calls.families import CASES, FAMILIES, GEMMA_QUOTE, Call
from tests.core.text_calls.test_find_text_calls import NAMES, SPECS

IN_ELEMENTS = (
    "qwen coder",
    "qwen coder, opening forgotten",
    "seed",
    "glm",
    "claude",
    "minimax",
    "cline",
    "deepseek v3.2",
)
"""They quote nothing: text that holds their marks can't be told from them."""
BY_FAMILY = pytest.mark.parametrize("family", FAMILIES)
SHOWN = (
    "A call looks like this:\n{}\nSend it when you need a file.",
    "Models write it so, for example:\n\n````text\n{}\n````\n",
    "The tests hold this:\n\n````python\nTEXT = '''\n{}\n'''\n````\nThat is all.",
)


def replies(family: str) -> list[tuple[str, list[Call]]]:
    return [(FAMILIES[family](calls), calls) for calls in CASES.values()]


def read(text: str) -> list[ToolCall | RejectedCall]:
    found = find_text_calls(text, NAMES)
    return read_calls(found.calls, SPECS, finish_reason="stop") if found else []


@BY_FAMILY
def test_calls_are_read_as_they_were_meant(family: str) -> None:
    for text, calls in replies(family):
        assert all(isinstance(call, ToolCall) for call in read(text)), read(text)
        assert [(call.name, call.arguments) for call in read(text)] == calls


@BY_FAMILY
def test_calls_after_a_sentence_leave_the_sentence(family: str) -> None:
    for text, calls in replies(family):
        found = find_text_calls(f"I look at it first.\n\n{text}", NAMES)

        assert found is not None
        assert len(found.calls) == len(calls)
        assert found.text.replace("Thought: I look.", "").strip() == "I look at it first."


@BY_FAMILY
def test_a_call_cut_off_anywhere_is_whole_or_not_run(family: str) -> None:
    for text, calls in replies(family):
        for end in range(len(text) if calls[0][1] else 0):
            for call in read(text[:end]):
                assert isinstance(call, RejectedCall) or (call.name, call.arguments) in calls, text[:end]


@BY_FAMILY
@pytest.mark.parametrize("size", [1, 7])
def test_nothing_of_a_call_is_shown_while_it_streams(family: str, size: int) -> None:
    for text, calls in replies(family):
        whole = f"I look at it first.\n{text}"
        reader = TextCallReader(NAMES)
        events: list[Any] = []
        for at in range(0, len(whole), size):
            events += reader.feed(whole[at : at + size])
        events += reader.finish("stop")

        shown = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert shown.replace("Thought: I look.", "").strip() == "I look at it first."
        assert sum(isinstance(event, CallDelta) for event in events) == len(calls)


@BY_FAMILY
def test_a_call_that_is_only_shown_is_not_made(family: str) -> None:
    text = FAMILIES[family](CASES["typed"])
    inline = [] if "\n" in text else [f"It writes `{text}` for that."]
    for shown in [*(each.format(text) for each in SHOWN), *inline]:
        assert find_text_calls(shown, NAMES) is None, shown


@pytest.mark.parametrize("family", [each for each in FAMILIES if each not in IN_ELEMENTS])
@given(pattern=st.text(max_size=40).filter(lambda text: GEMMA_QUOTE not in text and "<escape>" not in text))
@example(pattern="\"''\\'{[(</tool_call>")
@example(pattern="\x00\x7f\U0001f600\u2028")
def test_any_text_in_the_arguments_comes_through(family: str, pattern: str) -> None:
    assert [(call.name, call.arguments) for call in read(FAMILIES[family]([("grep", {"pattern": pattern})]))] == [
        ("grep", {"pattern": pattern})
    ]
