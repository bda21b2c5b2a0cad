import json
from pathlib import Path
from typing import Any

import pytest

from mulligan.core.text_calls import find_text_calls
from mulligan.core.tool_calls import read_calls
from mulligan.types.tool_calls import RejectedCall, ToolCall, ToolSpec


def spec(name: str, required: list[str], **types: str) -> ToolSpec:
    properties = {argument: {"type": kind} for argument, kind in types.items()}
    return ToolSpec(name, "", {"type": "object", "properties": properties, "required": required})


SPECS = [
    ToolSpec(
        "ask_user",
        "",
        {
            "type": "object",
            "properties": {"question": {"type": "string"}, "options": {"type": "array", "items": {"type": "string"}}},
            "required": ["question"],
        },
    ),
    spec("find_files", ["pattern"], pattern="string", path="string"),
    spec("grep", ["pattern"], pattern="string", path="string", glob="string", ignore_case="boolean", fixed="boolean"),
    spec("list_dir", [], path="string"),
    spec("view_file", ["path"], path="string", start_line="integer", end_line="integer"),
]
NAMES = [each.name for each in SPECS]
REAL = json.loads((Path(__file__).parent / "real_replies.json").read_text(encoding="utf-8"))

VIEW = ("view_file", {"path": "a.py"})
GREP = ("grep", {"pattern": "x"})
LIST: tuple[str, dict[str, Any]] = ("list_dir", {})
VIEW_JSON = '{"name": "view_file", "arguments": {"path": "a.py"}}'
GREP_JSON = '{"name": "grep", "arguments": {"pattern": "x"}}'


