import json
from collections.abc import Callable
from typing import Any

import pytest

from mulligan.core.tool_calls import read_calls
from mulligan.types.tool_calls import JsonObject, RawCall, RejectedCall, ToolCall, ToolSpec

Read = Callable[..., ToolCall | RejectedCall]


@pytest.mark.parametrize(
    ("tool", "given", "fitted", "repairs"),
    [
        pytest.param("view_file", {"numbered": "True"}, {"numbered": True}, ["coerced_boolean"], id="True"),
        pytest.param("view_file", {"numbered": " FALSE "}, {"numbered": False}, ["coerced_boolean"], id="FALSE"),
        pytest.param("view_file", {"numbered": "1"}, {"numbered": True}, ["coerced_boolean"], id="1 as text"),
        pytest.param("view_file", {"numbered": 0}, {"numbered": False}, ["coerced_boolean"], id="0"),
        pytest.param("view_file", {"limit": "3"}, {"limit": 3}, ["coerced_number"], id="integer as text"),
        pytest.param("view_file", {"limit": 3.0}, {"limit": 3}, ["coerced_number"], id="integer as float"),
        pytest.param("view_file", {"limit": "3.0"}, {"limit": 3}, ["coerced_number"], id="float as text"),
        pytest.param("view_file", {"start_line": "7"}, {"start_line": 7}, ["coerced_number"], id="optional integer"),
        pytest.param("view_file", {"start_line": "None"}, {"start_line": None}, ["coerced_null"], id="null as text"),
        pytest.param("grep", {"ratio": "1.5"}, {"ratio": 1.5}, ["coerced_number"], id="number as text"),
        pytest.param("grep", {"ratio": "-2"}, {"ratio": -2}, ["coerced_number"], id="negative number as text"),
        pytest.param("grep", {"pattern": 42}, {"pattern": "42"}, ["coerced_string"], id="number for text"),
        pytest.param("grep", {"pattern": True}, {"pattern": "true"}, ["coerced_string"], id="boolean for text"),
        pytest.param("grep", {"globs": "*.py"}, {"globs": ["*.py"]}, ["wrapped_in_list"], id="lone value"),
        pytest.param("grep", {"globs": "[a-z].py"}, {"globs": ["[a-z].py"]}, ["wrapped_in_list"], id="lone glob"),
        pytest.param("grep", {"globs": 3}, {"globs": ["3"]}, ["coerced_string", "wrapped_in_list"], id="lone number"),
        pytest.param("grep", {"globs": '["a", "b"]'}, {"globs": ["a", "b"]}, ["decoded_nested"], id="list as text"),
        pytest.param("grep", {"labels": '{"a": 1}'}, {"labels": {"a": 1}}, ["decoded_nested"], id="object as text"),
        pytest.param("grep", {"labels": "{}"}, {"labels": {}}, ["decoded_nested"], id="empty object as text"),
        pytest.param(
            "grep", {"labels": {"a": "1"}}, {"labels": {"a": 1}}, ["coerced_number"], id="inside a free object"
        ),
        pytest.param("grep", {"mode": "REGEX"}, {"mode": "Regex"}, ["enum_case"], id="choice in another case"),
        pytest.param("grep", {"level": "2"}, {"level": 2}, ["coerced_number"], id="choice of numbers as text"),
        pytest.param("grep", {"scope": 5}, {"scope": "5"}, ["coerced_string"], id="union takes the fewest repairs"),
        pytest.param("grep", {"mode": None}, {}, ["dropped_null"], id="null for an optional argument"),
        pytest.param("grep", {"colour": "red"}, {}, ["dropped_argument"], id="unknown argument"),
        pytest.param("grep", {"Globs": ["a"]}, {"globs": ["a"]}, ["renamed_argument"], id="name in another case"),
        pytest.param("view_file", {"startLine": 2}, {"start_line": 2}, ["renamed_argument"], id="name in camel case"),
        pytest.param("view_file", {"limt": 2}, {"limit": 2}, ["renamed_argument"], id="typo in a name"),
        pytest.param(
            "edit_file",
            {"edits": {"old": "a", "new": "b", "count": "2"}},
            {"edits": [{"old": "a", "new": "b", "count": 2}]},
            ["coerced_number", "wrapped_in_list"],
            id="lone object for a list of objects",
        ),
        pytest.param(
            "edit_file",
            {"edits": """[{'old': 'a', 'new': 'b'}]"""},
            {"edits": [{"old": "a", "new": "b"}]},
            ["decoded_nested", "single_quotes"],
            id="list of objects as broken text",
        ),
        pytest.param(
            "grep",
            {"first": {"old": "a", "New": "b", "x": 1}},
            {"first": {"old": "a", "new": "b"}},
            ["renamed_argument", "dropped_argument"],
            id="names inside an optional object",
        ),
    ],
)
def test_an_argument_is_fitted_by_name(
    tool: str, given: JsonObject, fitted: JsonObject, repairs: list[str], read: Read
) -> None:
    needed: dict[str, JsonObject] = {"view_file": {"path": "a"}, "grep": {"pattern": "x"}, "edit_file": {"path": "a"}}

    result = read(json.dumps({**needed[tool], **given}), tool)

    assert isinstance(result, ToolCall)
    # As text, since to Python `1`, `1.0` and `True` are equal.
    assert json.dumps(result.arguments, sort_keys=True) == json.dumps({**needed[tool], **fitted}, sort_keys=True)
    assert list(result.repairs) == repairs


