"""Whether a tool of a server may be called: by the rules that commands have."""

import json
from collections.abc import Mapping
from typing import Any

from mulligan.types.commands import CommandKind, CommandRules, Verdict
from mulligan.types.mcp import McpTool


def shown_call(tool: McpTool, arguments: Mapping[str, Any]) -> str:
    """The call as a person sees it, and as rules for commands match it. No program has a colon in its name."""
    return f"mcp:{tool.server} {tool.name} {json.dumps(dict(arguments), ensure_ascii=False)}"


def judge_tool(tool: McpTool, rules: CommandRules) -> Verdict:
    """A tool of which its server says that it only reads, and reaches nothing outside, may be called. Any other needs a
    yes: what it is sent leaves Mulligan, and what it does no restore takes back."""
    call = [f"mcp:{tool.server}", tool.name]
    kinds: frozenset[CommandKind] = frozenset({"read" if tool.reads_only else "unknown"})
    if _matches(call, rules.deny):
        return Verdict("deny", f"{tool.shown} is forbidden by a rule in the settings.", kinds)
    if _matches(call, rules.allow):
        return Verdict("allow", "", kinds, by_rule=True)
    if tool.reads_only:
        return Verdict("allow", "", kinds)
    reason = f"A tool of the MCP server {tool.server}: it gets these arguments, and what it does can't be undone here."
    return Verdict("ask", reason, kinds, rule=" ".join(call))


def _matches(call: list[str], rules: tuple[str, ...]) -> bool:
    """`mcp:github` covers all tools of that server, `mcp:github create_issue` one."""
    return any(words and call[: len(words)] == words for words in map(str.split, rules))