def calls_in(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = find_text_calls(text, NAMES)
    read = read_calls(found.calls, SPECS, finish_reason="stop") if found else []
    assert all(isinstance(call, ToolCall) for call in read), read
    return [(call.name, call.arguments) for call in read]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param(f"<tool_call>{VIEW_JSON}</tool_call>", [VIEW], id="tool_call"),
        pytest.param(f"<tool_call>\n{VIEW_JSON}\n</tool_call>", [VIEW], id="tool_call on lines"),
        pytest.param(f"<tool_call>\n{VIEW_JSON}", [VIEW], id="tool_call never closed"),
        pytest.param(f"{VIEW_JSON}\n</tool_call>", [VIEW], id="tool_call never opened"),
        pytest.param(f"{VIEW_JSON}\n</tool_call>\nThat is it.", [VIEW], id="never opened, and text after it"),
        pytest.param(f"<tool_call>{VIEW_JSON[:-1]}</tool_call>", [VIEW], id="tool_call with a missing brace"),
        pytest.param(
            f"<tool_call>{VIEW_JSON[:-1]}</tool_call>\n<tool_call>{GREP_JSON}</tool_call>",
            [VIEW, GREP],
            id="a missing brace, then another call",
        ),
        pytest.param(
            f"<tool_call>{VIEW_JSON}</tool_call>\n<tool_call>{GREP_JSON}</tool_call>", [VIEW, GREP], id="two tool_calls"
        ),
        pytest.param(
            f"First <tool_call>{VIEW_JSON}</tool_call> and then\n<tool_call>{GREP_JSON}</tool_call>, done.",
            [VIEW, GREP],
            id="tool_calls amid prose",
        ),
        pytest.param(f"<tool_call>{VIEW_JSON}\n{GREP_JSON}</tool_call>", [VIEW, GREP], id="two in one tool_call"),
        pytest.param(f"<tool_call>[{VIEW_JSON}, {GREP_JSON}]</tool_call>", [VIEW, GREP], id="a list in a tool_call"),
        pytest.param('<tool_call>view_file\n{"path": "a.py"}</tool_call>', [VIEW], id="name, then arguments"),
        pytest.param(
            '<tool_call>view_file({"path": "a.py"})</tool_call>', [VIEW], id="name with arguments as a function"
        ),
        pytest.param(
            '<tool_call>{"name": "grep", "arguments": {"pattern": "</tool_call>"}}</tool_call>',
            [("grep", {"pattern": "</tool_call>"})],
            id="the closing tag inside a string",
        ),
        pytest.param('<invoke name="view_file"><parameter name="path">a.py</parameter></invoke>', [VIEW], id="invoke"),
        pytest.param(
            '<function_calls>\n<invoke name="view_file">\n<parameter name="path">a.py</parameter>\n'
            '<parameter name="start_line">3</parameter>\n</invoke>\n'
            '<invoke name="list_dir">\n</invoke>\n</function_calls>',
            [("view_file", {"path": "a.py", "start_line": 3}), LIST],
            id="two invokes in function_calls",
        ),
        pytest.param('<function=view_file>{"path": "a.py"}</function>', [VIEW], id="function with JSON"),
        pytest.param(
            "<function=view_file>\n<parameter=path>\na.py\n</parameter>\n</function>",
            [VIEW],
            id="function with parameters",
        ),
        pytest.param(
            "<tool_call>\n<function=view_file>\n<parameter=path>\na.py\n</parameter>\n</function>\n</tool_call>",
            [VIEW],
            id="function in a tool_call",
        ),
        pytest.param("<function=list_dir></function>", [LIST], id="function without arguments"),
        pytest.param(f"```json\n{VIEW_JSON}\n```", [VIEW], id="json fence"),
        pytest.param(f"```\n{VIEW_JSON}\n```", [VIEW], id="fence without a language"),
        pytest.param(f"```json\n{VIEW_JSON}", [VIEW], id="json fence never closed"),
        pytest.param(f"```json\n[{VIEW_JSON},\n{GREP_JSON}]\n```", [VIEW, GREP], id="a list in a json fence"),
        pytest.param(f"```json\n{VIEW_JSON}\n{GREP_JSON}\n```", [VIEW, GREP], id="two in a json fence"),
        pytest.param(
            f"I read it.\n```json\n{VIEW_JSON}\n```\n```json\n{GREP_JSON}\n```", [VIEW, GREP], id="two json fences"
        ),
        pytest.param(
            f"First:\n```json\n{VIEW_JSON}\n```\nThen:\n```json\n{GREP_JSON}\n```",
            [VIEW, GREP],
            id="prose between fences",
        ),
        pytest.param(f"```tool_call\n{VIEW_JSON}\n```\nThis reads it.", [VIEW], id="tool_call fence and text after it"),
        pytest.param(f"```xml\n<tool_call>{VIEW_JSON}</tool_call>\n```", [VIEW], id="tool_call in an xml fence"),
        pytest.param(VIEW_JSON, [VIEW], id="bare JSON"),
        pytest.param(json.dumps(json.loads(VIEW_JSON), indent=2), [VIEW], id="bare JSON on several lines"),
        pytest.param(f"I will read it.\n\n{VIEW_JSON}\n", [VIEW], id="bare JSON on a line of its own"),
        pytest.param(f"{VIEW_JSON}\n{GREP_JSON}", [VIEW, GREP], id="bare JSON, two lines"),
        pytest.param(f"[{VIEW_JSON}, {GREP_JSON}]", [VIEW, GREP], id="bare list"),
        pytest.param("{" + VIEW_JSON + "}", [VIEW], id="doubled outer braces"),
        pytest.param("{" + VIEW_JSON, [VIEW], id="one brace too many at the beginning"),
        pytest.param(VIEW_JSON.replace("{", "{{").replace("}", "}}"), [VIEW], id="all braces doubled"),
        pytest.param('{"name": "view_file", "parameters": {"path": "a.py"}}', [VIEW], id="parameters"),
        pytest.param('{"tool": "view_file", "args": {"path": "a.py"}}', [VIEW], id="tool and args"),
        pytest.param('{"tool_name": "view_file", "input": {"path": "a.py"}}', [VIEW], id="tool_name and input"),
        pytest.param('{"function": "view_file", "arguments": {"path": "a.py"}}', [VIEW], id="function as a name"),
        pytest.param('{"function": ' + VIEW_JSON + "}", [VIEW], id="function as an object"),
        pytest.param(
            '{"type": "function", "id": "1", "function": ' + VIEW_JSON + "}", [VIEW], id="as OpenAI writes it"
        ),
        pytest.param('{"tool_calls": [' + VIEW_JSON + "]}", [VIEW], id="tool_calls"),
        pytest.param(
            '{"name": "view_file", "arguments": "{\\"path\\": \\"a.py\\"}"}', [VIEW], id="arguments encoded twice"
        ),
        pytest.param('{"arguments": {"path": "a.py"}, "name": "view_file"}', [VIEW], id="arguments first"),
        pytest.param('{"name": "list_dir", "arguments": null}', [LIST], id="null arguments"),
        pytest.param('{"name": "list_dir"}', [LIST], id="no arguments"),
        pytest.param("{'name': 'view_file', 'arguments': {'path': 'a.py'}}", [VIEW], id="single quotes"),
        pytest.param('{name: "view_file", arguments: {path: "a.py",}}', [VIEW], id="bare keys and a trailing comma"),
        pytest.param('{"name": "functions.viewFile", "arguments": {"path": "a.py"}}', [VIEW], id="another case"),
        pytest.param(f"[TOOL_CALLS] [{VIEW_JSON}]", [VIEW], id="Mistral, a list"),
        pytest.param('[TOOL_CALLS]view_file[ARGS]{"path": "a.py"}', [VIEW], id="Mistral, newer"),
        pytest.param(f"I look at the example and its schema.\n{VIEW_JSON}", [VIEW], id="the word example in prose"),
        pytest.param(
            f"I will use the `grep` function.\n\n```json\n{GREP_JSON}\n```\n\nThis finds `x`.",
            [GREP],
            id="said and explained",
        ),
        pytest.param(
            f"Let me read it:\n{VIEW_JSON}\nIt prints:\n```\n1\n```", [VIEW], id="said, and the result imagined"
        ),
        pytest.param(f"<|python_tag|>{VIEW_JSON}<|eom_id|>", [VIEW], id="Llama"),
        pytest.param("view_file(path='a.py')\ngrep(pattern=\"x\")", [VIEW, GREP], id="functions, one a line"),
        pytest.param(
            f"It looks like this file is wrong.\n<tool_call>{VIEW_JSON}</tool_call>", [VIEW], id="marked, after a guess"
        ),
        pytest.param(
            f"There is an example in docs.\n<tool_call>{VIEW_JSON}</tool_call>", [VIEW], id="marked, the word example"
        ),
        pytest.param(
            f"The code is:\n```python\nprint(1)\n```\nNow the tests.\n{VIEW_JSON}",
            [VIEW],
            id="bare JSON after a code fence",
        ),
    ],
)
def test_a_call_is_found(text: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    assert calls_in(text) == calls


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("The answer is 42.", id="prose"),
        pytest.param(f"{VIEW_JSON}\nThis reads the file.", id="text after bare JSON"),
        pytest.param(f"```json\n{VIEW_JSON}\n```\nThis reads the file.", id="text after a fence"),
        pytest.param(f"For example:\n```json\n{VIEW_JSON}\n```", id="announced as an example"),
        pytest.param(f"A call looks like this:\n{VIEW_JSON}", id="announced as what it looks like"),
        pytest.param(f"```python\nx = 1\n```\nand\n```json\n{VIEW_JSON}\n```", id="an answer with other fences"),
        pytest.param(f"You can use grep so:\n```json\n{VIEW_JSON}\n```\nTry it.", id="told what one can do"),
        pytest.param(f"I will show an example:\n```json\n{VIEW_JSON}\n```\nTry it.", id="an example that was promised"),
        pytest.param(f"```python\n{VIEW_JSON}\n```", id="in a fence of another language"),
        pytest.param(f"```python\nprint('<tool_call>{VIEW_JSON}</tool_call>')\n```", id="tagged, within code"),
        pytest.param(f"Models write `<tool_call>{VIEW_JSON}</tool_call>` for that.", id="in inline code"),
        pytest.param(f"It sends {VIEW_JSON}", id="in the middle of a line"),
        pytest.param('{"name": "shop", "version": "1.0"}', id="JSON that is no call"),
        pytest.param('{"name": "delete_all", "arguments": {}}', id="unknown tool"),
        pytest.param('<tool_call>{"name": "a b?", "arguments": {}}</tool_call>', id="tagged, but no name"),
        pytest.param("The <tool_call> tag marks a call.", id="a tag without a call"),
        pytest.param(
            '{"name": "grep", "description": "Search.", "parameters": {"type": "object"}}', id="a description"
        ),
        pytest.param('{"name": "grep", "parameters": {"type": "object", "properties": {}}}', id="a schema"),
        pytest.param('{"name": "grep", "arguments": [1]}', id="arguments that are a list"),
        pytest.param(f'[{VIEW_JSON}, {{"name": "other"}}]', id="a list with something else in it"),
        pytest.param('{"name": "gerp", "arguments": {}}', id="a typo is not guessed at"),
        pytest.param("These tools exist:\n\n<grep> searches, and\n<list_dir> lists.", id="tools named as tags"),
        pytest.param("These tools exist:\ngrep()\nlist_dir()", id="tools named as functions"),
        pytest.param('The code is:\n```\ngrep(pattern="x")\n```', id="a function in a fence"),
        pytest.param(f"Send it, for example <tool_call>{VIEW_JSON}</tool_call>", id="marked, for example"),
        pytest.param("Action: restart the server\nThen try again.", id="an action that is no tool"),
        pytest.param("Action: Restart\nAction Input: none", id="an action of no tool"),
    ],
)
def test_prose_that_shows_a_call_is_none(text: str) -> None:
    assert find_text_calls(text, NAMES) is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        pytest.param(f"I read it.\n\n<tool_call>{VIEW_JSON}</tool_call>", "I read it.", id="before"),
        pytest.param(f"Before.\n<tool_call>{VIEW_JSON}</tool_call>\nAfter.", "Before.\n\nAfter.", id="around"),
        pytest.param(f"I read it.\n```json\n{VIEW_JSON}\n```", "I read it.", id="the fence goes with the call"),
        pytest.param(
            f"<tool_call>{VIEW_JSON}</tool_call>\n<tool_response>\nprint(1)\n</tool_response>\nIt prints 1.",
            "",
            id="a result that the model made up",
        ),
    ],
)
def test_what_is_no_call_remains(text: str, rest: str) -> None:
    found = find_text_calls(text, NAMES)

    assert found is not None
    assert found.text == rest


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>',
        '<invoke name="read_file"><parameter name="path">a.py</parameter></invoke>',
        "<function=read_file><parameter=path>a.py</parameter></function>",
        '[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "a.py"}}]',
    ],
)
def test_a_marked_call_of_an_unknown_tool_goes_back_to_the_model(text: str) -> None:
    found = find_text_calls(text, NAMES)

    assert found is not None
    [call] = read_calls(found.calls, SPECS, finish_reason="stop")
    assert isinstance(call, RejectedCall)
    assert call.kind == "tool_not_found"