@pytest.mark.parametrize(
    "name", ["Path", "PATH", "file_path", "filePath", "filename", "file_name", "file", "target_file", "paths"]
)
def test_a_missing_path_is_found_under_the_names_that_models_give_it(name: str, read: Read) -> None:
    result = read(json.dumps({name: "a.py", "limit": 3}))

    assert result == ToolCall("call-1", "view_file", {"path": "a.py", "limit": 3}, ("renamed_argument",))


def test_an_optional_path_is_found_under_another_name_too(read: Read) -> None:
    result = read('{"directory": "src"}', "list_dir")

    assert result == ToolCall("call-1", "list_dir", {"path": "src"}, ("renamed_argument",))


def test_an_optional_argument_is_not_found_by_one_of_its_words(read: Read) -> None:
    result = read('{"case": true}', "list_dir")

    assert result == ToolCall("call-1", "list_dir", {}, ("dropped_argument",))


@pytest.mark.parametrize(
    "given",
    [
        {"path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
        {"file_path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
        {"file": "a", "edits": [{"search": "x", "replace": "y"}]},
    ],
)
def test_an_edit_is_understood_in_the_words_of_other_tools(given: JsonObject, read: Read) -> None:
    result = read(json.dumps(given), "edit_file")

    assert isinstance(result, ToolCall)
    assert result.arguments == {"path": "a", "edits": [{"old": "x", "new": "y"}]}


def test_if_one_of_two_missing_arguments_stays_missing_none_is_guessed(read: Read) -> None:
    result = read('{"file_path": "a", "blob": "b"}', "write_file")

    assert isinstance(result, RejectedCall)


def test_two_names_for_one_missing_argument_are_refused(read: Read) -> None:
    result = read('{"file_path": "a", "filename": "b"}')

    assert isinstance(result, RejectedCall)
    assert "path is missing" in result.message
    assert "view_file has no argument named file_path, filename" in result.message


def test_a_name_is_not_taken_for_an_argument_that_was_given(read: Read) -> None:
    result = read('{"path": "a", "file_path": "b"}')

    assert result == ToolCall("call-1", "view_file", {"path": "a"}, ("dropped_argument",))


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        pytest.param("view_file", {"limit": 3}, "path is missing", id="required argument missing"),
        pytest.param("view_file", {"path": None}, "path must be string, got null", id="null for a required argument"),
        pytest.param("view_file", {"path": ["a"]}, 'path must be string, got ["a"]', id="list for text"),
        pytest.param("view_file", {"path": {}}, "path must be string, got {}", id="object for text"),
        pytest.param("view_file", {"path": "a", "limit": ""}, 'from 1 to 500, got ""', id="empty text for a number"),
        pytest.param("view_file", {"path": "a", "limit": "1,000"}, 'got "1,000"', id="thousands separator"),
        pytest.param("view_file", {"path": "a", "limit": "ten"}, 'got "ten"', id="number in words"),
        pytest.param("view_file", {"path": "a", "limit": 2.5}, "got 2.5", id="fraction for an integer"),
        pytest.param("view_file", {"path": "a", "limit": True}, "got true", id="boolean for an integer"),
        pytest.param("view_file", {"path": "a", "limit": 501}, "limit must be at most 500, got 501", id="too large"),
        pytest.param("view_file", {"path": "a", "limit": "0"}, "limit must be at least 1, got 0", id="too small"),
        pytest.param("view_file", {"path": "a", "limit": "9" * 19}, "limit must be", id="beyond 64 bits"),
        pytest.param("view_file", {"path": "a", "numbered": "yes"}, 'got "yes"', id="yes for a boolean"),
        pytest.param("view_file", {"path": "a", "numbered": 2}, "got 2", id="2 for a boolean"),
        pytest.param("grep", {"pattern": "a", "mode": "fuzzy"}, 'must be "plain" or "Regex", got "fuzzy"', id="choice"),
        pytest.param("grep", {"pattern": "a", "globs": ""}, 'list of string, got ""', id="empty text for a list"),
        pytest.param("grep", {"pattern": "a", "globs": {}}, "list of string, got {}", id="object for a list"),
        pytest.param("grep", {"pattern": "a", "globs": '["a", "b'}, "no whole JSON list", id="half a list as text"),
        pytest.param("grep", {"pattern": "a", "labels": "x"}, 'object, got "x"', id="text for an object"),
        pytest.param("grep", {"pattern": "a", "labels": '{"a": "x'}, "must be object", id="half an object as text"),
        pytest.param(
            "grep", {"pattern": "a", "scope": {}}, "string or list of string, got {}", id="no member of a union"
        ),
        pytest.param(
            "edit_file", {"path": "a", "edits": [{"old": "x"}]}, "edits[0].new is missing", id="inside a list"
        ),
        pytest.param("write_file", {"path": "", "content": ""}, "at least 1 characters", id="text too short"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused_with_its_value(
    tool: str, given: JsonObject, words: str, read: Read
) -> None:
    result = read(json.dumps(given), tool)

    assert isinstance(result, RejectedCall)
    assert (result.kind, result.arguments) == ("schema_reject", given)
    assert words in result.message


RECURSIVE: JsonObject = {
    "type": "object",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"$ref": "#/$defs/Other"}, {"type": "null"}]},
            },
        },
        "Other": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "required": ["other"]},
        "Loop": {"$ref": "#/$defs/Loop"},
    },
    "properties": {
        "node": {"$ref": "#/$defs/Node"},
        "loop": {"$ref": "#/$defs/Loop"},
        "lost": {"$ref": "#/$defs/Nowhere"},
        "free": True,
        "merged": {"allOf": [{"type": "integer"}, {"minimum": 3}]},
        "kinds": {"type": ["integer", "null"]},
        "few": {"type": "array", "items": {"type": "integer"}, "maxItems": 2},
        "part": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "fixed": {"const": "A"},
        "nothing": {"type": "null"},
    },
    "additionalProperties": {"type": "integer"},
}


