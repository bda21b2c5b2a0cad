"""Whether a tool may be used: allow it, ask the user, or deny it.

A command is judged by what it does (`core/command_policy`) and by the user's rules; in a sandbox it may run without
asking (`core/sandbox/approval.py`). Every other use is judged by the user's rules. If none fits, reading is allowed and
a change of a file is asked about: it is pending until the user approves it.
"""

from mulligan.core.permission_rules import fits_path, fits_tool, strictest
from mulligan.core.provenance import CHANGING
from mulligan.types.commands import CommandKind, Decision, PolicyVerdict
from mulligan.types.frozen import frozen
from mulligan.types.permissions import COMMAND_TOOL, NO_PERMISSIONS, PermissionRule, Permissions

READS = "view_file"
"""A file that may not be read with this tool is hidden from all other tools."""

_WORDS: dict[Decision, str] = {"allow": "allowed", "ask": "to be asked about", "deny": "denied"}


@frozen
class ToolUse:
    """A tool call before it runs."""

    tool: str
    command: str | None = None
    paths: tuple[str, ...] = ()
    """Files that it names, relative to the project."""


def judge_use(use: ToolUse, permissions: Permissions = NO_PERMISSIONS, *, project: str | None = None) -> PolicyVerdict:
    """Whether it may be done, must be asked about, or may not be done. `project` is where a command runs."""
    if use.command is not None:
        from mulligan.core.command_policy import judge_command  # 15 ms, not needed before the first command

        return judge_command(use.command, permissions=permissions, project=project)
    rule = strictest(rule for rule in permissions.rules if _fits(rule, use))
    kinds: frozenset[CommandKind] = frozenset({"write"} if use.tool in CHANGING else {"read"})
    if rule is None:
        if use.tool in CHANGING:
            return PolicyVerdict("ask", "A change of a file is pending until the user says yes.", kinds)
        return PolicyVerdict("allow", "It changes nothing.", kinds)
    about = f"{use.tool} of {rule.path}" if rule.path else use.tool
    return PolicyVerdict(
        rule.decision, f"By the user's rules, {about} is {_WORDS[rule.decision]}.", kinds, by_rules=(rule,)
    )


class ReadingRules:
    """Which files may be read. Once the user has approved a file, it stays readable."""

    def __init__(self, permissions: Permissions) -> None:
        self._permissions = permissions
        self._granted: set[str] = set()

    def __call__(self, path: str) -> PolicyVerdict:
        verdict = judge_use(ToolUse(READS, paths=(path,)), self._permissions)
        if verdict.decision == "ask" and path in self._granted:
            return PolicyVerdict("allow", "The user said yes.", verdict.kinds)
        return verdict

    def grant(self, path: str) -> None:
        self._granted.add(path)


def reading_rules(permissions: Permissions) -> ReadingRules | None:
    """None if no rule keeps any file from being read: then files need not be checked one by one."""
    strict = (rule for rule in permissions.rules if rule.path and rule.decision != "allow")
    return ReadingRules(permissions) if any(fits_tool(rule, READS) for rule in strict) else None


def concerns(permissions: Permissions, tool: str) -> bool:
    """Whether any rule could change the decision about a tool that runs no commands."""
    return any(rule.command is None and fits_tool(rule, tool) for rule in permissions.rules)


def _fits(rule: PermissionRule, use: ToolUse) -> bool:
    if rule.command is not None or use.tool == COMMAND_TOOL or not fits_tool(rule, use.tool):
        return False
    return rule.path is None or any(fits_path(rule, path) for path in use.paths)
