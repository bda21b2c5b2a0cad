"""What a run puts around the coder's tools: budgets over the whole run, and files that are not its to change."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from posixpath import normpath
from typing import Any

from mulligan.core.command_policy import judge_command
from mulligan.core.fix_runs.guarded_files import judges_the_run
from mulligan.core.fix_runs.next_node import refuse_command, spend
from mulligan.fixing.recorder import RunRecorder
from mulligan.ports.commands import Commands
from mulligan.ports.tools import Tool
from mulligan.types.commands import CommandResult
from mulligan.types.sandbox import CLOSED, Openings, Standing
from mulligan.types.tool_calls import Failed, Outcome, ToolSpec
from mulligan.workspace.commands import shortened

EDITS = frozenset({"create_file", "delete_file", "edit_file"})


class RecordedCommands:
    """Commands of the coder, each noted in the run. The log has all of the output, the model what fits."""

    def __init__(self, commands: Commands, recorder: RunRecorder) -> None:
        self._commands = commands
        self._records = recorder

    async def run(self, command: str, *, time_limit: float, openings: Openings = CLOSED) -> CommandResult:
        result = await self._commands.run(command, time_limit=time_limit, openings=openings)
        self._records.record_coder_command(result)
        return replace(result, stdout=shortened(result.stdout), stderr=shortened(result.stderr))

    async def standing(self) -> Standing:
        return await self._commands.standing()


def limited(recorder: RunRecorder) -> Callable[[Tool], Tool]:
    """Puts a run's limits around a tool that needs them."""

    def around(tool: Tool) -> Tool:
        if tool.spec.name == "run_command":
            return _Budgeted(tool, recorder)
        return _Guarded(tool, recorder) if tool.spec.name in EDITS else tool

    return around


class _Budgeted:
    """A command over the profile's budget is skipped, and says so."""

    def __init__(self, tool: Tool, recorder: RunRecorder) -> None:
        self._tool = tool
        self._records = recorder

    @property
    def spec(self) -> ToolSpec:
        return self._tool.spec

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        kinds = judge_command(str(arguments.get("command", "")), project=str(self._records.context.tree.folder)).kinds
        spent = self._records.state.spent
        refusal = refuse_command(self._records.context.profile, spent, kinds)
        if refusal:
            return Failed("permission_denied", f"skipped: {refusal}")
        # Counted before it runs: calls of one reply run side by side.
        self._records.update(spent=spend(spent, kinds))
        return await self._tool.run(arguments)


class _Guarded:
    """An edit of what the run is judged by is refused at once. Commands can write too: so the verifier looks again."""

    def __init__(self, tool: Tool, recorder: RunRecorder) -> None:
        self._tool = tool
        self._records = recorder

    @property
    def spec(self) -> ToolSpec:
        return self._tool.spec

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        folder = self._records.context.tree.folder
        path = normpath(str(arguments.get("path", "")).removeprefix(f"{folder}/"))
        existed = (folder / path).exists()
        why = judges_the_run(path, self._records.state.commands, existed=existed)
        if why:
            return Failed(
                "permission_denied",
                f"{path} can't be changed in a fix run: {why}, and the run is judged by it. Change the code instead.",
            )
        return await self._tool.run(arguments)
