"""A tool behind the user's permissions and hooks."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mulligan.core.permissions import ReadingRules, ToolUse, judge_use
from mulligan.core.provenance import CHANGING, READING
from mulligan.ports.commands import Approve
from mulligan.ports.hooks import Hooks
from mulligan.ports.tools import Tool
from mulligan.types.errors import CallRejected, ReadNeedsApproval
from mulligan.types.hooks import HookAnswer
from mulligan.types.permissions import COMMAND_TOOL, Permissions
from mulligan.types.tool_calls import AwaitsAnswer, Failed, Outcome, ToolSpec


@dataclass(frozen=True, slots=True)
class ToolGuard:
    """What wraps all tools of a turn."""

    meant: Callable[[str], tuple[str, ...]]
    """All paths from the project that a tool may take a given one for."""
    permissions: Permissions
    """Those about tools and files. Commands are judged where they run."""
    approve: Approve
    tell: Callable[[str], None]
    reading: ReadingRules | None = None
    hooks: Hooks | None = None
    about: Mapping[str, Any] | None = None
    """What hooks get about the turn."""


class GuardedTool:
    """Checks rules, user and hooks before the tool runs, and hooks afterwards."""

    def __init__(self, tool: Tool, guard: ToolGuard) -> None:
        self._tool = tool
        self._guard = guard

    @property
    def spec(self) -> ToolSpec:
        """As the tool has it now. The user may take their time to answer, and so may a hook: the limit only applies to
        the tool."""
        return replace(self._tool.spec, time_limit=None)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        path = arguments.get("path")
        paths = await asyncio.to_thread(self._guard.meant, path) if isinstance(path, str) else ()
        refusal = await self._refuse(arguments, paths) or await self._refuse_by_hook(arguments, paths)
        if refusal:
            raise CallRejected("permission_denied", refusal)
        try:
            outcome = await self._run_permitted(arguments)
        except CallRejected as rejected:
            await self._afterwards(Failed(rejected.kind, str(rejected)), arguments, paths)
            raise
        return await self._afterwards(outcome, arguments, paths)

    async def _run_permitted(self, arguments: Mapping[str, Any]) -> Outcome:
        try:
            return await self._run(arguments)
        except ReadNeedsApproval as needed:
            if not await self._may_read(needed.path):
                raise
        return await self._run(arguments)

    async def _may_read(self, path: str) -> bool:
        reading = self._guard.reading
        if reading is None or not (await self._guard.approve(f"{self.spec.name} {path}", reading(path))).granted:
            return False
        reading.grant(path)
        return True

    async def _run(self, arguments: Mapping[str, Any]) -> Outcome:
        limit = self._tool.spec.time_limit
        try:
            async with asyncio.timeout(limit):
                return await self._tool.run(arguments)
        except TimeoutError:
            return Failed("exec_error", f"{self.spec.name} did not finish within {limit:g} s and was stopped.")

    async def _refuse(self, arguments: Mapping[str, Any], paths: tuple[str, ...]) -> str:
        name = self.spec.name
        if name == COMMAND_TOOL or name in CHANGING:
            # A command is judged with the sandbox, a change with the file's real path and the pending changes.
            return ""
        # So are reads, by the code that reads.
        verdict = judge_use(ToolUse(name, paths=() if name in READING else paths), self._guard.permissions)
        if verdict.decision == "deny":
            return f"{name} was not called. {verdict.reason}"
        if verdict.decision == "allow":
            return ""
        shown = " ".join([name, *(f"{key}={value!r}" for key, value in arguments.items())])
        answer = await self._guard.approve(shown, verdict)
        reply = f" The user said: {answer.reason}" if answer.reason else ""
        no = f"{name} was not called: it needs the user's approval and did not get it. {verdict.reason}{reply}"
        return "" if answer.granted else no

    async def _refuse_by_hook(self, arguments: Mapping[str, Any], paths: tuple[str, ...]) -> str:
        if not self._guard.hooks:
            return ""
        payload = {**(self._guard.about or {}), "arguments": dict(arguments)}
        answer = await self._guard.hooks.fire("before_tool", payload, tool=self.spec.name, paths=paths)
        if answer.veto:
            return f"{self.spec.name} was not called: a hook of the user said no. {answer.veto}"
        if answer.troubles:
            # Nothing has checked it, so it is not approved.
            self._tell(answer)
            return f"{self.spec.name} was not called: {'; '.join(answer.troubles)}, so nobody has checked it."
        return ""

    async def _afterwards(self, outcome: Outcome, arguments: Mapping[str, Any], paths: tuple[str, ...]) -> Outcome:
        hooks = self._guard.hooks
        if not hooks or isinstance(outcome, AwaitsAnswer):
            return outcome
        failure = outcome.kind if isinstance(outcome, Failed) else None
        about = {**(self._guard.about or {}), "arguments": dict(arguments)}
        payload = {**about, "result": outcome.content, "failure": failure}
        answers = [await hooks.fire("after_tool", payload, tool=self.spec.name, paths=paths)]
        changed = paths if self.spec.name in CHANGING else outcome.trace.changed
        if changed and failure is None:
            answers.append(await hooks.fire("after_edit", payload, tool=self.spec.name, paths=changed))
        for answer in answers:
            self._tell(answer)
            if answer.veto:
                content = f"{outcome.content}\n\nIt is done, but a hook of the user says: {answer.veto}"
                outcome = replace(outcome, content=content)
        return outcome

    def _tell(self, answer: HookAnswer) -> None:
        for trouble in answer.troubles:
            self._guard.tell(trouble)
