"""Fix runs: the commands that judge them, their results, and the state that is stored after every node."""

from typing import Annotated, Literal

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Converted
from mulligan.types.messages import AttachmentInfo
from mulligan.types.model_io import Usage
from mulligan.types.profiles import Agency

MAX_ATTEMPTS = 3
"""How many attempts of coder and verifier a run makes before it gives up."""
CHECK_RUNS = 4000
"""Commands that Mulligan itself runs in one run: the baseline, the verifier, tested candidates. Most are candidates, on
the failing tests alone, each far quicker than a question to a small model."""
QUICK_SECONDS = 0.1
"""A longer run counts as several of this length, at most `SLOW_COST`, when a guided coder spends its runs: it tests
about 130 changes if a run takes three seconds, and 40 in a slow project."""
SLOW_COST = 100
CHECK_SECONDS = 1800.0
"""Seconds that all of them together may take."""

CANDIDATE_SECONDS = 10.0
"""The least time limit for testing a candidate, so that a change that makes a loop endless does not use up the run's
time."""
CANDIDATE_SHARE = 4.0
"""A candidate's time limit, as a multiple of the command's first duration."""

_ATTEMPT = ("attempt", "cycle")
"""The field's names, the current one first. The oldest stored runs have the second."""

CommandFailure = Literal["test_failure", "lint_failure", "runtime_error", "tooling_error", "unknown"]
"""Why a command failed. `tooling_error`: it could not work at all: it was not found, there is no such script,
or the environment is broken."""

Node = Literal["baseline", "planner", "coder", "verifier", "snitch", "done"]
"""The steps of a run. `baseline` comes once, before the first plan; `done` is the end."""

RunVerdict = Literal["verified", "unverified", "failed"]

RunReason = Literal[
    "passed",
    "bounded_attempts_exceeded",
    "no_commands",
    "budget_used_up",
    "nothing_changed",
    "nothing_fails",
    "passed_unchanged",
    "tooling",
    "model_error",
    "gave_up",
]
"""`budget_used_up`: no runs, time or steps were left. `nothing_changed`: the coder changed nothing. `nothing_fails`:
the model is guided, and all commands passed at the start, so there is no failure to start from. `passed_unchanged`:
failed at first, then passed without a change. `tooling`: no command could work, before or after. `gave_up`: the planner
found no way."""

ProfileName = Literal["strict", "fast", "smoke", "yolo"]

Purpose = Literal["baseline", "verify", "candidate", "coder"]
"""Why a command was run. `coder`: the model asked for it."""


class RunProfile(Record):
    """Limits on what the model may ask for, over the whole run."""

    name: ProfileName
    commands: int
    tests: int
    """How many of these commands may run tests."""
    installs: bool
    app_runs: bool
    coder_steps: int


GIVEN = "--verify"
"""`ProjectCommand.why` of a command that the user gave."""


class ProjectCommand(Record):
    """A command whose result decides whether the project works."""

    command: str
    kind: Literal["test", "lint"]
    why: str
    """Its origin, such as `scripts.test in package.json`; `--verify` if the user gave it."""
    defined_in: tuple[str, ...] = ()
    """Files that define what the command does, relative to the project. A run does not change them."""


class FailingTest(Record):
    """A test, or another check, that fails."""

    id: str
    """Stable between runs: without line numbers, durations and addresses."""
    name: str
    """The test's own name: a function's name or a title. For a lint finding, its code."""
    path: str | None = None
    """The test's file, relative to the project, if the output names it."""
    message: str = ""
    """The error, in one line."""
    detail: str = ""
    """Some lines of the output about this failure: traceback, expected and actual values."""


class TestCounts(Record):
    """Counts from the test runner's own summary."""

    __test__ = False  # pytest would take it for a test

    passed: int = 0
    failed: int = 0
    skipped: int = 0


class TestReport(Record):
    """What could be read from a test runner's output."""

    __test__ = False

    failing: tuple[FailingTest, ...] = ()
    blocked: tuple[str, ...] = ()
    """Files whose tests could not run at all (an import or a syntax error, a build that failed); `*` for all."""
    counts: TestCounts | None = None


class Check(Record):
    """The result of one of the project's commands, without its output."""

    command: str
    passed: bool
    kind: CommandFailure | None = None
    """None if it passed."""
    summary: str = ""
    report: TestReport = TestReport()
    """The failures. If the output names none, the command itself counts as one."""


class FailureEntry(Record):
    command: str
    exit_code: int | None
    """None if it was stopped at the time limit."""
    kind: CommandFailure
    summary: str


class FailureHistory(Record):
    attempts: int = 0
    """How many attempts the verifier rejected."""
    entries: tuple[FailureEntry, ...] = ()
    """Failed commands of the verifier and the coder, in order."""


