"""What states are called, for people: the same in the terminal, on the page and in documents.

A state that is missing here goes by its name in code: `pending`, `applied`, `reverted`, `verified`. These are matches
because pyright reports what is forgotten in one.
"""

from typing import get_args

from mulligan.types.base import Record
from mulligan.types.checkpoints import CheckpointKind
from mulligan.types.fixing import AttemptOutcome, RunReason
from mulligan.types.fleet import JobReason
from mulligan.types.sentinels import LOOKS, SentinelStyle
from mulligan.types.tool_calls import FailureKind
from mulligan.types.turns import STOPS, StopReason, StopRecord


def run_reason_words(reason: RunReason) -> str:
    """Why a fix run ended, as a part of a sentence."""
    match reason:
        case "passed":
            return "the project's own commands pass"
        case "bounded_attempts_exceeded":
            return "all attempts were made, and the project's commands still fail"
        case "no_commands":
            return "no command was found that tests the project, so nothing could be verified"
        case "budget_used_up":
            return "the commands, the time or the steps that a run may take were used up"
        case "nothing_changed":
            return "nothing was changed"
        case "nothing_fails":
            return "all commands passed before anything was done, and a guided run starts from a failure"
        case "passed_unchanged":
            return "commands that failed at first passed later with nothing changed"
        case "tooling":
            return "the commands could not do their work, before any change and after"
        case "model_error":
            return "the model could not be reached, or failed"
        case "gave_up":
            return "the planner saw no way to go on"


def job_reason_words(reason: JobReason) -> str:
    """Why a job of a fleet ended that came to no verdict, as a part of a sentence."""
    match reason:
        case "cancelled":
            return "it was cancelled"
        case "refused":
            return "it can't be done as it was asked for"
        case "time_limit":
            return "it took longer than it may"
        case "memory_limit":
            return "its process took more memory than it may"
        case "process_limit":
            return "it started more processes than it may"
        case "poisoned":
            return "its process, its worker or its model server failed each time it was begun"


def attempt_words(outcome: AttemptOutcome | None) -> str:
    """What became of an attempt of a fix run."""
    match outcome:
        case "passed":
            return "passed"
        case "kept":
            return "kept, as a part of the goal"
        case "thrown_away":
            return "thrown away"
        case None:
            return "not judged"


def failure_words(kind: FailureKind) -> str:
    """How a call of a tool failed."""
    match kind:
        case "schema_reject":
            return "arguments refused"
        case "tool_not_found":
            return "no such tool"
        case "exec_error":
            return "failed"
        case "api_error":
            return "service failed"
        case "permission_denied":
            return "not allowed"


def checkpoint_words(kind: CheckpointKind) -> str:
    match kind:
        case "manual":
            return "made by hand"
        case "turn":
            return "before a turn"
        case "safety":
            return "before a restore"


class Words(Record):
    """What a page calls the states of turns, calls, runs and checkpoints."""

    stops: dict[StopReason, StopRecord]
    sentinels: dict[str, SentinelStyle]
    """By kind."""
    failures: dict[FailureKind, str]
    """How a call of a tool failed."""
    run_reasons: dict[RunReason, str]
    """Why a fix run ended."""
    job_reasons: dict[JobReason, str]
    """Why a job of a fleet ended that came to no verdict."""
    attempts: dict[AttemptOutcome, str]
    """What became of an attempt of a fix run."""
    checkpoints: dict[CheckpointKind, str]
    """What a checkpoint was made for."""


def all_words() -> Words:
    return Words(
        stops=STOPS,
        sentinels=LOOKS,
        failures={kind: failure_words(kind) for kind in get_args(FailureKind)},
        run_reasons={reason: run_reason_words(reason) for reason in get_args(RunReason)},
        job_reasons={reason: job_reason_words(reason) for reason in get_args(JobReason)},
        attempts={outcome: attempt_words(outcome) for outcome in get_args(AttemptOutcome)},
        checkpoints={kind: checkpoint_words(kind) for kind in get_args(CheckpointKind)},
    )
