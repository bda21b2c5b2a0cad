"""Calls of tools that are reached through another one."""

import json

import pytest

from mulligan.core.tool_calls import read_calls
from mulligan.types.tool_calls import JsonObject, RawCall, RejectedCall, ToolCall, ToolSpec

CREATE = ToolSpec(
    "create_issue",
    "",
    {
        "type": "object",
        "properties": {"title": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["title"],
    },
)
LIST = ToolSpec("list_issues", "", {"type": "object", "properties": {}})
OUTER: JsonObject = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["tool"],
}
SPECS = (
    ToolSpec("list_dir", "", {"type": "object", "properties": {"path": {"type": "string"}}}),
    ToolSpec("use_tool", "", OUTER, reached=(CREATE, LIST)),
)
WANTED = {"tool": "create_issue", "arguments": {"title": "x", "count": 2}}


def read(name: str, arguments: str, specs: tuple[ToolSpec, ...] = SPECS) -> ToolCall | RejectedCall:
    return read_calls([RawCall("1", name, arguments)], specs, finish_reason="tool_calls")[0]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param(
            "use_tool", '{"tool": "createIssue", "arguments": {"title": "x", "count": "2"}}', id="inner slips"
        ),
        pytest.param("use_tool", '{"tool": "create_issue", "title": "x", "count": 2}', id="flat"),
        pytest.param(
            "use_tool", '{"name": "create_issue", "parameters": {"title": "x", "count": 2}}', id="other words"
        ),
        pytest.param("use_tool", "{'tool': 'create_issue', 'arguments': {'title': 'x', 'count': 2,}}", id="no JSON"),
        pytest.param(
            "use_tool", '{"tool": "create_issue", "arguments": "{\\"title\\": \\"x\\", \\"count\\": 2}"}', id="a text"
        ),
        pytest.param("create_issue", '{"title": "x", "count": 2}', id="by its own name"),
        pytest.param("functions.createIssue", "{'title': 'x', 'count': '2'}", id="by nearly its own name"),
    ],
)
def test_a_call_is_read_as_if_the_tool_were_offered(name: str, arguments: str) -> None:
    call = read(name, arguments)
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments) == ("use_tool", WANTED)
    assert call.repairs


def test_a_call_that_is_right_is_left_as_it_is() -> None:
    assert read("use_tool", json.dumps(WANTED)) == ToolCall("1", "use_tool", WANTED)


def test_arguments_that_do_not_fit_are_explained_with_the_tools_own_schema() -> None:
    call = read("use_tool", '{"tool": "create_issue", "arguments": {"count": 2}}')
    assert isinstance(call, RejectedCall)
    assert (call.name, call.kind) == ("use_tool", "schema_reject")
    assert "title is missing" in call.message


def test_an_unknown_tool_gets_the_nearest_names() -> None:
    call = read("use_tool", '{"tool": "make_issue", "arguments": {}}')
    assert isinstance(call, RejectedCall)
    assert call.kind == "tool_not_found"
    assert "create_issue" in call.message
    assert "find_tools" in call.message


def test_a_tool_of_our_own_goes_before_a_reached_one() -> None:
    call = read("list_dirs", "{}")
    assert isinstance(call, ToolCall)
    assert call.name == "list_dir"


def test_what_is_not_known_yet_is_left_to_the_tool() -> None:
    specs = (ToolSpec("use_tool", "", OUTER, reached=()),)
    call = read("use_tool", '{"name": "create_issue", "title": "x"}', specs)
    assert isinstance(call, ToolCall)
    assert call.arguments == {"tool": "create_issue", "arguments": {"title": "x"}}
