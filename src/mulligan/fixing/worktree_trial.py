"""What a guided coder works with: the run's work tree to try things in, and the run's budget to try them with."""

from collections.abc import Sequence
from typing import Protocol

from mulligan.core.fix_runs.guarded_files import judges_the_run
from mulligan.core.fix_runs.next_node import quick_runs_left
from mulligan.core.program_repair.brief import Brief
from mulligan.core.project_commands import narrow
from mulligan.core.secrets import refuse_masks
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.fixing.recorder import RunRecorder
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.files import Workspace
from mulligan.types.errors import CallRejected
from mulligan.types.fixing import Check, FailingTest
from mulligan.types.model_io import ModelRequest
from mulligan.workspace.files.masked_files import MaskedFiles


class WorktreeTrial:
    """A `Trial` over one run."""

    def __init__(self, recorder: RunRecorder) -> None:
        self._records = recorder
        self.files: Workspace = recorder.context.tree.files
        self.syntax: SyntaxCheck = recorder.context.syntax

    async def brief(self, standing: Sequence[Check], attempt: int) -> Brief:
        context = self._records.context
        return await gather_brief(
            self._records.state.goal,
            standing,
            files=MaskedFiles(self.files, context.mask),
            index=context.index(),
            budget_tokens=context.brief_tokens,
            chars_per_token=context.chars_per_token,
            attempt=attempt,
        )

    async def write(self, path: str, text: str) -> None:
        why = judges_the_run(path, self._records.state.commands, existed=True)
        if why:
            raise CallRejected("permission_denied", f"{path} is what the run is judged by: {why}.")
        refuse_masks(text, "\n".join((await self.files.read_text(path)).lines))
        await self._records.context.tree.write_text(path, text)

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        """Of the commands that fail, the narrow form; all of them in full where nothing is named."""
        state = self._records.state
        wanted = {test.id for test in only}
        red = [check for check in state.standing if not check.passed] if only else list(state.standing)
        commands = {each.command: each for each in state.commands}
        judged = [check for check in red if not only or any(test.id in wanted for test in check.report.failing)]
        if not self._records.may_check(len(judged)):
            return None
        checks: list[Check] = []
        for check in judged:
            tests = [test for test in check.report.failing if test.id in wanted]
            narrowed = narrow(check.command, tests) if tests else None
            checks.append(await self._records.check(commands[check.command], "candidate", command=narrowed, note=note))
        return tuple(checks)

    async def ask(self, request: ModelRequest) -> str:
        return await self._records.ask(request)

    def checks_left(self) -> int:
        return quick_runs_left(self._records.state)


class Trial(Protocol):
    """What a guided coder works with: a tree of files, the tests on it, and a model."""

    @property
    def files(self) -> Workspace: ...

    @property
    def syntax(self) -> SyntaxCheck: ...

    async def brief(self, standing: Sequence[Check], attempt: int) -> Brief: ...

    async def write(self, path: str, text: str) -> None:
        r"""Give a file a new text, its lines joined by \n. Encoding and line endings, the last one too, are kept.

        Raises `CallRejected` for a file that the run is judged by.
        """
        ...

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        """Run these tests alone where that can be done; without any, all commands in full. None: no run is left."""
        ...

    async def ask(self, request: ModelRequest) -> str:
        """What the model says. Raises `ModelError`."""
        ...

    def checks_left(self) -> int:
        """How many quick runs are left. A slow one counts for several."""
        ...
