"""A fix run as a tool: minutes of work, reported step by step."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from mulligan.app.fix_requests import FixRequest
from mulligan.app.fix_runs import FixRuns
from mulligan.app.project_tools import deny_unasked
from mulligan.app.session import Session
from mulligan.core.permissions import ToolUse, judge_use
from mulligan.core.sandbox.approval import decide
from mulligan.ports.runs import RunEmit
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.errors import CallRejected
from mulligan.types.fixing import ProfileName
from mulligan.types.permissions import COMMAND_TOOL
from mulligan.types.run_frames import AttemptEnded, CheckEnded, NodeEntered, PlanMade, RunEnd, RunNote, RunStarted
from mulligan.types.tool_calls import Failed, Outcome, Succeeded

Report = Callable[[str], Awaitable[None]]
"""Reports one step to the client."""

TIME_LIMIT = 300


class FixArguments(Record):
    goal: str = field(min_length=1, description="What to reach, such as: make the tests pass.")
    verify: tuple[str, ...] = field(
        default=(), description="Commands that judge the result; found in the project if left out."
    )
    profile: ProfileName = field(default="fast", description="How much the run may do.")
    apply: bool = field(default=False, description="Apply a verified result; else its changes are pending.")


FIX_SPEC = tool_spec(
    "fix",
    "Let Mulligan work on a goal with its own model, in a work tree of its own, until the project's tests verify it. "
    "Takes minutes. Nothing in the checkout changes unless `apply` is set and the result is verified.",
    FixArguments,
    time_limit=None,
)


class Fix:
    """Made for one call: it reports progress to that call's client."""

    spec = FIX_SPEC

    def __init__(self, session: Session, report: Report) -> None:
        self._session = session
        self._report = report

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(FixArguments, arguments)
        await self._refuse(asked.verify)
        request = FixRequest(asked.goal.strip(), asked.profile, asked.verify, TIME_LIMIT)
        steps: asyncio.Queue[str] = asyncio.Queue()
        reporting = asyncio.create_task(self._report_steps(steps))
        try:
            end = await FixRuns(self._session, _into(steps), deny_unasked).start(request, apply=asked.apply)
            await steps.join()
        finally:
            reporting.cancel()
            with suppress(asyncio.CancelledError):
                await reporting
        return Succeeded(_summary(end)) if end.verdict == "verified" else Failed("exec_error", _summary(end))

    async def _refuse(self, commands: tuple[str, ...]) -> None:
        """A model wrote these, so they are judged like the commands of a turn. Raises `CallRejected`."""
        project, permissions = self._session.settings.project, self._session.permissions()
        for command in commands:
            confinement = await self._session.sandbox(project, undoable=True).confinement()
            judged = judge_use(ToolUse(COMMAND_TOOL, command), permissions, project=str(project))
            verdict = decide(judged, confinement)
            if verdict.decision != "allow":
                why = "" if verdict.decision == "deny" else "It needs the user's approval, and nobody can be asked. "
                words = f"fix was not called: `{command}` may not be run. {why}{verdict.reason}"
                raise CallRejected(
                    "permission_denied", f"{words} Without `verify`, the project's own commands judge it."
                )

    async def _report_steps(self, steps: asyncio.Queue[str]) -> None:
        while True:
            words = await steps.get()
            try:
                await self._report(words)
            finally:
                steps.task_done()


def _into(steps: asyncio.Queue[str]) -> RunEmit:
    def emit(frame: object) -> None:
        if words := step_words(frame):
            steps.put_nowait(words)

    return emit


def step_words(frame: object) -> str:
    """One step of a run, in a line; empty for frames that are not a step."""
    match frame:
        case RunStarted():
            return f"run {frame.run_id} with {frame.model}: {', '.join(each.command for each in frame.commands)}"
        case NodeEntered():
            return f"{frame.node}, attempt {frame.attempt}" if frame.attempt else frame.node
        case CheckEnded():
            return f"{frame.command}: {'passed' if frame.passed else frame.summary or 'failed'}"
        case PlanMade():
            return f"plan: {frame.plan.reason}"
        case AttemptEnded():
            return f"attempt {frame.attempt}: {frame.summary}"
        case RunNote():
            return frame.text
        case RunEnd():
            return f"{frame.verdict}: {frame.explanation}"
        case _:
            return ""


def _summary(end: RunEnd) -> str:
    lines = [f"{end.verdict}: {end.explanation}", *end.evidence]
    if end.files:
        lines.append(f"Changed: {', '.join(end.files)}")
    if end.applied:
        lines.append(f"{end.applied} changes were applied.")
    if end.pending:
        lines.append(f"{end.pending} changes are pending: `mulligan changes` shows them, and applies those you want.")
    lines.append(f"Report: {end.report}")
    return "\n".join(lines)
