"""Fix runs: what is run to judge them and its result, and the state that is stored after every node."""

from typing import Annotated, Literal

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Converted
from mulligan.types.messages import Attached
from mulligan.types.model_io import Usage
from mulligan.types.profiles import Agency

MAX_ATTEMPTS = 3
"""Attempts of coder and verifier before a run gives up."""
CHECK_RUNS = 4000
"""Commands that Mulligan itself runs in one run: the baseline, the verifier, tested candidates. Most are candidates, on
the failing tests alone, each far quicker than a question to a small model."""
QUICK_SECONDS = 0.1
"""A run that takes longer counts for as many quick ones when a guided coder shares them out, up to `SLOW_COST`: it
tests some 130 changes where a run takes three seconds, and 40 of a slow project."""
SLOW_COST = 100
CHECK_SECONDS = 1800.0
"""And how long all of them together may take."""

CANDIDATE_SECONDS = 10.0
"""The least time that the test of a candidate may take. A change that makes a loop endless must not take the run's."""
CANDIDATE_SHARE = 4.0
"""How many times as long as the command took at first."""

_ATTEMPT = ("attempt", "cycle")
"""Runs that were stored at first have the second name."""

CommandFailure = Literal["test_failure", "lint_failure", "runtime_error", "tooling_error", "unknown"]
"""Why a command failed. `tooling_error`: it could not do its work at all: not found, no such script, a broken
environment."""

Node = Literal["baseline", "planner", "coder", "verifier", "snitch", "done"]
"""Where a run is. `baseline` comes once, before the first plan; `done` is its end."""

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
"""`budget_used_up`: no run, time or step was left. `nothing_changed`: the coder left everything as it was.
`nothing_fails`: guided, and all commands passed before anything was done: there is no failure to start from.
`passed_unchanged`: red at first, then green without a change. `tooling`: no command could do its work, before and
after. `gave_up`: the planner saw no way."""

ProfileName = Literal["strict", "fast", "smoke", "yolo"]

Purpose = Literal["baseline", "verify", "candidate", "coder"]
"""Why a command was run; `coder`: the model asked for it."""


class Profile(Record):
    """What the model may ask for, counted over the whole run."""

    name: ProfileName
    commands: int
    tests: int
    """Of these commands, runs of tests."""
    installs: bool
    app_runs: bool
    coder_steps: int


GIVEN = "--verify"
"""Why a command judges that the person gave."""


class ProjectCommand(Record):
    """A command that judges the project."""

    command: str
    kind: Literal["test", "lint"]
    why: str
    """Where it was found, such as `scripts.test in package.json`; `--verify` if the person gave it."""
    defined_in: tuple[str, ...] = ()
    """Files that say what the command does, relative to the project. A run does not change them."""


class FailingTest(Record):
    """A test, or another check, that fails."""

    id: str
    """The same from run to run: no line numbers, durations or addresses in it."""
    name: str
    """Of the test alone: a function's name, or a title. For a lint finding its code."""
    path: str | None = None
    """Of its file, relative to the project, where the output tells it."""
    message: str = ""
    """What went wrong, in one line."""
    detail: str = ""
    """A few lines of the output about this failure: traceback, expected and got."""


class TestCounts(Record):
    """As the runner's own summary says."""

    __test__ = False  # pytest would take it for a test

    passed: int = 0
    failed: int = 0
    skipped: int = 0


class TestReport(Record):
    """What a runner's output says, as far as it could be told."""

    __test__ = False

    failing: tuple[FailingTest, ...] = ()
    blocked: tuple[str, ...] = ()
    """Files whose tests could not run at all (an import or a syntax error, a build that failed); `*` for all."""
    counts: TestCounts | None = None


class Check(Record):
    """What one of the project's commands said, without its output."""

    command: str
    passed: bool
    kind: CommandFailure | None = None
    """None if it passed."""
    summary: str = ""
    report: TestReport = TestReport()
    """Where the output tells of no single failure, the command itself stands for one."""


class FailureEntry(Record):
    command: str
    exit_code: int | None
    """None if it was stopped at its time limit."""
    kind: CommandFailure
    summary: str


class FailureHistory(Record):
    attempts: int = 0
    """How often the verifier found the work wanting."""
    entries: tuple[FailureEntry, ...] = ()
    """Of the verifier, and of commands that the coder ran, in order."""