def test_calls_after_a_made_up_result_do_not_count() -> None:
    text = f"<tool_call>{VIEW_JSON}</tool_call>\n<tool_response>x</tool_response>\n<tool_call>{GREP_JSON}</tool_call>"

    assert calls_in(text) == [VIEW]


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param('{"name": "view_file", "arguments": {"path": "src/app.py"}}', id="bare JSON"),
        pytest.param(
            '<tool_call>{"name": "view_file", "arguments": {"path": "src/app.py"}}</tool_call>', id="tool_call"
        ),
        pytest.param('```json\n{"name": "view_file", "arguments": {"path": "src/app.py"}}\n```', id="fence"),
        pytest.param('<function=view_file>{"path": "src/app.py"}</function>', id="function with JSON"),
        pytest.param("<function=view_file><parameter=path>src/app.py</parameter></function>", id="function"),
        pytest.param('<invoke name="view_file"><parameter name="path">src/app.py</parameter></invoke>', id="invoke"),
        pytest.param('[TOOL_CALLS]view_file[ARGS]{"path": "src/app.py"}', id="Mistral"),
        pytest.param('{{"name": "view_file", "arguments": {"path": "src/app.py"}}', id="doubled braces"),
        pytest.param('{"name": "list_dir", "arguments": {"path": "src/app.py"}}', id="nothing is required"),
        pytest.param('<invoke name="list_dir"><parameter name="path">src/app.py</parameter></invoke>', id="the same"),
    ],
)
def test_a_call_cut_off_anywhere_is_whole_or_not_run(whole: str) -> None:
    for end in range(len(whole)):
        found = find_text_calls(whole[:end], NAMES)
        for call in read_calls(found.calls, SPECS, finish_reason="stop") if found else []:
            assert isinstance(call, RejectedCall) or call.arguments == {"path": "src/app.py"}, whole[:end]


