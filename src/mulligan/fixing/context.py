"""A running fix run: its current state, and everything its nodes work with. `app.fix_runs` builds one.

Nodes are functions of this object alone. Through it they ask the model, run commands, try candidates and publish
frames; `RunProgress` counts each of these as it happens.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from mulligan.core.fault_localisation.plan import TracedRun, plan_trace
from mulligan.core.fix_runs.candidate_tests import (
    batch_runner_for,
    candidate_commands,
    candidate_limit,
    candidate_pace,
    quick_runs_left,
)
from mulligan.core.fix_runs.hanging_tests import hangs, interrupter_of
from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.judging_files import judges_the_run
from mulligan.core.fix_runs.next_node import may_check
from mulligan.core.fix_runs.planning import FOR_GOAL
from mulligan.core.fix_runs.prompt_parts import goal_shown
from mulligan.core.guided_coder.question_order import READS_PER_SECOND, WRITES_PER_SECOND, Pace
from mulligan.core.instructions import guided_instructions, system_instructions
from mulligan.core.program_repair.brief import Brief, summarize_located
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.replies import Reply
from mulligan.core.secrets import Mask, refuse_masks
from mulligan.core.writing.task import WritingTask, still_asked_for
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.fixing.checks import CheckRunner
from mulligan.fixing.progress import RunProgress
from mulligan.fixing.report import RunFolder
from mulligan.models.whole_reply import whole_reply
from mulligan.ports.callbacks import Log
from mulligan.ports.changes import ChangeRepository
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.commands import Approve, Commands
from mulligan.ports.files import Workspace
from mulligan.ports.hooks import Hooks
from mulligan.ports.instructions import InstructionSource
from mulligan.ports.models import Model
from mulligan.ports.tools import Tool
from mulligan.types.changes import FileState
from mulligan.types.commands import CommandResult
from mulligan.types.errors import CallRejected
from mulligan.types.fixing import Check, FailingTest, ProjectCommand
from mulligan.types.frames import TurnEnd
from mulligan.types.model_io import ModelRequest, TokenChoices
from mulligan.types.permissions import Permissions
from mulligan.types.profiles import ModelProfile
from mulligan.types.run_frames import CheckStarted
from mulligan.workspace.files.masked_files import MaskedFiles
from mulligan.workspace.run_tree import RunTree
from mulligan.workspace.traced_tests import run_batch, run_traced

SHOW_CHOICES = frozenset({"llama.cpp", "embedded"})
"""Kinds of servers that can be made to write a given text, and say what else the model would have written."""


class CoderTurn(Protocol):
    """One turn of the coder in the run's work tree."""

    async def __call__(
        self, chat_id: str | None, prompt: str, *, steps: int, commands: Commands, limited: Callable[[Tool], Tool]
    ) -> TurnEnd:
        """`limited` wraps each tool. Without a chat, a new one is created."""
        ...


