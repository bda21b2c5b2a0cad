"""A run's state while a node works on it: every command that is run goes into it, into the log, and to who watches."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mulligan.core.fix_runs.judging import read_check
from mulligan.core.fix_runs.next_node import candidate_limit, may_check
from mulligan.core.sandbox.approval import told
from mulligan.fixing.context import RunContext
from mulligan.types.commands import CommandResult
from mulligan.types.fixing import Check, CommandRun, FailureEntry, ProjectCommand, Purpose, RunState
from mulligan.types.model_io import ModelRequest, Usage
from mulligan.types.run_frames import CheckEnded, CheckStarted, RunNote

SANDBOX_ADVICE = "`mulligan fix --network` and `mulligan sandbox allow` open more to the project's commands."


class RunRecorder:
    """Holds the newest state. A node begins with one and returns its state."""

    def __init__(self, context: RunContext, state: RunState) -> None:
        self.context = context
        self.state = state

    def update(self, **fields: Any) -> None:
        self.state = self.state.model_copy(update=fields)

    async def save(self) -> None:
        """In the middle of a node, where a kill must not lose what is known."""
        await self.context.store.save_run(self.state)

    def note(self, text: str) -> None:
        self.context.emit(RunNote(run_id=self.state.id, text=text))

    async def check(
        self, judged: ProjectCommand, purpose: Purpose, *, command: str | None = None, note: str = ""
    ) -> Check:
        """Run one of the project's commands, or a narrower form of it, in the work tree."""
        command = command or judged.command
        run_id = self.state.id
        self.context.emit(CheckStarted(run_id=run_id, purpose=purpose, command=command, note=note))
        limit = candidate_limit(self.state, judged.command) if purpose == "candidate" else self.state.time_limit
        result = self._from_folder(await self.context.tree.run(command, time_limit=limit))
        if purpose != "candidate":
            self._say_what_was_blocked(result)
        check = read_check(result, command=judged.command, kind=judged.kind)
        self._record(result, purpose, passed=check.passed, kind=check.kind, summary=check.summary)
        spent = self.state.spent
        self._spend(checks=spent.checks + 1, check_seconds=spent.check_seconds + result.seconds)
        self.context.emit(
            CheckEnded(
                run_id=run_id,
                purpose=purpose,
                command=command,
                exit_code=result.exit_code,
                timed_out=result.timed_out,
                seconds=result.seconds,
                passed=check.passed,
                kind=check.kind,
                summary=check.summary,
                failing=None if check.passed else len(check.report.failing),
                note=note,
            )
        )
        return check

    def _say_what_was_blocked(self, result: CommandResult) -> None:
        """Nobody is asked in the middle of a run, so the person is told what to open."""
        for line in told(result.blocked):
            self.note(f"{line} {SANDBOX_ADVICE}")

    async def check_all(self, purpose: Purpose, *, note: str = "") -> tuple[Check, ...]:
        return tuple([await self.check(each, purpose, note=note) for each in self.state.commands])

    def may_check(self, runs: int) -> bool:
        return may_check(self.state, runs)

    def record_coder_command(self, result: CommandResult) -> None:
        """A command that the model asked for. One that fails is part of the history, and no attempt."""
        result = self._from_folder(result)
        check = read_check(result, command=result.command, kind="lint")
        self._record(result, "coder", passed=check.passed, kind=check.kind, summary=check.summary)
        if not check.passed:
            self.add_failure(result.command, result.exit_code, check)

    def add_failure(self, command: str, exit_code: int | None, check: Check, *, attempts: int = 0) -> None:
        history = self.state.history
        entry = FailureEntry(command=command, exit_code=exit_code, kind=check.kind or "unknown", summary=check.summary)
        entries = (*history.entries, entry)
        self.update(history=history.model_copy(update={"attempts": history.attempts + attempts, "entries": entries}))

    async def ask(self, request: ModelRequest) -> str:
        """One question to the model, counted. Raises `ModelError`."""
        text, usage = await self.context.ask(request)
        self.record_model_use(1, usage)
        return text

    def record_model_use(self, calls: int, usage: Usage) -> None:
        spent = self.state.spent
        self._spend(model_calls=spent.model_calls + calls, usage=spent.usage + usage)

    def _from_folder(self, result: CommandResult) -> CommandResult:
        """With paths as the project has them, since those of the work tree mean nothing to anybody later, and with
        secrets masked: planner and coder are told of it."""
        folder = self.context.tree.folder
        roots = [f"{root}/" for root in dict.fromkeys((str(folder), str(folder.resolve())))]

        def shortened(text: str) -> str:
            for root in roots:
                text = text.replace(f"file://{root}", "").replace(root, "")
            return text

        mask = self.context.mask
        stdout, stderr = (mask(shortened(text)).text for text in (result.stdout, result.stderr))
        return replace(result, stdout=stdout, stderr=stderr)

    def _record(self, result: CommandResult, purpose: Purpose, **outcome: Any) -> None:
        fields: Mapping[str, Any] = {
            "number": len(self.state.runs) + 1,
            "cycle": self.state.cycle,
            "purpose": purpose,
            "command": result.command,
            "exit_code": result.exit_code,
            "timed_out": result.timed_out,
            "seconds": round(result.seconds, 3),
            "stdout": result.stdout,
            "stderr": result.stderr,
            **outcome,
        }
        run = CommandRun.model_validate(fields)
        log = self.context.folder.log(run)
        kept = run.model_copy(update={"stdout": "", "stderr": "", "log": log})
        self.update(runs=(*self.state.runs, kept))

    def _spend(self, **fields: Any) -> None:
        self.update(spent=self.state.spent.model_copy(update=fields))