def test_a_string_left_open_is_refused_as_cut_off() -> None:
    found = find_text_calls('{"name": "view_file", "arguments": {"path": "src/ap', NAMES)

    assert found is not None
    [call] = read_calls(found.calls, SPECS, finish_reason="stop")
    assert isinstance(call, RejectedCall)
    assert "cut off" in call.message


@pytest.mark.parametrize("case", REAL, ids=[f"{each['model']}: {each['prompt']}" for each in REAL])
def test_real_replies_are_read_as_the_calls_they_meant(case: dict[str, Any]) -> None:
    assert calls_in(case["reply"]) == [(call["name"], call["arguments"]) for call in case["calls"]]


@pytest.mark.parametrize(
    "unit",
    ['{"name":\n', "<tool_call>", '```json\n{"name":"grep"\n', '<invoke name="grep">', "`", "{", "[ \n", '"\\', "\n\t ",
     '<tool_call>{"name":"grep","arguments":{"a":"', '{"name": "grep", "arguments": {', "<parameter=a>", "{{",
     "<function=grep><parameter=a>1</function>"],
)  # fmt: skip
def test_text_made_to_be_read_over_and_over_comes_to_an_end(unit: str) -> None:
    """Quadratic time would take minutes."""
    found = find_text_calls(unit * 8_000, NAMES)

    for call in read_calls(found.calls[:3], SPECS, finish_reason="stop") if found else []:
        assert isinstance(call, RejectedCall)
