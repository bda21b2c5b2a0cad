"""Limits that a run puts around the coder's tools: budgets over the whole run, and files it may not change."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from posixpath import normpath
from typing import Any

from mulligan.core.command_policy import judge_command
from mulligan.core.fix_runs.next_node import refuse_command, spend
from mulligan.core.provenance import CHANGING
from mulligan.fixing.context import RunContext
from mulligan.ports.tools import Tool
from mulligan.types.commands import CommandResult
from mulligan.types.sandbox import NO_EXTRA_ACCESS, Confinement, ExtraAccess
from mulligan.types.tool_calls import Failed, Outcome, ToolSpec
from mulligan.workspace.commands import shortened


class RecordedCommands:
    """The coder's commands, each recorded in the run. The log has the full output, the model sees what fits."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def run(self, command: str, *, time_limit: float, access: ExtraAccess = NO_EXTRA_ACCESS) -> CommandResult:
        result = await self._context.tree.run(command, time_limit=time_limit, access=access)
        self._context.checks.record_coder_command(result)
        return replace(result, stdout=shortened(result.stdout), stderr=shortened(result.stderr))

    async def confinement(self) -> Confinement:
        return await self._context.tree.confinement()


def limited(context: RunContext) -> Callable[[Tool], Tool]:
    """Wraps tools that need it in a run's limits."""

    def around(tool: Tool) -> Tool:
        if tool.spec.name == "run_command":
            return _LimitedTool(tool, partial(_refuse_command, context))
        return _LimitedTool(tool, partial(_refuse_edit, context)) if tool.spec.name in CHANGING else tool

    return around


class _LimitedTool:
    """A tool that is not run if there is a reason against it; the model is told the reason."""

    def __init__(self, tool: Tool, refuse: Callable[[Mapping[str, Any]], str | None]) -> None:
        self._tool = tool
        self._refuse = refuse

    @property
    def spec(self) -> ToolSpec:
        return self._tool.spec

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        refusal = self._refuse(arguments)
        return Failed("permission_denied", refusal) if refusal else await self._tool.run(arguments)


def _refuse_command(context: RunContext, arguments: Mapping[str, Any]) -> str | None:
    """A command over the profile's budget is skipped."""
    kinds = judge_command(str(arguments.get("command", "")), project=str(context.tree.folder)).kinds
    spent = context.state.spent
    refusal = refuse_command(context.profile, spent, kinds)
    if refusal:
        return f"skipped: {refusal}"
    # Counted before it runs, since calls of one reply run in parallel.
    context.update(spent=spend(spent, kinds))
    return None


def _refuse_edit(context: RunContext, arguments: Mapping[str, Any]) -> str | None:
    """Refuses an edit to a file that judges the run. Commands can write too, so the verifier checks again."""
    folder = context.tree.folder
    path = normpath(str(arguments.get("path", "")).removeprefix(f"{folder}/"))
    why = context.why_not_editable(path, existed=(folder / path).exists())
    return f"{path} can't be changed in a fix run: {why}. Change the code instead." if why else None
