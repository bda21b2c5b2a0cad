import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from mulligan.core.tool_calls import read_calls
from mulligan.types.tool_calls import JsonObject, RawCall, RejectedCall, ToolCall, ToolSpec
from tests.examples import examples

Read = Callable[..., ToolCall | RejectedCall]

STRUCTURE = st.text(alphabet="{}[],:\"'\\ntruefals0159.-eE`\n \u00a0\u00e9")
STRINGS = st.one_of(st.text(st.characters(codec="utf-8"), max_size=12), st.text("{}[],:\"'\\x1 \n", max_size=12))
REPLACEMENTS = st.fixed_dictionaries(
    {"old": STRINGS, "new": STRINGS}, optional={"count": st.integers(-(2**63), 2**63 - 1)}
)
SEARCHES = st.fixed_dictionaries(
    {"pattern": STRINGS},
    optional={
        "globs": st.lists(STRINGS, max_size=3),
        "mode": st.sampled_from(["plain", "Regex"]),
        "ratio": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-99, 99),
        "level": st.sampled_from([1, 2]),
        "labels": st.dictionaries(STRINGS, st.integers(-99, 99), max_size=3),
        "scope": STRINGS | st.lists(STRINGS, max_size=3),
        "first": st.none() | REPLACEMENTS,
    },
).flatmap(lambda search: st.permutations(list(search.items())).map(dict))
LAYOUTS = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])

CLOSERS_AND_SPACE = " \n\t}]"


@settings(deadline=None)
@given(arguments=SEARCHES, layout=LAYOUTS)
def test_whatever_fits_the_schema_passes_through_untouched(
    read: Read, arguments: JsonObject, layout: dict[str, Any]
) -> None:
    result = read(json.dumps(arguments, **layout), "grep")

    assert isinstance(result, ToolCall)
    assert result.repairs == ()
    # As text, since to Python `1`, `1.0` and `True` are equal.
    assert json.dumps(result.arguments) == json.dumps(arguments)


@settings(deadline=None)
@given(arguments=SEARCHES, layout=LAYOUTS, data=st.data())
def test_a_cut_inside_a_string_is_always_refused(
    read: Read, arguments: JsonObject, layout: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(arguments, **layout)
    inside = [place for place in range(len(text)) if leaves_a_string_open(text[:place])]

    result = read(text[: data.draw(st.sampled_from(inside))], "grep")

    assert isinstance(result, RejectedCall)
    assert (result.kind, result.arguments) == ("schema_reject", {})
    assert "cut off" in result.message


@settings(deadline=None, max_examples=examples(200))
@given(arguments=SEARCHES, layout=LAYOUTS, data=st.data())
def test_a_cut_never_changes_a_value(
    read: Read, arguments: JsonObject, layout: dict[str, Any], data: st.DataObject
) -> None:
    """A call runs only if nothing but closers was cut, or whole members from a comma on.

    The latter can't be told from a forgotten brace, nor can a cut within a number: there the finish reason guards.
    """
    text = json.dumps(arguments, **layout)
    cut = data.draw(st.integers(0, len(text) - 1))
    assume(not text[:cut].rstrip()[-1:].isdigit())

    result = read(text[:cut], "grep")

    rest = text[cut:].strip(CLOSERS_AND_SPACE)
    if not rest:
        assert_runs_as(result, arguments, text[:cut])
    elif isinstance(result, ToolCall):
        assert text[cut:].lstrip().lstrip(CLOSERS_AND_SPACE).startswith(",")
        assert is_part_of(result.arguments, arguments)


def assert_runs_as(result: ToolCall | RejectedCall, arguments: JsonObject, text: str) -> None:
    if text.rstrip()[-1] not in "{[":
        assert isinstance(result, ToolCall)
        assert json.dumps(result.arguments) == json.dumps(arguments)
        assert set(result.repairs) <= {"missing_brace"}


@settings(deadline=None)
@given(arguments=SEARCHES, data=st.data())
def test_no_call_of_a_reply_without_its_end_runs(
    specs: list[ToolSpec], arguments: JsonObject, data: st.DataObject
) -> None:
    text = json.dumps(arguments)
    cut = data.draw(st.integers(0, len(text)))
    raw = RawCall("1", "grep", text[:cut])

    for finish_reason in (None, "length"):
        (result,) = read_calls([raw], specs, finish_reason=finish_reason)
        assert isinstance(result, RejectedCall)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{'path': 'a', 'content': 'it\\'s \"so\"'}", id="single quotes"),
        pytest.param("```json\n{'path': 'a', 'content': 'x {y}',}\n```", id="fence, single quotes, trailing comma"),
        pytest.param(r'"{\"path\": \"a\", \"content\": \"x } y\"}"', id="encoded twice"),
        pytest.param(r'{path: "a", "content": "\d {x}"}', id="unquoted key, backslash"),
    ],
)
def test_a_broken_call_that_was_cut_runs_with_its_whole_content_or_not_at_all(text: str, read: Read) -> None:
    whole = read(text, "write_file")
    cuts = [read(text[:cut], "write_file") for cut in range(len(text))]

    assert isinstance(whole, ToolCall)
    assert all(isinstance(each, RejectedCall) or each.arguments == whole.arguments for each in cuts)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"path": "a", "content": "say "hi" to {all} of "them""}', id="quoted words"),
        pytest.param('{"path": "a", "content": "f("x", "y")\n{ return "z" } // end"}', id="code"),
        pytest.param('{"path": "a" "content": "x = {"k": ["v"]} + 1"}', id="code with brackets, comma missing"),
    ],
)
def test_nothing_is_guessed_from_a_text_that_was_cut(text: str, read: Read) -> None:
    whole = read(text, "write_file")
    cuts = [read(text[:cut], "write_file") for cut in range(len(text))]

    assert isinstance(whole, ToolCall)
    assert "json_repair" in whole.repairs
    assert not any(isinstance(each, ToolCall) and "json_repair" in each.repairs for each in cuts)


