"""A fix run under way: its newest state, and all that its nodes work with. `app.fix_runs` puts one together.

Nodes are functions of this object alone. It is how they ask the model, run commands, try candidates and tell whoever
watches; each of these is counted in the state as it happens.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from mulligan.core.fault_localisation.plan import TracedRun, plan_trace
from mulligan.core.fix_runs.attempts import with_attempt
from mulligan.core.fix_runs.candidate_tests import (
    candidate_commands,
    candidate_limit,
    candidate_pace,
    forks_for,
    quick_runs_left,
)
from mulligan.core.fix_runs.guarded_files import judges_the_run
from mulligan.core.fix_runs.hanging_tests import hangs, interrupter_of
from mulligan.core.fix_runs.judging import failing_tests, read_check
from mulligan.core.fix_runs.next_node import PROFILES, may_check
from mulligan.core.fix_runs.planning import FOR_GOAL
from mulligan.core.fix_runs.prompt_parts import goal_shown
from mulligan.core.guided_coder.question_order import READS_PER_SECOND, WRITES_PER_SECOND, Pace
from mulligan.core.instructions import guided_instructions, system_instructions
from mulligan.core.program_repair.brief import Brief, tell_located
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.sandbox.approval import told
from mulligan.core.secrets import Mask, refuse_masks
from mulligan.core.writing.task import WritingTask, still_asked_for
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.fixing.report import RunFolder
from mulligan.models.whole_reply import whole_reply
from mulligan.ports.changes import ChangeRepository
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.commands import Commands
from mulligan.ports.files import Workspace
from mulligan.ports.instructions import InstructionSource
from mulligan.ports.models import Model
from mulligan.ports.outlets import Log
from mulligan.ports.runs import RunEmit, RunRepository
from mulligan.ports.tools import Tool
from mulligan.types.commands import CommandResult
from mulligan.types.errors import CallRejected
from mulligan.types.fixing import (
    Check,
    CommandRun,
    FailingTest,
    FailureEntry,
    Profile,
    ProjectCommand,
    Purpose,
    RunState,
)
from mulligan.types.frames import TurnEnd
from mulligan.types.model_io import ModelRequest, Usage
from mulligan.types.permissions import Permissions
from mulligan.types.profiles import ModelProfile
from mulligan.types.run_frames import CheckEnded, CheckStarted, RunNote
from mulligan.workspace.files.masked_files import MaskedFiles
from mulligan.workspace.run_tree import RunTree
from mulligan.workspace.test_tracing import run_forked, run_interrupted, run_traced

WATCH_SECONDS = 30.0
"""Beyond the time limit, for tests that are interrupted one after the other."""
SANDBOX_ADVICE = "`mulligan fix --network` and `mulligan sandbox allow` open more to the project's commands."


class CoderTurn(Protocol):
    """One turn of the coder in the run's work tree."""

    async def __call__(
        self, chat_id: str | None, prompt: str, *, steps: int, commands: Commands, limited: Callable[[Tool], Tool]
    ) -> TurnEnd:
        """`limited` is put around each tool. Without a chat a new one is made."""
        ...


