"""Whether a tool of a server may be called: decided by the rules for commands."""

import json
from collections.abc import Mapping
from typing import Any

from mulligan.core.permission_rules import fits_command, strictest
from mulligan.types.commands import CommandKind, PolicyVerdict
from mulligan.types.mcp import McpTool
from mulligan.types.permissions import Permissions


def shown_call(tool: McpTool, arguments: Mapping[str, Any]) -> str:
    """The call as the user sees it, and as rules for commands match it. No program has a colon in its name."""
    return f"mcp:{tool.server} {tool.name} {json.dumps(dict(arguments), ensure_ascii=False)}"


def judge_tool(tool: McpTool, permissions: Permissions) -> PolicyVerdict:
    """A tool may be called if its server declares that it only reads and reaches nothing outside. Any other needs
    approval: its arguments leave Mulligan, and no restore can undo what it does. A rule about `mcp:github` covers all
    tools of that server, one about `mcp:github create_issue` only that tool."""
    call = [f"mcp:{tool.server}", tool.name]
    kinds: frozenset[CommandKind] = frozenset({"read" if tool.reads_only else "unknown"})
    rule = strictest(rule for rule in permissions.rules if fits_command(rule, call))
    if rule and rule.decision == "deny":
        return PolicyVerdict("deny", f"{tool.shown} is forbidden by a rule in the settings.", kinds, by_rules=(rule,))
    if rule and rule.decision == "allow":
        return PolicyVerdict("allow", "", kinds, by_rules=(rule,))
    if tool.reads_only and not rule:
        return PolicyVerdict("allow", "", kinds)
    reason = f"A tool of the MCP server {tool.server}: it gets these arguments, and what it does can't be undone here."
    return PolicyVerdict("ask", reason, kinds, rule=" ".join(call))