@settings(deadline=None, max_examples=examples(300))
@given(text=st.one_of(st.text(), STRUCTURE, STRUCTURE.map('{{"path": {}}}'.format)))
@example(text='{"path": "\\')
@example(text="\ud800")
def test_no_text_raises(read: Read, text: str) -> None:
    for name in ("view_file", "edit_file", "now", text):
        result = read(text, name)
        assert isinstance(result, ToolCall | RejectedCall)


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * MEGABYTE, id="lists"),
        pytest.param("{" * MEGABYTE, id="braces"),
        pytest.param('{"a":' * (MEGABYTE // 5), id="objects"),
        pytest.param("[" * 500 + "]" * 500, id="deep but whole"),
        pytest.param('"' * MEGABYTE, id="quotes"),
        pytest.param("'" * (MEGABYTE + 1), id="apostrophes"),
        pytest.param('\\"' * (MEGABYTE // 2), id="escaped quotes"),
        pytest.param('{"path": "' + '\\"' * (MEGABYTE // 2), id="open string of escaped quotes"),
        pytest.param('{"path": "' + '"a' * (MEGABYTE // 2) + '"}', id="unescaped quotes"),
        pytest.param("}" * MEGABYTE, id="closers"),
        pytest.param("`" * MEGABYTE, id="backticks"),
        pytest.param("9" * MEGABYTE, id="digits"),
        pytest.param('{"limit": ' + "9" * MEGABYTE + "}", id="digits in an object"),
        pytest.param("word " * (MEGABYTE // 5), id="prose"),
        pytest.param('{"a":1}' * (MEGABYTE // 7) + "{}", id="many objects"),
        pytest.param(" " * MEGABYTE + "x", id="spaces"),
        pytest.param('{"limit": "' + "9" * MEGABYTE + '"}', id="digits as text"),
        pytest.param('{"path": "a", "numbered": [' + "[" * 60 + "]" * 60 + "]}", id="nested value"),
    ],
)
def test_large_hostile_text_is_refused_in_one_go(text: str, read: Read) -> None:
    assert isinstance(read(text), RejectedCall)


def test_a_large_well_formed_text_is_read(read: Read) -> None:
    content = '{"it\'s": [1, 2]}\n' * (MEGABYTE // 17)

    result = read(json.dumps({"path": "a", "content": content}), "write_file")

    assert result == ToolCall("call-1", "write_file", {"path": "a", "content": content})


def leaves_a_string_open(text: str) -> bool:
    is_open = escaped = False
    for character in text:
        if is_open and not escaped and character == "\\":
            escaped = True
            continue
        if character == '"' and not escaped:
            is_open = not is_open
        escaped = False
    return is_open


def is_part_of(some: Any, whole: Any) -> bool:
    """Equal, but that lists and objects may lack their last members."""
    if isinstance(some, dict) and isinstance(whole, dict):
        members, all_members = cast("JsonObject", some), cast("JsonObject", whole)
        return all(key in all_members and is_part_of(held, all_members[key]) for key, held in members.items())
    if isinstance(some, list) and isinstance(whole, list):
        items, all_items = cast("list[Any]", some), cast("list[Any]", whole)
        return len(items) <= len(all_items) and all(map(is_part_of, items, all_items))
    return json.dumps(some) == json.dumps(whole)