class CommandRun(Record):
    """A command that was run, as the report has it."""

    number: int
    """From 1, over the whole run."""
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
    """Head and tail where it was long. Left out of the stored state: it is in the log."""
    stderr: str = ""
    log: str = ""
    """The file with its whole output, relative to the run's folder."""


class PlanStep(Record):
    step: str
    failure: str
    """Which failure this is for; empty where it is for none."""


class Plan(Record):
    next: Literal["coder", "verifier", "snitch"]
    plan: tuple[PlanStep, ...]
    reason: str
    by_mulligan: bool = False
    """Made by code, since the model gave none that could be used, or was not asked."""


def _renamed(outcome: object) -> object:
    return "discarded" if outcome == "thrown_away" else outcome  # its first name, in stored runs


AttemptOutcome = Literal["passed", "kept", "discarded"]
"""What the verifier made of an attempt. `kept`: fewer failures and none new, so that the next attempt builds on it."""


class AttemptRecord(Record):
    """What one attempt planned and changed, and its result."""

    number: int
    plan: Plan
    files: tuple[str, ...] = ()
    """That it changed."""
    diff: str = ""
    """Of these, since the attempt began; where it was long, its hunks without context as far as they fit."""
    checks: tuple[Check, ...] = ()
    """What the verifier's commands said of it."""
    outcome: Annotated[AttemptOutcome | None, Converted(_renamed)] = None
    """None until it is judged."""
    summary: str = ""
    """Why, in the verifier's words."""
    also_passing: tuple[str, ...] = ()
    """Diffs of other changes with which everything passes: the tests don't tell them from the one that was kept."""


class GoalText(Record):
    """A text that tells more of the goal, such as an issue. Written by anybody: it is shown to the model and obeyed by
    no code."""

    name: str
    """Its file."""
    text: str


class Spent(Record):
    """What a run used up."""

    commands: int = 0
    """That the model asked for, tests among them."""
    tests: int = 0
    steps: int = 0
    """Of the coder."""
    checks: int = 0
    """Commands that Mulligan ran itself."""
    check_seconds: float = 0.0
    model_calls: int = 0
    usage: Usage = Usage()


class RunState(Record):
    """All that a fix run is at a moment. Stored after every node, so that a killed run goes on from there."""

    id: str
    project: str
    """The person's folder."""
    goal: str
    goal_texts: tuple[GoalText, ...] = ()
    """Files that the goal names, as they were when the run began."""
    goal_images: tuple[Attached, ...] = ()
    """Images that go with the goal."""
    profile: ProfileName
    agency: Agency
    model: str
    asked_model: str | None = None
    """That the person named for this run; it is resumed with it."""
    commands: tuple[ProjectCommand, ...]
    time_limit: float
    """Seconds for one verifying command."""
    started_at: float
    node: Node = "baseline"
    """What comes next."""
    attempt: int = field(default=0, aliases=_ATTEMPT)
    """The attempt that runs, from 1; 0 before the first."""
    worktree_id: str | None = None
    chat_id: str | None = None
    """That of the run's first turn and of its changes. Later attempts are conversations of their own."""
    base: str | None = None
    """The moment of the work tree before anything was run or changed."""
    start: str | None = None
    """The moment of the work tree that the attempt under way began at: what a failed attempt is thrown back to."""
    made: str | None = None
    """The moment of the work tree after the coder, before anything was run on it: what is verified and brought back."""
    baseline: tuple[Check, ...] = ()
    standing: tuple[Check, ...] = ()
    """What the commands say of the work kept so far: at first the baseline."""
    history: FailureHistory = FailureHistory()
    summary: str = ""
    """Of the last verification, for the planner."""
    plan: Plan | None = None
    """The newest."""
    attempts_made: tuple[AttemptRecord, ...] = ()
    """In order, the one under way last. Runs that were stored before there were records have none."""
    taken_back: tuple[str, ...] = ()
    """Files that judge the run, which the coder had changed in the attempt under way."""
    tried: tuple[str, ...] = ()
    """Changes that a guided coder has tested by now, so that none is tested twice."""
    files: tuple[str, ...] = ()
    """Changed by the work kept so far."""
    spent: Spent = Spent()
    hanging: tuple[str, ...] = ()
    """Commands that did not end within the time limit; their tests are interrupted since."""
    runs: tuple[CommandRun, ...] = ()
    done: bool = False
    verdict: RunVerdict | None = None
    reason: RunReason | None = None
    explanation: str = ""
    """Why it ended so, in a sentence or two for a person."""
    ended_at: float | None = None
    """Set when all is brought back and reported: nothing is left to resume."""
