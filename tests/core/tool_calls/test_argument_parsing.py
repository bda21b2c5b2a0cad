from collections.abc import Callable
from typing import Any

import pytest

from mulligan.types.tool_calls import RejectedCall, ToolCall

Read = Callable[..., ToolCall | RejectedCall]

A = {"path": "a"}


@pytest.mark.parametrize(
    ("text", "arguments", "repairs"),
    [
        pytest.param('{"path": "a\n\tb"}', {"path": "a\n\tb"}, ("control_characters",), id="raw newline and tab"),
        pytest.param('```json\n{"path": "a"}\n```', A, ("code_fence",), id="fence"),
        pytest.param('```{"path": "a"}```', A, ("code_fence",), id="fence on one line"),
        pytest.param('```json\n{"path": "a"}', A, ("code_fence",), id="fence that is not closed"),
        pytest.param('{"path": "a"}\n```', A, ("code_fence",), id="fence that is not opened"),
        pytest.param('{"path": "a",}', A, ("trailing_comma",), id="trailing comma"),
        pytest.param("{'path': 'a'}", A, ("single_quotes",), id="single quotes"),
        pytest.param("""{'path': 'say "hi"'}""", {"path": 'say "hi"'}, ("single_quotes",), id="double in single"),
        pytest.param(r"{'path': 'it\'s'}", {"path": "it's"}, ("single_quotes",), id="escaped apostrophe"),
        pytest.param(
            '{"path": "a", "numbered": True}', {"path": "a", "numbered": True}, ("python_literals",), id="True"
        ),
        pytest.param(
            '{"path": "a", "start_line": None}', {"path": "a", "start_line": None}, ("python_literals",), id="None"
        ),
        pytest.param('{"path": "a"', A, ("missing_brace",), id="closing brace missing"),
        pytest.param('"path": "a"}', A, ("missing_brace",), id="opening brace missing"),
        pytest.param('"path": "a"', A, ("missing_brace",), id="both braces missing"),
        pytest.param('{"path": "a", "limit": 12', {"path": "a", "limit": 12}, ("missing_brace",), id="after a number"),
        pytest.param(
            '{"path": "a", "numbered": true',
            {"path": "a", "numbered": True},
            ("missing_brace",),
            id="closing brace missing behind a literal",
        ),
        pytest.param('{"path": "a"}}', A, ("extra_brace",), id="closing brace too many"),
        pytest.param('{{"path": "a"}}', A, ("extra_brace",), id="doubled braces"),
        pytest.param(r'"{\"path\": \"a\"}"', A, ("encoded_twice",), id="encoded twice"),
        pytest.param(r'"\"{\\\"path\\\": \\\"a\\\"}\""', A, ("encoded_twice",), id="encoded three times"),
        pytest.param('{path: "a"}', A, ("unquoted_keys",), id="unquoted key"),
        pytest.param(r'{"path": "\d+\.py"}', {"path": r"\d+\.py"}, ("invalid_escape",), id="pattern's backslash"),
        pytest.param(r'{"path": "C:\users"}', {"path": r"C:\users"}, ("invalid_escape",), id="backslash u"),
        pytest.param(r'{"path": "it\'s"}', {"path": "it's"}, ("invalid_escape",), id="escape that JSON has not"),
        pytest.param('{"path":\u00a0"a"}', A, ("white_space",), id="no-break space"),
        pytest.param('[{"path": "a"}]', A, ("unwrapped_list",), id="list of one"),
        pytest.param('{"path": "a"}\n{"path": "a"}', A, ("duplicated_arguments",), id="the same object twice"),
        pytest.param('{"name": "view_file", "arguments": {"path": "a"}}', A, ("nested_call",), id="nested call"),
        pytest.param(
            r'{"name": "viewFile", "parameters": "{\"path\": \"a\",}"}',
            A,
            ("nested_call", "trailing_comma"),
            id="nested call as text",
        ),
        pytest.param('{"args": {"path": "a"}}', A, ("nested_call",), id="nested without a name"),
        pytest.param('{"path": "say "hi" now"}', {"path": 'say "hi" now'}, ("json_repair",), id="unescaped quotes"),
        pytest.param(
            '{"path": "f("a", "b")\n  g()", "limit": 3}',
            {"path": 'f("a", "b")\n  g()', "limit": 3},
            ("json_repair",),
            id="unescaped quotes in code",
        ),
        pytest.param(
            '{"path": "a" "limit": 3}', {"path": "a", "limit": 3}, ("json_repair",), id="comma between members missing"
        ),
        pytest.param(
            "```json\n{'path': 'a', 'numbered': False,}\n```",
            {"path": "a", "numbered": False},
            ("code_fence", "single_quotes", "python_literals", "trailing_comma"),
            id="fence, single quotes, literals, trailing comma",
        ),
        pytest.param(
            r'''"{'path': 'a', limit: 3,}"''',
            {"path": "a", "limit": 3},
            ("encoded_twice", "single_quotes", "unquoted_keys", "trailing_comma"),
            id="encoded twice, single quotes, unquoted key, trailing comma",
        ),
        pytest.param(
            '[{"path": "a", "limit": 3,]',
            {"path": "a", "limit": 3},
            ("missing_brace", "trailing_comma", "unwrapped_list"),
            id="list, trailing comma, brace missing inside",
        ),
    ],
)
def test_text_is_mended_by_name(text: str, arguments: dict[str, Any], repairs: tuple[str, ...], read: Read) -> None:
    result = read(text)

    assert isinstance(result, ToolCall)
    assert result.arguments == arguments
    assert result.repairs == repairs


