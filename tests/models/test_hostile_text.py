"""Text that is made to be read in many ways: whatever a model writes, it is read in time that grows with its length.

Of texts as long as these, every reading that takes the square of the length takes hours.
"""

import json
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mulligan.core.repetition import TextWatch
from mulligan.core.text_calls import find_text_calls
from mulligan.core.thinking import ThinkingSplitter
from mulligan.core.tool_calls import read_calls
from mulligan.models.protocols.calls_in_text import TextCallReader
from mulligan.models.protocols.constrained_reply import ConstrainedReader, StreamedString
from mulligan.models.protocols.held_text import HeldText
from mulligan.types.tool_calls import RawCall, ToolSpec
from tests.examples import examples

LENGTH = 100_000
NAMES = ["grep", "view_file"]
EDITS = {"type": "array", "items": {"type": "object", "properties": {"old": {"type": "string"}}}}
SPECS = [
    ToolSpec("view_file", "", {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    ToolSpec("grep", "", {"type": "object", "properties": {"edits": EDITS}, "required": ["edits"]}),
]

MARKS = [
    *"\"'{}[]<>|`~\\,:;()= \n\ta1",
    '\\"', "\\u", "\\d", "```", "```json\n", "{{", "}}", "<tool_call>", "</tool_call>", "[TOOL_CALLS]",
    "<|python_tag|>", "<function=", "<function=grep>", "</function>", '<invoke name="grep">',
    "<parameter=path>", "</parameter>",
    '{"name":', '{"name": "grep", "arguments": {', '"arguments": ', "view_file", "grep(", "<tool_response>",
    "<think>", "</think>", "[THINK]", "<|channel>thought", "<channel|>", "<|start|>assistant", "<|channel|>analysis",
    "<|channel|>commentary to=functions.grep", "<|message|>", "<|end|>", "<|call|>", "I will call ",
    "<|tool_call_begin|>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<tool_call>grep\n<arg_key>path</arg_key>",
    "<arg_value>", "<view_file>", "<path>", "</path>", "</view_file>", "<|tool_call>call:grep{", '<|"|>', "<escape>",
    "[grep(", "path=", '"""', "'''", "r'", "```tool_code\n", "print(", "Action: grep\nAction Input:",
    "functools[", "<invoke ",
]  # fmt: skip


def _read_as_text(text: str) -> None:
    find_text_calls(text, NAMES)


def _read_in_one_chunk(text: str) -> None:
    reader = TextCallReader(NAMES)
    reader.feed(text)
    reader.finish("stop")


def _hold_in_chunks(text: str) -> None:
    held = HeldText(NAMES)
    for at in range(0, len(text), 100):
        held.feed(text[at : at + 100])


def _read_in_schema(text: str) -> None:
    for head in ('{"tool": "grep", "arguments": {', '{"tool": "answer", "text": "', ""):
        reader = ConstrainedReader(NAMES)
        for at in range(0, len(text), 100):
            reader.feed((head if at == 0 else "") + text[at : at + 100])
        reader.finish("stop")


def _decode(text: str) -> None:
    StreamedString().feed(text)


def _read_thoughts(text: str) -> None:
    splitter = ThinkingSplitter()
    for at in range(0, len(text), 100):
        splitter.feed(text[at : at + 100])


def _read_arguments(text: str) -> None:
    written = [text, f'{{"path": "{text}', json.dumps({"edits": f"[{text}"}), json.dumps({text: text})]
    read_calls([RawCall("", name, each) for name in NAMES for each in written], SPECS, finish_reason="stop")
    read_calls([RawCall("", text, "{}")], SPECS, finish_reason="stop")


def _watch(text: str) -> None:
    watch = TextWatch()
    any(watch.add(text[at : at + 100]) for at in range(0, len(text), 100))


READERS: list[Callable[[str], None]] = [
    _read_as_text,
    _read_in_one_chunk,
    _hold_in_chunks,
    _read_in_schema,
    _decode,
    _read_thoughts,
    _read_arguments,
    _watch,
]


@pytest.mark.parametrize("read", READERS)
@settings(max_examples=examples(15), deadline=None)
@given(
    before=st.lists(st.sampled_from(MARKS), max_size=4).map("".join),
    unit=st.lists(st.sampled_from(MARKS), min_size=1, max_size=3).map("".join),
    after=st.sampled_from(["", "x", '"', "}", "```", "</function>"]),
)
@example(before="```", unit=" ", after="x")
@example(before="<tool_call>view_file", unit=" ", after="x")
@example(before="<function=", unit=" ", after="x")
@example(before="<function=grep><parameter=path>", unit=" ", after="x")
@example(before="", unit="<function=grep><parameter=path>a</function>", after="")
@example(before="<tool_call>{{", unit='\\"', after="")
@example(before="", unit="\\d", after="")
@example(before="{}", unit=" ", after="")
@example(before="`", unit="`", after="x")
def test_any_text_is_read_in_time(read: Callable[[str], None], before: str, unit: str, after: str) -> None:
    read(before + unit * (LENGTH // len(unit)) + after)
