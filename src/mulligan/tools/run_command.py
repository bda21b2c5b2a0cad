"""Run a command in the project, as far as the policy and the person allow."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import Field

from mulligan.core.command_policy import judge_command
from mulligan.core.sandbox.approval import decide, granted, second_try, told
from mulligan.core.secrets import refuse_masks
from mulligan.ports.commands import Approve, Commands
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record
from mulligan.types.commands import CommandKind, CommandResult, CommandRules, Verdict
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Failed, Outcome, Succeeded

SECONDS_BY_DEFAULT = 120
SECONDS_AT_MOST = 600

MAY_WRITE: frozenset[CommandKind] = frozenset({"write", "install", "git", "unknown", "network", "build", "app"})


class RunCommandArguments(Record):
    command: str = Field(min_length=1, description="For bash, run in the project's folder, without a terminal.")
    timeout: int = Field(default=SECONDS_BY_DEFAULT, ge=1, description="Seconds; 120 if left out, at most 600.")


class RunCommand:
    def __init__(
        self,
        commands: Commands,
        approve: Approve,
        waiting: Callable[[], Awaitable[int]],
        rules: CommandRules,
        *,
        project: str | None = None,
    ) -> None:
        """`waiting` counts the staged changes that the command will not see. `project` is its folder, so that
        absolute paths into it are known as such."""
        self._commands = commands
        self._approve = approve
        self._waiting = waiting
        self._rules = rules
        self._project = project
        self._succeeded: set[str] = set()
        description = "Run a shell command: tests, linters, builds, searches. To change files use the edit tools."
        # The command has a limit of its own, and its process must be ended in order.
        self.spec = tool_spec("run_command", description, RunCommandArguments, time_limit=None)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(RunCommandArguments, arguments)
        refuse_masks(asked.command)
        judged = judge_command(asked.command, rules=self._rules, project=self._project)
        verdict = decide(judged, await self._commands.standing())
        await self._permit(asked.command, verdict)
        limit = min(asked.timeout, SECONDS_AT_MOST)
        # Asked first: edits of the same reply that stand before the command are done by then.
        waiting = await self._waiting()
        result = await self._commands.run(asked.command, time_limit=limit, openings=granted(verdict))
        again = second_try(verdict, result.blocked)
        if again and await self._approve(asked.command, again):
            result = await self._commands.run(asked.command, time_limit=limit, openings=granted(again))
        content = show_result(result, limit=limit, waiting=waiting)
        if result.timed_out or result.exit_code != 0:
            return Failed("exec_error", content)
        return Succeeded(content, progress=self._is_progress(asked.command, verdict))

    async def _permit(self, command: str, verdict: Verdict) -> None:
        if verdict.decision == "deny":
            raise CallRejected("permission_denied", f"The command was not run. {verdict.reason}")
        if verdict.decision == "ask" and not await self._approve(command, verdict):
            raise CallRejected(
                "permission_denied",
                f"The command was not run: it needs a yes from the user and did not get one. {verdict.reason} "
                "Go on without it, or in another way.",
            )

    def _is_progress(self, command: str, verdict: Verdict) -> bool:
        """Only the first time: a command repeated for ever must not pass for work."""
        is_new = command not in self._succeeded
        self._succeeded.add(command)
        return is_new and not verdict.kinds.isdisjoint(MAY_WRITE)


def show_result(result: CommandResult, *, limit: int, waiting: int) -> str:
    """What the model reads."""
    lines = [f"{_how_it_ended(result, limit)} ({result.seconds:.1f} s)"]
    if waiting:
        changes, pronoun = ("change is", "it") if waiting == 1 else ("changes are", "them")
        lines.append(f"Note: {waiting} staged {changes} not applied yet, so this command did not see {pronoun}.")
    lines += told(result.blocked)
    if result.stdout.strip():
        lines.append(result.stdout.rstrip())
    if result.stderr.strip():
        lines += ["[stderr]", result.stderr.rstrip()]
    if not result.stdout.strip() and not result.stderr.strip():
        lines.append("[no output]")
    return "\n".join(lines)


def _how_it_ended(result: CommandResult, limit: int) -> str:
    if result.timed_out:
        return f"stopped: it ran longer than its limit of {limit} s, and everything it started was ended"
    return f"exit code {result.exit_code}"