@dataclass(slots=True, kw_only=True)
class RunContext(RunProgress):
    """The run's progress, its work tree, its model, and what else its nodes work with."""

    model: Model
    model_profile: Callable[[], ModelProfile]
    """What is known about the model so far."""
    coder_turn: CoderTurn
    tree: RunTree
    files: Workspace
    """Files of the work tree that the user allows to be read."""
    permissions: Permissions
    """The user's rules about files."""
    approve: Approve
    """Asks the user."""
    hooks: Hooks | None
    """The user's hooks. The tools of a coder's turn fire them themselves."""
    agent: str
    """Name of the agent that is the coder."""
    folder: RunFolder
    changes: ChangeRepository
    mask: Mask
    """Applied to everything that is read for the model."""
    syntax: SyntaxCheck
    brief_tokens: int
    """How much of the model's context the coder's brief may take."""
    chars_per_token: float
    instructions: InstructionSource | None
    """Instructions in files of the project. A coder's turn reads them itself."""
    instruction_char_limit: int
    """Most characters they may take in a request."""
    log: Log
    clock: Callable[[], float]
    checks: CheckRunner = field(init=False)
    traces: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict[frozenset[str], tuple[str, ...]])
    """What tracers recorded, by the ids of the failed tests."""
    preloads: bool = True
    """Whether what tests import may be loaded once for many candidates: as far as we know, it starts no threads."""
    batch_files: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The only test files that a narrowed command needs, as far as its runner told them."""
    missing: tuple[WritingTask, ...] = ()
    """What was missing when the run started. Once it is written and tests still fail, the model may write it again."""

    def __post_init__(self) -> None:
        self.checks = CheckRunner(self, self.tree, self.folder, self.mask)

    @property
    def brief_chars(self) -> float:
        return self.brief_tokens * self.chars_per_token

    async def ask(self, request: ModelRequest, *, note: str = "") -> str:
        """One question to the model, and its whole reply; a note informs subscribers. Cancelling it closes the stream,
        and the server stops writing. Raises `ModelError`."""
        reply, _ = await self.ask_with_choices(request, note=note)
        return reply.text

    async def ask_with_choices(
        self, request: ModelRequest, *, note: str = ""
    ) -> tuple[Reply, tuple[TokenChoices, ...]]:
        """The same, with what the model would rather have written at each token, if the request asks for that."""
        if note:
            self.note(note)
        reply = await whole_reply(self.model, request)
        self.count_model_use(1, reply.usage)
        return reply, reply.choices

    def shows_choices(self) -> bool:
        """Whether the model's server can say what it would have written at each token."""
        return self.model_profile().kind in SHOW_CHOICES

    async def brief(self, current_checks: Sequence[Check], attempt: int, *, traced: bool = True) -> Brief:
        """What the failures point to, for the coder. If it may be `traced`, and was not yet for these failures, the
        failing tests run once more to see what they run."""
        traces = await self._traces(current_checks) if traced else ()
        brief = await gather_brief(
            goal_shown(self.state, self.brief_chars * FOR_GOAL),
            current_checks,
            user_text="\n".join([self.state.goal, *(each.text for each in self.state.goal_texts)]),
            files=MaskedFiles(self.files, self.mask),
            traces=traces,
            budget_tokens=self.brief_tokens,
            chars_per_token=self.chars_per_token,
            attempt=attempt,
        )
        if traces and (located := summarize_located(brief)):
            self.note(located)
        self.missing = self.missing or brief.missing
        brief = replace(brief, missing=still_asked_for(self.missing, brief.missing))
        if self.state.agency != "guided" or self.instructions is None:
            return brief
        near = await self.instructions.on_the_way_to(excerpt.path for excerpt in brief.sources)
        fitted = guided_instructions((*near, *await self.instructions.at_top()), brief.task)
        missing = tuple(replace(task, conventions=fitted.text) for task in brief.missing)
        return replace(brief, instructions=fitted.text, missing=missing)

    async def _traces(self, current_checks: Sequence[Check]) -> tuple[str, ...]:
        """Best effort, and cached: what ran stays the same until a change. Removes what the tests leave behind."""
        failing = frozenset(test.id for test in failing_tests(current_checks))
        if failing not in self.traces:
            took = {run.command: run.seconds for run in self.state.runs}
            # Tests that hang would hang again. Where they were interrupted says as much as a trace.
            failed = [check for check in current_checks if not check.passed and not hangs(self.state, check.command)]
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
        self.count_check(self.clock() - began)
        return traces

    async def planner_instructions(self) -> str:
        """What the planner is told about how work is done in this project."""
        files = await self.instructions.at_top() if self.instructions else ()
        return system_instructions(files, self.instruction_char_limit, tools=False).text

    def checks_left(self) -> int:
        """How many quick runs are left. A slow one counts for several."""
        return quick_runs_left(self.state)

    def why_not_editable(self, path: str, *, existed: bool) -> str | None:
        """Why the coder may not change a file: it judges the run, or the user's rules deny it."""
        why = judges_the_run(path, self.state.commands, existed=existed)
        if why:
            return f"{why}, and the run is judged by it"
        if not self.permissions.rules:
            return None
        from mulligan.core.permissions import ToolUse, judge_use

        verdict = judge_use(ToolUse("edit_file", paths=(path,)), self.permissions)
        return "it is denied by the user's rules" if verdict.decision == "deny" else None

    async def write(self, path: str, text: str) -> None:
        r"""Give a file a new text, its lines joined by \n. Keeps encoding and line endings, including the last one.

        Raises `CallRejected` for a file that the coder may not change.
        """
        if why := self.why_not_editable(path, existed=True):
            raise CallRejected("permission_denied", f"{path} can't be changed in a fix run: {why}.")
        lines = await self.lines_of(path)
        if lines is None and await self.tree.has_file(path):
            raise CallRejected("exec_error", f"{path} can't be read, so a change of it could not be undone.")
        refuse_masks(text, "\n".join(lines or ()))
        await self.tree.write_text(path, text)

    async def file_state(self, path: str) -> FileState | None:
        """The file as it is, for `put_back`; None if there is none. Raises `CallRejected`."""
        return await self.tree.file_state(path)

    async def put_back(self, path: str, state: FileState | None) -> None:
        """Undo a change of a file exactly: lines alone tell neither its encoding nor its line endings."""
        await self.tree.put_back(path, state)

    async def keep_gain(self, tried: Iterable[str]) -> None:
        """Store what the attempt has gained so far, and what it tried: a run that is killed now is resumed with it."""
        self.update(coder_snapshot=await self.tree.keep(f"attempt {self.state.attempt}, so far"), tried=tuple(tried))
        await self.save()

    async def lines_of(self, path: str) -> tuple[str, ...] | None:
        """Text of a file of the work tree; None if it can't be read."""
        try:
            return (await self.files.read_text(path)).lines
        except CallRejected:
            return None

    def pace(self) -> Pace:
        """This machine's speed: how long a test run takes, and how fast the model reads and writes."""
        test_seconds, slip_seconds = candidate_pace(self.state)
        profile = self.model_profile()
        return Pace(
            test_seconds=test_seconds,
            slip_seconds=slip_seconds,
            reads_per_second=profile.reads_per_second or READS_PER_SECOND,
            writes_per_second=profile.writes_per_second or WRITES_PER_SECOND,
        )

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        """Run only these tests if possible; without any, all commands in full. None: no run is left."""
        wanted = candidate_commands(self.state, only)
        if not may_check(self.state, len(wanted)):
            return None
        return tuple([await self.checks.run(each, "candidate", command=narrow, note=note) for each, narrow in wanted])

    async def test_many(self, candidates: Sequence[Candidate], *, only: Sequence[FailingTest]) -> tuple[Check, ...]:
        """The checks of the first of these candidates, as many as were run from one start of the test runner; none
        if that is impossible. Stops at one that passes, and leaves the files unchanged."""
        wanted = candidate_commands(self.state, only)
        batch_runner = batch_runner_for(wanted)
        if batch_runner is None or not may_check(self.state, len(candidates)):
            return ()
        judged, narrowed = wanted[0][0], wanted[0][1] or ""
        watched = interrupter_of(narrowed) if hangs(self.state, judged.command) else None
        texts = [text for each in candidates if (text := await self._data_with(each))]
        if len(texts) < len(candidates):
            return ()
        before = {path: await self.file_state(path) for path in dict.fromkeys(each.path for each in candidates)}
        try:
            ran = await run_batch(
                self.tree.run,
                self.tree.folder,
                narrowed,
                (batch_runner, watched) if watched else (batch_runner,),
                texts,
                time_limit=candidate_limit(self.state, judged.command, narrowed, together=True),
                preloads=self.preloads,
                files=self.batch_files.get(narrowed, ()),
            )
        finally:
            for path, state in before.items():
                await self.put_back(path, state)
        self.preloads = self.preloads and not ran.threads
        self.batch_files[narrowed] = ran.files
        return tuple(self._published(judged, each, one) for each, one in zip(ran.results, candidates, strict=False))

    async def _data_with(self, candidate: Candidate) -> tuple[str, bytes] | None:
        """The file and its content with a change; None for what `write` refuses."""
        text, lines = "\n".join(candidate.lines), await self.lines_of(candidate.path)
        try:
            if lines is None or self.why_not_editable(candidate.path, existed=True):
                return None
            refuse_masks(text, "\n".join(lines))
            return candidate.path, await self.tree.data_with(candidate.path, text)
        except CallRejected:
            return None

    def _published(self, judged: ProjectCommand, result: CommandResult, candidate: Candidate) -> Check:
        started = CheckStarted(run_id=self.state.id, purpose="candidate", command=result.command, note=candidate.note)
        self.emit(started)
        return self.checks.publish(judged, "candidate", result, candidate.note)