def read_recursive(arguments: Any) -> ToolCall | RejectedCall:
    spec = ToolSpec("recursive", "", RECURSIVE)
    (result,) = read_calls([RawCall("1", "recursive", json.dumps(arguments))], [spec], finish_reason="stop")
    return result


@pytest.mark.parametrize(
    ("given", "repairs"),
    [
        pytest.param({"node": {"next": {"next": None}}}, (), id="schema that refers to itself"),
        pytest.param({"loop": 1, "lost": "x", "free": [None]}, (), id="schemas that say nothing"),
        pytest.param({"merged": 3, "kinds": None, "few": [1, 2], "part": 0.5, "fixed": "A"}, (), id="every keyword"),
        pytest.param({"anything": 3}, (), id="arguments beyond the named ones"),
        pytest.param({"anything": "3"}, ("coerced_number",), id="text for one of those"),
        pytest.param({"kinds": "3"}, ("coerced_number",), id="list of types"),
        pytest.param({"fixed": "a"}, ("enum_case",), id="constant"),
    ],
)
def test_schemas_of_every_shape_are_read(given: JsonObject, repairs: tuple[str, ...]) -> None:
    result = read_recursive(given)

    assert isinstance(result, ToolCall)
    assert result.repairs == repairs


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param({"merged": 2}, "merged must be at least 3, got 2", id="merged schemas"),
        pytest.param({"few": [1, 2, 3]}, "few must have at most 2 items", id="too many items"),
        pytest.param({"part": 1}, "part must be below 1, got 1", id="exclusive bound"),
        pytest.param({"nothing": 3}, "nothing must be null, got 3", id="nothing but null"),
        pytest.param({"anything": "x"}, "anything must be integer", id="arguments beyond the named ones"),
    ],
)
def test_limits_of_every_kind_are_held(given: JsonObject, words: str) -> None:
    result = read_recursive(given)

    assert isinstance(result, RejectedCall)
    assert words in result.message


def test_unions_within_unions_end_in_a_refusal_and_not_in_endless_trials() -> None:
    node: JsonObject = {"next": "wrong"}
    for _ in range(60):
        node = {"next": node}

    result = read_recursive({"node": node})

    assert isinstance(result, RejectedCall)
    assert "node.next" in result.message
