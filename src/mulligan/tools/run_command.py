"""Run a command in the project, as far as the policy and the user allow."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mulligan.core.permissions import ToolUse, judge_use
from mulligan.core.sandbox.approval import blocked_lines, decide, granted, second_try
from mulligan.core.secrets import refuse_masks
from mulligan.ports.commands import Approve, ChatCommands
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.commands import MAY_WRITE, ChatCommandResult, CommandKind, CommandResult, PolicyVerdict
from mulligan.types.errors import CallRejected
from mulligan.types.permissions import COMMAND_TOOL, Permissions
from mulligan.types.tool_calls import CallTrace, Failed, Outcome, Succeeded

DEFAULT_SECONDS = 120
MAX_SECONDS = 600

MAX_NAMED = 20
"""Most changed files to name to the model."""

NOT_IN_GIT: frozenset[CommandKind] = frozenset({"build", "install"})
"""Their output is usually ignored, so git does not see it."""


class RunCommandArguments(Record):
    command: str = field(min_length=1, description="For bash, run in the project's folder, without a terminal.")
    timeout: int = field(default=DEFAULT_SECONDS, ge=1, description="Seconds; 120 if left out, at most 600.")


class RunCommand:
    def __init__(
        self,
        commands: ChatCommands,
        approve: Approve,
        permissions: Callable[[], Permissions],
        *,
        project: str | None = None,
    ) -> None:
        """`project` is the commands' folder, so that absolute paths into it are recognized. The permissions are read
        each time, since the user may add to them during the turn."""
        self._commands = commands
        self._approve = approve
        self._permissions = permissions
        self._project = project
        self._succeeded: set[str] = set()
        description = "Run a shell command: tests, linters, builds, searches. To change files use the edit tools."
        # The command has its own limit, and its process must be ended properly.
        self.spec = tool_spec(COMMAND_TOOL, description, RunCommandArguments, time_limit=None)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        from mulligan.core.command_policy import lasting_rule  # not needed before the first command

        asked = read_arguments(RunCommandArguments, arguments)
        refuse_masks(asked.command)
        permissions = self._permissions()
        judged = judge_use(ToolUse(COMMAND_TOOL, asked.command), permissions, project=self._project)
        verdict = decide(judged, await self._commands.confinement())
        rule = lasting_rule(asked.command, verdict, permissions=permissions, project=self._project)
        await self._permit(asked.command, replace(verdict, rule=rule))
        limit = min(asked.timeout, MAX_SECONDS)
        ran = await self._commands.run(asked.command, time_limit=limit, access=granted(verdict), kinds=verdict.kinds)
        again = second_try(verdict, ran.result.blocked)
        if again and (await self._approve(asked.command, again)).granted:
            first = ran
            ran = await self._commands.run(asked.command, time_limit=limit, access=granted(again), kinds=verdict.kinds)
            ran = replace(ran, changed=_both(first.changed, ran.changed), state=ran.state or first.state)
        content = show_result(ran, limit=limit)
        trace = CallTrace(changed=ran.changed or (), pending_seen=ran.seen, pending_unseen=ran.unseen)
        if ran.result.timed_out or ran.result.exit_code != 0:
            return Failed("exec_error", content, ran.state, trace)
        may_have_changed = not verdict.kinds.isdisjoint(MAY_WRITE)
        state = self._state(asked.command, verdict, ran)
        return Succeeded(content, state=state, may_have_changed=may_have_changed, trace=trace)

    async def _permit(self, command: str, verdict: PolicyVerdict) -> None:
        if verdict.decision == "deny":
            raise CallRejected("permission_denied", f"The command was not run. {verdict.reason}")
        if verdict.decision != "ask":
            return
        answer = await self._approve(command, verdict)
        if not answer.granted:
            reply = f" The user said: {answer.reason}" if answer.reason else ""
            raise CallRejected(
                "permission_denied",
                f"The command was not run: it needs the user's approval and did not get it. {verdict.reason}{reply} "
                "Go on without it, or in another way.",
            )

    def _state(self, command: str, verdict: PolicyVerdict, ran: ChatCommandResult) -> str | None:
        """By content if git can tell. Otherwise a command's effect counts only the first time: repeating it forever
        must not pass for work."""
        is_new = command not in self._succeeded
        self._succeeded.add(command)
        if ran.changed is None:
            return f"after {command}" if is_new and not verdict.kinds.isdisjoint(MAY_WRITE) else None
        if ran.state is None and is_new and not verdict.kinds.isdisjoint(NOT_IN_GIT):
            return f"after {command}"
        return ran.state


def show_result(ran: ChatCommandResult, *, limit: int) -> str:
    """What the model reads."""
    result = ran.result
    lines = [f"{_how_it_ended(result, limit)} ({result.seconds:.1f} s)"]
    if ran.unseen:
        lines.insert(0, f"NOT SEEN by this command: {counted(ran.unseen, 'pending edit')}. {_sentence(ran.why_unseen)}")
    elif ran.seen:
        lines[0] += f", run with your {counted(ran.seen, 'pending edit')}"
    if ran.changed:
        more = f" and {len(ran.changed) - MAX_NAMED} more" if len(ran.changed) > MAX_NAMED else ""
        what = "Changed by it, and pending now" if ran.seen else "Changed by it"
        lines.append(f"{what}: {', '.join(ran.changed[:MAX_NAMED])}{more}")
    lines += [f"Not kept: {each}" for each in ran.left_out]
    lines += blocked_lines(result.blocked)
    if result.stdout.strip():
        lines.append(result.stdout.rstrip())
    if result.stderr.strip():
        lines += ["[stderr]", result.stderr.rstrip()]
    if not result.stdout.strip() and not result.stderr.strip():
        lines.append("[no output]")
    return "\n".join(lines)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _both(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if first is None or second is None else tuple(dict.fromkeys((*first, *second)))


def _how_it_ended(result: CommandResult, limit: int) -> str:
    if result.timed_out:
        return f"stopped: it ran longer than its limit of {limit} s, and everything it started was ended"
    return f"exit code {result.exit_code}"
