"""Which calls may be made, and how their results are read."""

import pytest

from mulligan.core.mcp.permission import judge_tool, shown_call
from mulligan.core.mcp.results import MAX_RESULT_CHARS, answer_text
from mulligan.types.commands import Decision
from mulligan.types.mcp import McpTool
from mulligan.types.permissions import Permissions
from mulligan.types.tool_calls import JsonObject

WRITES = McpTool("github", "create_issue", "create_issue", "", {})
READS = McpTool("github", "list_issues", "list_issues", "", {}, reads_only=True)


@pytest.mark.parametrize(
    ("tool", "rules", "decision"),
    [
        pytest.param(WRITES, Permissions(), "ask", id="may change something"),
        pytest.param(READS, Permissions(), "allow", id="only reads"),
        pytest.param(WRITES, Permissions.of_commands(allow=("mcp:github",)), "allow", id="the server is allowed"),
        pytest.param(
            WRITES, Permissions.of_commands(allow=("mcp:github create_issue",)), "allow", id="the tool is allowed"
        ),
        pytest.param(
            WRITES, Permissions.of_commands(allow=("mcp:github create",)), "ask", id="another tool is allowed"
        ),
        pytest.param(WRITES, Permissions.of_commands(allow=("mcp:git",)), "ask", id="another server is allowed"),
        pytest.param(WRITES, Permissions.of_commands(allow=("",)), "ask", id="an empty rule"),
        pytest.param(READS, Permissions.of_commands(deny=("mcp:github list_issues",)), "deny", id="forbidden"),
        pytest.param(
            WRITES, Permissions.of_commands(allow=("mcp:github",), deny=("mcp:github",)), "deny", id="forbidden counts"
        ),
    ],
)
def test_rules_for_commands_hold_for_tools(tool: McpTool, rules: Permissions, decision: Decision) -> None:
    assert judge_tool(tool, rules).decision == decision


def test_what_a_user_can_allow_for_good_covers_the_tool() -> None:
    rule = judge_tool(WRITES, Permissions()).rule
    assert judge_tool(WRITES, Permissions.of_commands(allow=(rule,))).decision == "allow"
    assert shown_call(WRITES, {"title": "ü"}) == 'mcp:github create_issue {"title": "ü"}'


@pytest.mark.parametrize(
    ("content", "structured", "text"),
    [
        pytest.param([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], {"x": 1}, "a\nb", id="texts"),
        pytest.param([], {"x": 1}, '{"x": 1}', id="data alone"),
        pytest.param([], None, "[the server answered nothing]", id="nothing"),
        pytest.param(
            [{"type": "image", "data": "AAAA", "mimeType": "image/png"}],
            None,
            "[image of 3 bytes, image/png: not shown]",
            id="image",
        ),
        pytest.param(
            [{"type": "resource", "resource": {"uri": "u", "text": "inside"}}], None, "inside", id="embedded text"
        ),
        pytest.param([{"type": "resource_link", "name": "n", "uri": "u"}], None, "[resource n: u]", id="link"),
        pytest.param([{"type": 7, "x": 1}, {"type": "text", "text": 7}], None, "[: not shown]", id="nonsense"),
        pytest.param([{"type": "text", "text": "\ud800"}], None, "\ufffd", id="half a character"),
    ],
)
def test_an_answer_becomes_text(content: list[JsonObject], structured: object, text: str) -> None:
    assert answer_text(content, structured) == text


def test_a_flood_is_cut() -> None:
    assert len(answer_text([{"type": "text", "text": "x" * 10_000_000}])) < MAX_RESULT_CHARS
