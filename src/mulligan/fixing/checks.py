"""Running the commands that judge a fix run: each result is read, counted, logged and published."""

from dataclasses import dataclass, replace
from functools import partial

from mulligan.core.fix_runs.candidate_tests import candidate_limit
from mulligan.core.fix_runs.hanging_tests import hangs, interrupter_of
from mulligan.core.fix_runs.judging import read_check
from mulligan.core.sandbox.approval import blocked_lines
from mulligan.core.secrets import Mask
from mulligan.fixing.progress import RunProgress
from mulligan.fixing.report import RunFolder
from mulligan.types.commands import CommandResult
from mulligan.types.fixing import Check, CommandRun, ProjectCommand, Purpose
from mulligan.types.run_frames import CheckEnded, CheckStarted
from mulligan.workspace.run_tree import RunTree
from mulligan.workspace.traced_tests import run_interrupted

WATCH_SECONDS = 30.0
"""Beyond the time limit, for tests that are interrupted one after the other."""
SANDBOX_ADVICE = "`mulligan fix --network` and `mulligan sandbox allow` give the project's commands more access."


@dataclass(frozen=True, slots=True)
class CheckRunner:
    progress: RunProgress
    tree: RunTree
    folder: RunFolder
    mask: Mask

    async def run_all(self, purpose: Purpose) -> tuple[Check, ...]:
        return tuple([await self.run(each, purpose) for each in self.progress.state.commands])

    async def run(
        self, judged: ProjectCommand, purpose: Purpose, *, command: str | None = None, note: str = ""
    ) -> Check:
        """Run one of the project's commands, or a narrower form of it, in the work tree."""
        command, state = command or judged.command, self.progress.state
        self.progress.emit(CheckStarted(run_id=state.id, purpose=purpose, command=command, note=note))
        is_candidate = purpose == "candidate"
        limit = candidate_limit(state, judged.command, command) if is_candidate else state.time_limit
        result = await self._result_of(judged, command, limit, is_candidate=is_candidate)
        return self.publish(judged, purpose, result, note)

    def publish(self, judged: ProjectCommand, purpose: Purpose, result: CommandResult, note: str) -> Check:
        """Count and publish the result of a run."""
        for line in blocked_lines(result.blocked) if purpose != "candidate" else ():
            # We can't ask in the middle of a run, so tell the user what to allow.
            self.progress.note(f"{line} {SANDBOX_ADVICE}")
        check = self._record(result, purpose, judged=judged.command, kind=judged.kind)
        self.progress.count_check(result.seconds)
        self.progress.emit(
            CheckEnded(
                run_id=self.progress.state.id,
                purpose=purpose,
                command=result.command,
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

    async def _result_of(
        self, judged: ProjectCommand, command: str, limit: float, *, is_candidate: bool
    ) -> CommandResult:
        """If a command does not end, run it once more with its tests interrupted, so that they fail one by one."""
        interrupter = interrupter_of(command)
        watched = limit if is_candidate else limit + WATCH_SECONDS
        interrupted = partial(run_interrupted, self.tree.run, self.tree.folder, command, time_limit=watched)
        if interrupter and hangs(self.progress.state, judged.command):
            result = await interrupted(interrupter, stops=is_candidate)
            if is_candidate or result.exit_code != 0:
                return result
        # Only a pass without the watchdog counts.
        result = await self.tree.run(command, time_limit=limit)
        if is_candidate or not result.timed_out or interrupter is None:
            return result
        self.progress.note(
            "The tests did not end within the time limit: running them again, and interrupting those that hang."
        )
        again = await interrupted(interrupter, stops=False)
        if again.timed_out or again.exit_code == 0:
            return result
        self.progress.update(hanging=tuple(dict.fromkeys((*self.progress.state.hanging, judged.command))))
        # Counted, but not used as the duration of these tests.
        self.progress.count_check(result.seconds)
        return again

    def record_coder_command(self, result: CommandResult) -> None:
        """A command that the model asked for. If it fails, it goes into the history, but is not an attempt."""
        check = self._record(result, "coder", judged=result.command, kind="lint")
        if not check.passed:
            self.progress.add_failure(result.exit_code, check)

    def _record(self, result: CommandResult, purpose: Purpose, *, judged: str, kind: str) -> Check:
        """Write to the log and the state. The output is masked, since planner and coder see it, and its paths are those
        of the project, since those of the work tree mean nothing later."""
        stdout, stderr = (self.mask(self.tree.without_folder(text)).text for text in (result.stdout, result.stderr))
        check = read_check(replace(result, stdout=stdout, stderr=stderr), command=judged, kind=kind)
        run = CommandRun(
            number=len(self.progress.state.runs) + 1,
            attempt=self.progress.state.attempt,
            purpose=purpose,
            command=result.command,
            exit_code=result.exit_code,
            timed_out=result.timed_out,
            seconds=round(result.seconds, 3),
            passed=check.passed,
            kind=check.kind,
            summary=check.summary,
            stdout=stdout,
            stderr=stderr,
        )
        kept = run.model_copy(update={"stdout": "", "stderr": "", "log": self.folder.log(run)})
        self.progress.update(runs=(*self.progress.state.runs, kept))
        return check
