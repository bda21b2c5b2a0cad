"""Frames of a fix run: what streams to whoever watches it, beside the frames of the coder's turns."""

from typing import Annotated, Literal

from mulligan.types.base import Record
from mulligan.types.field_rules import Tagged
from mulligan.types.fixing import (
    CommandFailure,
    FailureHistory,
    Node,
    Plan,
    ProfileName,
    ProjectCommand,
    Purpose,
    RunReason,
    RunVerdict,
    Spent,
)
from mulligan.types.profiles import Agency
from mulligan.types.turns import UNFINISHED, WAITING

MODEL_FAILED = 5


class RunStarted(Record):
    type: Literal["run_start"] = "run_start"
    run_id: str
    goal: str
    profile: ProfileName
    agency: Agency
    model: str
    commands: tuple[ProjectCommand, ...]
    folder: str
    """The work tree in which it works."""
    resumed: bool = False


class NodeEntered(Record):
    type: Literal["run_node"] = "run_node"
    run_id: str
    node: Node
    attempt: int
    """The one under way, from 1; 0 before the first."""
    attempts: int
    """How many have failed."""


class CheckStarted(Record):
    """A command of Mulligan's own begins: the baseline, the verifier, or the test of a candidate."""

    type: Literal["run_check_start"] = "run_check_start"
    run_id: str
    purpose: Purpose
    command: str
    note: str = ""
    """Of a candidate: what is tried."""


class CheckEnded(Record):
    type: Literal["run_check"] = "run_check"
    run_id: str
    purpose: Purpose
    command: str
    exit_code: int | None
    timed_out: bool
    seconds: float
    passed: bool
    kind: CommandFailure | None
    summary: str
    failing: int | None = None
    """How many tests fail, where the output tells."""
    note: str = ""


class PlanMade(Record):
    type: Literal["run_plan"] = "run_plan"
    run_id: str
    plan: Plan


class AttemptEnded(Record):
    """The verifier found the work wanting."""

    type: Literal["run_attempt_end"] = "run_attempt_end"
    run_id: str
    attempt: int
    kept: bool
    """A partial gain stays; anything else is discarded."""
    summary: str


class RunNote(Record):
    """Something that a person should know while it runs."""

    type: Literal["run_note"] = "run_note"
    run_id: str
    text: str


class RunEnd(Record):
    """The last frame of a run, whatever happened."""

    type: Literal["run_end"] = "run_end"
    run_id: str
    verdict: RunVerdict
    reason: RunReason
    explanation: str
    evidence: tuple[str, ...] = ()
    """What each command said before the run, and says of its result."""
    failure_history: FailureHistory
    done: bool
    files: tuple[str, ...]
    """Changed by the result."""
    pending: int
    """Pending changes."""
    applied: int
    report: str
    """The report's file."""
    spent: Spent
    seconds: float

    @property
    def exit_code(self) -> int:
        """What `mulligan` exits with. Never 0 for work that was not done."""
        if self.reason == "model_error":
            return MODEL_FAILED
        if self.verdict != "verified":
            return UNFINISHED
        return WAITING if self.pending else 0


RunFrame = Annotated[
    RunStarted | NodeEntered | CheckStarted | CheckEnded | PlanMade | AttemptEnded | RunNote | RunEnd,
    Tagged("type"),
]