@pytest.mark.parametrize("text", ["", " \n", "null", "{}", "None", '""', "```json\n```"])
def test_no_arguments_are_an_empty_object(text: str, read: Read) -> None:
    result = read(text, "now")

    assert isinstance(result, ToolCall)
    assert result.arguments == {}
    assert ("empty_arguments" in result.repairs) == (text != "{}")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param('{"path": "a.py", "numbered": true', "view_file", id="missing brace"),
        pytest.param('{"path": "a.py", "numbered": true,}', "view_file", id="trailing comma"),
        pytest.param("{'path': 'a.py', 'numbered': true}", "view_file", id="single quotes"),
        pytest.param('```json\n{"path": "a.py", "numbered": true}\n```', "view_file", id="fenced"),
        pytest.param(r'"{\"path\": \"a.py\", \"numbered\": true}"', "view_file", id="encoded twice"),
        pytest.param('{"path": "a.py", "numbered": "True"}', "view_file", id="True as text"),
        pytest.param('{"path": "a.py", "numbered": true}', "VIEW_FILE", id="upper-case tool name"),
    ],
)
def test_the_malformed_calls_that_others_refuse_all_run(text: str, name: str, read: Read) -> None:
    result = read(text, name)

    assert isinstance(result, ToolCall)
    assert (result.name, result.arguments) == ("view_file", {"path": "a.py", "numbered": True})
    assert len(result.repairs) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param('{"path": "a', "end inside a string", id="string left open"),
        pytest.param("{'path': 'a", "end inside a string", id="single-quoted string left open"),
        pytest.param('{"path": "a\\"', "end inside a string", id="string ending in an escaped quote"),
        pytest.param('```json\n{"path": "a```', "end inside a string", id="string left open in a fence"),
        pytest.param(r'"{\"path\": \"a\"}', "end inside a string", id="outer string left open"),
        pytest.param(r'"{\"path\": \"a"', "end inside a string", id="inner string left open"),
        pytest.param('{"path": "a", "numbered": tru', "end inside a value", id="half a literal"),
        pytest.param('{"path": "a", "limit": -', "end inside a value", id="half a number"),
        pytest.param('{"path": "a", lim', "end inside a key", id="half an unquoted key"),
        pytest.param('{"path": "a",', "end too early", id="comma at the end"),
        pytest.param('{"path": "a", "limit"', "end too early", id="key at the end"),
        pytest.param('{"path": "a", "limit":', "end too early", id="colon at the end"),
        pytest.param("{", "end too early", id="nothing but a brace"),
    ],
)
def test_a_call_that_ends_too_early_is_refused_as_cut_off(text: str, words: str, read: Read) -> None:
    result = read(text)

    assert isinstance(result, RejectedCall)
    assert (result.kind, result.arguments) == ("schema_reject", {})
    assert words in result.message
    assert "cut off" in result.message
    assert "Nothing was run" in result.message
    assert "again, whole and shorter" in result.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param('{"path": "a"} Done!', "text around the object", id="prose behind"),
        pytest.param('I call {"path": "a"}', "text around the object", id="prose before"),
        pytest.param('{"path": "a"}{"path": "b"}', "more than one object", id="two objects"),
        pytest.param('{"path": "a"}, "limit": 3}', "a comma too many", id="object closed too early"),
        pytest.param('{"path": "a",, "limit": 3,,}', "a comma too many", id="two commas twice"),
        pytest.param('{"path": "a"]}', "was not opened", id="bracket that was not opened"),
        pytest.param("}", "before any opening one", id="lone brace"),
        pytest.param('{"path": "a", "path": "b"}', '"path" is given twice', id="key given twice"),
        pytest.param('{"path": }', '"path" has no value', id="no value"),
        pytest.param('{"path": "a", "limit": NaN}', "text outside of quotes", id="NaN"),
        pytest.param('{"path": "a", "limit": 1e999}', "too large", id="infinite number"),
        pytest.param('{"path": "a", "limit": 9223372036854775808}', "too large", id="more than 64 bits"),
        pytest.param(f'{{"path": "a", "limit": {"9" * 5000}}}', "too large", id="thousands of digits"),
        pytest.param('{"path": a.py}', "text outside of quotes", id="unquoted value"),
        pytest.param('{"path": "a", "limit": 007}', "text outside of quotes", id="leading zeros"),
        pytest.param(r'{"path": "\ud83d"}', "half of a character", id="half of a surrogate pair"),
        pytest.param("[]", "one JSON object, not a list", id="empty list"),
        pytest.param('[{"path": "a"}, {"path": "b"}]', "one JSON object, not a list", id="list of two"),
        pytest.param("3", "one JSON object", id="number"),
        pytest.param('"src/a.py"', "text around the object", id="lone text"),
        pytest.param('"' + r"\\\"" * 9 + '"', "", id="text of quotes"),
        pytest.param("[" * 100 + "]" * 100, "nested more than 64 deep", id="deep nesting"),
        pytest.param('{"path": ' + "[" * 64 + "]" * 64 + "}", "nested more than 64 deep", id="one too deep"),
        pytest.param('{"name": "grep", "arguments": {"pattern": "a"}}', "call of another tool", id="other tool's call"),
        pytest.param("{'path': 'it's'}", "not escaped", id="apostrophe in single quotes"),
    ],
)
def test_what_has_no_single_meaning_is_refused(text: str, words: str, read: Read) -> None:
    result = read(text)

    assert isinstance(result, RejectedCall)
    assert result.kind == "schema_reject"
    assert words in result.message
    assert "othing was run" in result.message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"path": "a", "content": "d = {"path": "b", "k": "v"}"}', id="code that looks like arguments"),
        pytest.param('{"path": "a", "content": "say "hi", "mode": "x" now"}', id="piece that looks like an argument"),
        pytest.param('{"path": "a", "content": "f("x") {return "y"}', id="cut off behind a brace of the content"),
        pytest.param('{"path": "a", "content": "x"; "limit": 3}', id="something else than JSON's marks"),
        pytest.param('{"path": "a", "content": "' + 'say "hi" ' * 500 + '"}', id="long text"),
    ],
)
def test_a_guess_that_is_open_to_doubt_is_refused(text: str, read: Read) -> None:
    assert isinstance(read(text, "write_file"), RejectedCall)


def test_a_guess_that_needs_an_argument_dropped_is_refused(read: Read) -> None:
    result = read('{"path": "a" "colour": "red"}')

    assert isinstance(result, RejectedCall)
    assert "colour is not an argument of this tool" in result.message


def test_keys_of_a_nested_call_that_the_tool_knows_are_its_own_arguments(read: Read) -> None:
    result = read('{"path": "a", "arguments": {"path": "b"}}')

    assert result == ToolCall("call-1", "view_file", {"path": "a"}, ("dropped_argument",))