@dataclass(slots=True)
class RunContext:
    """The state, the work tree, the stores, the model, and whoever watches."""

    state: RunState
    """The newest. It is stored after every node."""
    model: Model
    model_profile: Callable[[], ModelProfile]
    """What is known of the model by now."""
    coder_turn: CoderTurn
    tree: RunTree
    files: Workspace
    """Those of the work tree, as far as the person lets them be read."""
    permissions: Permissions
    """What the person says of files."""
    folder: RunFolder
    runs: RunRepository
    changes: ChangeRepository
    mask: Mask
    """Put on everything that is read for the model."""
    syntax: SyntaxCheck
    brief_tokens: int
    """How much of the model's context the coder's brief may take."""
    chars_per_token: float
    instructions: InstructionSource | None
    """Those in files of the project. A coder's turn reads them by itself."""
    instruction_room: int
    """Characters that they may take in a request."""
    emit: RunEmit
    log: Log
    clock: Callable[[], float]
    traces: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict[frozenset[str], tuple[str, ...]])
    """What tracers wrote, by the ids of the tests that failed."""
    preloads: bool = True
    """What tests load may be loaded before many candidates are tested: it starts no threads, as far as is known."""
    missing: tuple[WritingTask, ...] = ()
    """What nobody had written when the run began. Once it is written and tests still fail, it may be asked for anew."""

    @property
    def profile(self) -> Profile:
        return PROFILES[self.state.profile]

    @property
    def brief_chars(self) -> float:
        return self.brief_tokens * self.chars_per_token

    def update(self, **fields: Any) -> None:
        self.state = self.state.model_copy(update=fields)

    def record_attempt(self, **fields: Any) -> None:
        """What is known of the attempt under way."""
        self.state = with_attempt(self.state, **fields)

    def spend(self, **fields: Any) -> None:
        self.update(spent=self.state.spent.model_copy(update=fields))

    async def save(self) -> None:
        await self.runs.save(self.state)

    def note(self, text: str) -> None:
        self.emit(RunNote(run_id=self.state.id, text=text))

    async def ask(self, request: ModelRequest, *, note: str = "") -> str:
        """One question to the model, and its whole reply; a note tells who watches. Cancelling it closes the stream,
        and the server stops writing. Raises `ModelError`."""
        if note:
            self.note(note)
        reply = await whole_reply(self.model, request)
        self.count_model_use(1, reply.usage)
        return reply.text

    def count_model_use(self, calls: int, usage: Usage) -> None:
        spent = self.state.spent
        self.spend(model_calls=spent.model_calls + calls, usage=spent.usage + usage)

    async def brief(self, standing: Sequence[Check], attempt: int, *, traced: bool = True) -> Brief:
        """What the failures point to, for the coder. Where it may be `traced`, and was not yet for these failures, the
        failing tests are run once more to see what they run."""
        traces = await self._traces(standing) if traced else ()
        brief = await gather_brief(
            goal_shown(self.state, self.brief_chars * FOR_GOAL),
            standing,
            told="\n".join([self.state.goal, *(each.text for each in self.state.goal_texts)]),
            files=MaskedFiles(self.files, self.mask),
            traces=traces,
            budget_tokens=self.brief_tokens,
            chars_per_token=self.chars_per_token,
            attempt=attempt,
        )
        if traces and (told_ran := tell_located(brief)):
            self.note(told_ran)
        self.missing = self.missing or brief.missing
        brief = replace(brief, missing=still_asked_for(self.missing, brief.missing))
        if self.state.agency != "guided" or self.instructions is None:
            return brief
        near = await self.instructions.on_the_way_to(excerpt.path for excerpt in brief.sources)
        fitted = guided_instructions((*near, *await self.instructions.at_top()), brief.task)
        missing = tuple(replace(task, conventions=fitted.text) for task in brief.missing)
        return replace(brief, instructions=fitted.text, missing=missing)

    async def _traces(self, standing: Sequence[Check]) -> tuple[str, ...]:
        """Best effort, and kept: what ran is the same until a change is. What the tests leave is removed."""
        failing = frozenset(test.id for test in failing_tests(standing))
        if failing not in self.traces:
            took = {run.command: run.seconds for run in self.state.runs}
            # Tests that hang would hang again. Where they were interrupted says what a trace would.
            failed = [check for check in standing if not check.passed and not hangs(self.state, check.command)]
            planned = [plan_trace(check, took.get(check.command, 0.0)) for check in failed]
            wanted = [each for each in planned if each]
            found: list[str] = []
            if wanted and may_check(self.state, len(wanted)):
                before = await self.tree.keep("before the tests are watched")
                for each in wanted:
                    found += await self._run_traced(each)
                await self.tree.return_to(before)
            self.traces[failing] = tuple(found)
        return self.traces[failing]

    async def _run_traced(self, planned: TracedRun) -> tuple[str, ...]:
        began = self.clock()
        traces = await run_traced(self.tree.run, self.tree.folder, planned)
        spent = self.state.spent
        self.spend(checks=spent.checks + 1, check_seconds=spent.check_seconds + self.clock() - began)
        return traces

    async def planner_instructions(self) -> str:
        """What the planner is told of how work is done in this project."""
        files = await self.instructions.at_top() if self.instructions else ()
        return system_instructions(files, self.instruction_room, tools=False).text

    async def check_all(self, purpose: Purpose) -> tuple[Check, ...]:
        return tuple([await self.check(each, purpose) for each in self.state.commands])

    async def check(
        self, judged: ProjectCommand, purpose: Purpose, *, command: str | None = None, note: str = ""
    ) -> Check:
        """Run one of the project's commands, or a narrower form of it, in the work tree."""
        command = command or judged.command
        self.emit(CheckStarted(run_id=self.state.id, purpose=purpose, command=command, note=note))
        limit = candidate_limit(self.state, judged.command) if purpose == "candidate" else self.state.time_limit
        result = await self._run(judged, command, limit, is_candidate=purpose == "candidate")
        return self._checked(judged, purpose, result, note)

    def _checked(self, judged: ProjectCommand, purpose: Purpose, result: CommandResult, note: str) -> Check:
        """What a run says, counted and told."""
        for line in told(result.blocked) if purpose != "candidate" else ():
            # Nobody is asked in the middle of a run, so the person is told what to open.
            self.note(f"{line} {SANDBOX_ADVICE}")
        check = self._record(result, purpose, judged=judged.command, kind=judged.kind)
        spent = self.state.spent
        self.spend(checks=spent.checks + 1, check_seconds=spent.check_seconds + result.seconds)
        self.emit(
            CheckEnded(
                run_id=self.state.id,
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

    async def _run(self, judged: ProjectCommand, command: str, limit: float, *, is_candidate: bool) -> CommandResult:
        """A command that does not end is run once more, with its tests interrupted, so that they fail one by one."""
        interrupter = interrupter_of(command)
        watched = limit if is_candidate else limit + WATCH_SECONDS
        interrupted = partial(run_interrupted, self.tree.run, self.tree.folder, command, time_limit=watched)
        if interrupter and hangs(self.state, judged.command):
            result = await interrupted(interrupter, stops=is_candidate)
            if is_candidate or result.exit_code != 0:
                return result
        # What passes without being watched is what counts.
        result = await self.tree.run(command, time_limit=limit)
        if is_candidate or not result.timed_out or interrupter is None:
            return result
        self.note(
            "The tests did not end within the time limit: they are run again, and those that hang are interrupted."
        )
        again = await interrupted(interrupter, stops=False)
        if again.timed_out or again.exit_code == 0:
            return result
        self.update(hanging=tuple(dict.fromkeys((*self.state.hanging, judged.command))))
        # Counted, and not taken for what a run of these tests takes.
        spent = self.state.spent
        self.spend(checks=spent.checks + 1, check_seconds=spent.check_seconds + result.seconds)
        return again

    def record_coder_command(self, result: CommandResult) -> None:
        """A command that the model asked for. One that fails is part of the history, and no attempt."""
        check = self._record(result, "coder", judged=result.command, kind="lint")
        if not check.passed:
            self.add_failure(result.exit_code, check)

    def add_failure(self, exit_code: int | None, check: Check, *, attempts: int = 0) -> None:
        history, kind = self.state.history, check.kind or "unknown"
        entry = FailureEntry(command=check.command, exit_code=exit_code, kind=kind, summary=check.summary)
        entries = (*history.entries, entry)
        self.update(history=history.model_copy(update={"attempts": history.attempts + attempts, "entries": entries}))

    def checks_left(self) -> int:
        """How many quick runs are left. A slow one counts for several."""
        return quick_runs_left(self.state)

    def closed(self, path: str, *, existed: bool) -> str | None:
        """Why a file is not the coder's to change: the run is judged by it, or the person's rules deny it."""
        why = judges_the_run(path, self.state.commands, existed=existed)
        if why:
            return f"{why}, and the run is judged by it"
        if not self.permissions.rules:
            return None
        from mulligan.core.permissions import ToolUse, judge_use

        verdict = judge_use(ToolUse("edit_file", paths=(path,)), self.permissions)
        return "it is denied by the user's rules" if verdict.decision == "deny" else None

    async def write(self, path: str, text: str | None) -> None:
        r"""Give a file a new text, its lines joined by \n; None deletes it. Encoding and line endings, the last one
        too, are kept.

        Raises `CallRejected` for a file that is not the coder's to change.
        """
        if why := self.closed(path, existed=True):
            raise CallRejected("permission_denied", f"{path} can't be changed in a fix run: {why}.")
        if text is not None:
            refuse_masks(text, "\n".join(await self.lines_of(path) or ()))
        await self.tree.write_text(path, text)

    async def lines_of(self, path: str) -> tuple[str, ...] | None:
        """Of a file of the work tree; None if there is none that could be read."""
        try:
            return (await self.files.read_text(path)).lines
        except CallRejected:
            return None

    def pace(self) -> Pace:
        """What this machine can do: how long a test run takes, and how fast the model reads and writes."""
        test_seconds, slip_seconds = candidate_pace(self.state)
        profile = self.model_profile()
        return Pace(
            test_seconds=test_seconds,
            slip_seconds=slip_seconds,
            reads_per_second=profile.reads_per_second or READS_PER_SECOND,
            writes_per_second=profile.writes_per_second or WRITES_PER_SECOND,
        )

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        """Run these tests alone where that can be done; without any, all commands in full. None: no run is left."""
        wanted = candidate_commands(self.state, only)
        if not may_check(self.state, len(wanted)):
            return None
        return tuple([await self.check(each, "candidate", command=narrow, note=note) for each, narrow in wanted])

    async def test_many(self, candidates: Sequence[Candidate], *, only: Sequence[FailingTest]) -> tuple[Check, ...]:
        """The checks of the first of these candidates, as many as were run from one start of the test runner; none
        where that can't be done. It ends with one that passes, and leaves the files as they were."""
        wanted = candidate_commands(self.state, only)
        forks = forks_for(wanted)
        if forks is None or not may_check(self.state, len(candidates)):
            return ()
        judged, narrowed = wanted[0][0], wanted[0][1] or ""
        watched = interrupter_of(narrowed) if hangs(self.state, judged.command) else None
        before = {path: await self.lines_of(path) for path in dict.fromkeys(each.path for each in candidates)}
        texts = [text for each in candidates if (text := await self._data_with(each, before[each.path]))]
        if len(texts) < len(candidates):
            return ()
        try:
            ran = await run_forked(
                self.tree.run,
                self.tree.folder,
                narrowed,
                (forks, watched) if watched else (forks,),
                texts,
                time_limit=candidate_limit(self.state, judged.command),
                preloads=self.preloads,
            )
        finally:
            for path, lines in before.items():
                await self.write(path, "\n".join(lines or ()))
        self.preloads = self.preloads and not ran.threads
        return tuple(self._told_late(judged, each, one) for each, one in zip(ran.results, candidates, strict=False))

    async def _data_with(self, candidate: Candidate, lines: Sequence[str] | None) -> tuple[str, bytes] | None:
        """The file and what it holds with a change; None for what `write` refuses."""
        text = "\n".join(candidate.lines)
        try:
            if lines is None or self.closed(candidate.path, existed=True):
                return None
            refuse_masks(text, "\n".join(lines))
            return candidate.path, await self.tree.data_with(candidate.path, text)
        except CallRejected:
            return None

    def _told_late(self, judged: ProjectCommand, result: CommandResult, candidate: Candidate) -> Check:
        started = CheckStarted(run_id=self.state.id, purpose="candidate", command=result.command, note=candidate.note)
        self.emit(started)
        return self._checked(judged, "candidate", result, candidate.note)

    def _record(self, result: CommandResult, purpose: Purpose, *, judged: str, kind: str) -> Check:
        """Into the log and the state. The output is masked, since planner and coder are told of it, and has paths as
        the project has them, since those of the work tree mean nothing to anybody later."""
        stdout, stderr = (self.mask(self.tree.without_folder(text)).text for text in (result.stdout, result.stderr))
        check = read_check(replace(result, stdout=stdout, stderr=stderr), command=judged, kind=kind)
        run = CommandRun(
            number=len(self.state.runs) + 1,
            attempt=self.state.attempt,
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
        self.update(runs=(*self.state.runs, kept))
        return check
