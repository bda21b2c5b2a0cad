"""The texts for states: the same in the terminal, on the page and in documents.

A state that is missing here has the same name in code and for users: `pending`, `applied`, `reverted`, `queued`,
`verified`, `interrupted`. These are matches because pyright then reports a case that is missing.
"""

from typing import Literal, get_args

from mulligan.types.base import Record
from mulligan.types.checkpoints import CheckpointKind
from mulligan.types.fixing import AttemptOutcome, CommandFailure, Node, Purpose, RunReason
from mulligan.types.fleet import JobReason
from mulligan.types.sentinels import SENTINEL_STYLES, SentinelStyle
from mulligan.types.tool_calls import FailureKind
from mulligan.types.turns import STOPS, StopReason, StopRecord

Exit = Literal["exit_code", "signal", "timed_out"]

EXITS: dict[Exit, str] = {
    "exit_code": "exit code {}",
    "signal": "ended by signal {}",
    "timed_out": "stopped at its time limit",
}


class NodeWords(Record):
    """A node of a fix run."""

    name: str
    task: str
    """What it does, as an imperative."""


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
            return "the run's budget of commands, time or steps was used up"
        case "nothing_changed":
            return "nothing was changed"
        case "nothing_fails":
            return "all commands passed before any change, and a guided run starts from a failure"
        case "passed_unchanged":
            return "commands that failed at first passed later without any change"
        case "tooling":
            return "the commands could not run, neither before the changes nor after"
        case "model_error":
            return "the model could not be reached, or failed"
        case "gave_up":
            return "the planner saw no way to continue"


def job_reason_words(reason: JobReason) -> str:
    """Why a fleet's job ended without a verdict, as a part of a sentence."""
    match reason:
        case "cancelled":
            return "it was cancelled"
        case "refused":
            return "it can't be done as requested"
        case "time_limit":
            return "it exceeded its time limit"
        case "memory_limit":
            return "its process exceeded its memory limit"
        case "process_limit":
            return "it exceeded its process limit"
        case "poisoned":
            return "its process, its worker or its model server failed every time it was started"


def node_words(node: Node) -> NodeWords:
    match node:
        case "baseline":
            return NodeWords(name="Baseline", task="Run the project's commands before any change")
        case "planner":
            return NodeWords(name="Planner", task="Decide what to change, and for which failure")
        case "coder":
            return NodeWords(name="Coder", task="Change files in a work tree")
        case "verifier":
            return NodeWords(name="Verifier", task="Run the project's commands again")
        case "snitch":
            return NodeWords(name="Snitch", task="Report what still fails")
        case "done":
            return NodeWords(name="Done", task="The commands pass")


def purpose_words(purpose: Purpose) -> str:
    """Why a fix run ran a command."""
    match purpose:
        case "baseline":
            return "before any change"
        case "verify":
            return "verification"
        case "candidate":
            return "candidate"
        case "coder":
            return "coder"


def command_failure_words(kind: CommandFailure | None) -> str:
    """How a command of a fix run failed."""
    match kind:
        case "test_failure":
            return "tests fail"
        case "lint_failure":
            return "lint fails"
        case "runtime_error":
            return "the program crashed"
        case "tooling_error":
            return "the command could not run"
        case "unknown" | None:
            return "failed"


def exit_words(exit_code: int | None) -> str:
    """How a command ended; None if it was stopped at its time limit."""
    if exit_code is None:
        return EXITS["timed_out"]
    return EXITS["signal" if exit_code < 0 else "exit_code"].format(abs(exit_code))


def attempt_words(outcome: AttemptOutcome | None) -> str:
    """The verifier's judgement of an attempt of a fix run."""
    match outcome:
        case "passed":
            return "passed"
        case "kept":
            return "kept as partial progress"
        case "discarded":
            return "discarded"
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
    """The names of states of turns, calls, runs and checkpoints."""

    stops: dict[StopReason, StopRecord]
    sentinels: dict[str, SentinelStyle]
    """By kind."""
    failures: dict[FailureKind, str]
    """How a call of a tool failed."""
    run_reasons: dict[RunReason, str]
    """Why a fix run ended."""
    job_reasons: dict[JobReason, str]
    """Why a fleet's job ended without a verdict."""
    attempts: dict[AttemptOutcome, str]
    """The verifier's judgement of an attempt of a fix run."""
    nodes: dict[Node, NodeWords]
    """The nodes of a fix run."""
    purposes: dict[Purpose, str]
    """Why a fix run ran a command."""
    command_failures: dict[CommandFailure, str]
    """How a command of a fix run failed."""
    exits: dict[Exit, str]
    """How a command ended; `{}` stands for the number."""
    checkpoints: dict[CheckpointKind, str]
    """Why a checkpoint was made."""


def all_words() -> Words:
    return Words(
        stops=STOPS,
        sentinels=SENTINEL_STYLES,
        failures={kind: failure_words(kind) for kind in get_args(FailureKind)},
        run_reasons={reason: run_reason_words(reason) for reason in get_args(RunReason)},
        job_reasons={reason: job_reason_words(reason) for reason in get_args(JobReason)},
        attempts={outcome: attempt_words(outcome) for outcome in get_args(AttemptOutcome)},
        nodes={node: node_words(node) for node in get_args(Node)},
        purposes={purpose: purpose_words(purpose) for purpose in get_args(Purpose)},
        command_failures={kind: command_failure_words(kind) for kind in get_args(CommandFailure)},
        exits=EXITS,
        checkpoints={kind: checkpoint_words(kind) for kind in get_args(CheckpointKind)},
    )
