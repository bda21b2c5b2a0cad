import json
from collections.abc import Callable

from inline_snapshot import snapshot

from mulligan.types.tool_calls import RejectedCall, ToolCall

Read = Callable[..., ToolCall | RejectedCall]


def refusal(result: ToolCall | RejectedCall) -> str:
    assert isinstance(result, RejectedCall)
    return result.message


def test_a_misfit_comes_back_with_the_value_the_schema_and_an_example(read: Read) -> None:
    message = refusal(read('{"limit": "many", "start_line": 0, "colour": "red"}'))

    assert message == snapshot("""\
The arguments of view_file don't fit, so nothing was run.
- limit must be integer from 1 to 500, got "many"
- start_line must be at least 1, got 0
- path is missing
- view_file has no argument named colour
view_file takes:
- path: string, required
- start_line: integer of at least 1
- limit: integer from 1 to 500
- numbered: boolean
For example: {"path": "<path>"}\
""")


def test_unreadable_arguments_come_back_with_the_place_the_schema_and_an_example(read: Read) -> None:
    message = refusal(read('{"path": "a"} {"path": "b"}', "edit_file"))

    assert message == snapshot("""\
The arguments of edit_file can't be read: there is more than one object. Nothing was run.
What you sent, near that place: {"path": "a"} {"path": "b"}
edit_file takes:
- path: string, required
- edits: list of object {old: string, new: string, count: integer}, required
For example: {"path": "<path>", "edits": [{"old": "<old>", "new": "<new>"}]}\
""")


def test_a_call_that_was_cut_off_comes_back_with_its_last_words(read: Read) -> None:
    message = refusal(read('{"path": "a", "content": "import os', "write_file"))

    assert message == snapshot("""\
The arguments of write_file can't be read: they end inside a string. Nothing was run.
The call was cut off, or a quote inside a string is not escaped.
Send the call again, whole and shorter.
What came through ends with: {"path": "a", "content": "import os\
""")


def test_the_example_is_a_call_that_can_be_run(read: Read) -> None:
    message = refusal(read("[]", "edit_file"))
    example = message.rpartition("For example: ")[2]

    assert read(example, "edit_file") == ToolCall("call-1", "edit_file", json.loads(example))


def test_a_tool_without_arguments_says_so(read: Read) -> None:
    assert refusal(read("[]", "now")).endswith("now takes no arguments: send {}.")


def test_a_long_value_is_shortened(read: Read) -> None:
    message = refusal(read(json.dumps({"path": ["x" * 100_000]})))

    assert f'got ["{"x" * 198}…' in message
    assert len(message) < 600


def test_many_problems_are_counted_and_not_listed(read: Read) -> None:
    message = refusal(read(json.dumps({"pattern": "a", "globs": [None] * 1000}), "grep"))

    assert "globs[4]" in message
    assert "globs[5]" not in message
    assert "and 995 more like these" in message


def test_words_that_go_back_can_be_stored_and_sent(read: Read) -> None:
    for name, text in (("\ud800", "{}"), ("view_file", '{"path": "\ud800"}'), ("view_file", '{"path": "\ud800')):
        assert refusal(read(text, name)).encode()