class CommandRun(Record):
    """A command that was run, with what the report shows of it."""

    number: int
    """Counted from 1, over the whole run."""
    attempt: int = field(aliases=_ATTEMPT)
    purpose: Purpose
    command: str
    exit_code: int | None
    timed_out: bool
    seconds: float
    passed: bool
    kind: CommandFailure | None
    summary: str
    stdout: str = ""
    """Head and tail of a long output. Not part of the stored state: the log has it."""
    stderr: str = ""
    log: str = ""
    """The file with its complete output, relative to the run's folder."""


class PlanStep(Record):
    step: str
    failure: str
    """The failure that this step is about; empty if none."""


class Plan(Record):
    next: Literal["coder", "verifier", "snitch"]
    plan: tuple[PlanStep, ...]
    reason: str
    by_mulligan: bool = False
    """Whether Mulligan made it, because the model gave no usable plan or was not asked."""


def _renamed(outcome: object) -> object:
    return "discarded" if outcome == "thrown_away" else outcome  # its first name, in stored runs


AttemptOutcome = Literal["passed", "kept", "discarded"]
"""The verifier's decision. `kept`: fewer failures and no new ones, so the next attempt builds on it."""


class AttemptRecord(Record):
    """One attempt: its plan, its changes and its result."""

    number: int
    plan: Plan
    files: tuple[str, ...] = ()
    """Files that the attempt changed."""
    diff: str = ""
    """Their diff since the attempt began. Of a long diff, as many hunks without context as fit."""
    checks: tuple[Check, ...] = ()
    """Results of the verifier's commands."""
    outcome: Annotated[AttemptOutcome | None, Converted(_renamed)] = None
    """None until the verifier has judged it."""
    summary: str = ""
    """The verifier's reason."""
    also_passing: tuple[str, ...] = ()
    """Diffs of other changes that pass everything too: the tests can't distinguish them from the one that was kept."""


class GoalText(Record):
    """A text that describes the goal, such as an issue. Anybody may have written it: the model reads it, no code obeys
    it."""

    name: str
    """Its file name."""
    text: str


class Spent(Record):
    """What a run has used."""

    commands: int = 0
    """Commands that the model asked for, tests included."""
    tests: int = 0
    steps: int = 0
    """Steps of the coder."""
    checks: int = 0
    """Commands that Mulligan itself ran."""
    check_seconds: float = 0.0
    model_calls: int = 0
    usage: Usage = Usage()


class RunState(Record):
    """The complete state of a fix run. Stored after every node, so that a killed run can continue from there."""

    id: str
    project: str
    """The user's project folder."""
    goal: str
    goal_texts: tuple[GoalText, ...] = ()
    """Files named in the goal, with their content when the run began."""
    goal_images: tuple[AttachmentInfo, ...] = ()
    """Images attached to the goal."""
    profile: ProfileName
    agency: Agency
    model: str
    asked_model: str | None = None
    """The model that the user named for this run; also used when it is resumed."""
    commands: tuple[ProjectCommand, ...]
    time_limit: float
    """Seconds that one command of the verifier may take."""
    started_at: float
    node: Node = "baseline"
    """The next node."""
    attempt: int = field(default=0, aliases=_ATTEMPT)
    """The current attempt, counted from 1; 0 before the first."""
    worktree_id: str | None = None
    chat_id: str | None = None
    """The chat of the run's first turn and of its changes. Later attempts have their own conversations."""
    base_snapshot: str | None = field(default=None, aliases=("base_snapshot", "base"))
    """The snapshot of the work tree before anything was run or changed."""
    attempt_snapshot: str | None = field(default=None, aliases=("attempt_snapshot", "start"))
    """The snapshot of the work tree when the current attempt began. If the attempt fails, its files return to this."""
    coder_snapshot: str | None = field(default=None, aliases=("coder_snapshot", "made"))
    """The snapshot of the work tree after the coder, before anything was run on it: this is verified and imported."""
    baseline: tuple[Check, ...] = ()
    current_checks: tuple[Check, ...] = field(default=(), aliases=("current_checks", "standing"))
    """The commands' results for the work kept so far; initially the baseline."""
    history: FailureHistory = FailureHistory()
    summary: str = ""
    """Summary of the last verification, for the planner."""
    plan: Plan | None = None
    """The latest plan."""
    attempts_made: tuple[AttemptRecord, ...] = ()
    """The attempts in order, the current one last. Empty in runs from before attempts were recorded."""
    restored_files: tuple[str, ...] = field(default=(), aliases=("restored_files", "taken_back"))
    """Files that judge the run and that the coder had changed in the current attempt; its changes were undone."""
    tried: tuple[str, ...] = ()
    """Changes that a guided coder has tested, so that none is tested twice."""
    files: tuple[str, ...] = ()
    """Files changed by the work kept so far."""
    spent: Spent = Spent()
    hanging: tuple[str, ...] = ()
    """Commands that exceeded the time limit; since then their tests are interrupted."""
    runs: tuple[CommandRun, ...] = ()
    done: bool = False
    verdict: RunVerdict | None = None
    reason: RunReason | None = None
    explanation: str = ""
    """Why it ended this way, in a sentence or two for the user."""
    ended_at: float | None = None
    """When everything was imported and reported; then nothing is left to resume."""
