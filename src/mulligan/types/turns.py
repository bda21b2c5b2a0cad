"""How a turn ends: one record for each reason, with everything shown or done about it."""

from typing import Literal, get_args

from mulligan.types.base import Record
from mulligan.types.frozen import frozen

StopReason = Literal[
    "answered",
    "step_cap",
    "doom_loop",
    "mistakes",
    "empty_reply",
    "model_error",
    "aborted",
    "paused",
    "synthesized",
]

UNFINISHED, WAITING = 4, 6
"""Exit codes: ended unverified or failed; waiting for the user to answer or approve."""


@frozen
class StopRecord:
    """What is shown and done for one stop reason."""

    label: str
    """A short label for the user."""
    exit_code: int
    """The exit code of `mulligan`. A turn with pending changes or refused edits has another."""
    sentence: str = ""
    """An explanation, used if no sentinel gives one."""
    told_to_model: str = ""
    """The reason that the model is given for its last call without tools, a status report. Only for stops by a guard.
    """
    can_continue: bool = False
    """Whether the user is offered to continue."""
    status: Literal["complete", "failed", "cancelled"] = "complete"
    """The status of the turn's message."""

    @property
    def by_guard(self) -> bool:
        return bool(self.told_to_model)

    @property
    def has_answer(self) -> bool:
        """Whether the last step's text is an answer or a status report, not just progress."""
        return self.by_guard or self.exit_code == 0


class TurnWork(Record):
    """What a turn of a writing agent did, from recorded facts, whatever the model says about it."""

    files: tuple[str, ...] = ()
    """Files that differ from those at the start of the turn, pending or applied."""
    passed: tuple[str, ...] = ()
    """Commands whose last run exited with 0."""
    ran: tuple[str, ...] = ()
    """Commands whose exit code 0 proves nothing, such as `pytest | tail`."""
    failed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    """Problems that the project's checkers report now but not before the turn."""
    missing: bool = False
    """Whether a change was asked for and there is none."""
    text: str = ""
    """A summary in a sentence: `Changed a.py and b.py; pytest passed.`"""


def _stop(reason: StopReason) -> StopRecord:
    """A `match`, so that pyright reports a missing reason."""
    match reason:
        case "answered":
            return StopRecord(label="Answered", exit_code=0, sentence="The model answered.")
        case "synthesized":
            sentence = "The model answered from the files behind what its tools had found."
            return StopRecord(label="Answered from the files", exit_code=0, sentence=sentence)
        case "step_cap":
            return _guard("steps used up", "the steps for this turn are used up", can_continue=True)
        case "doom_loop":
            why = "the same thing was done over and over without anything changing"
            return _guard("going in circles", why, can_continue=True)
        case "mistakes":
            return _guard("repeated errors", "tool calls kept failing", can_continue=True)
        case "empty_reply":
            return _guard("no reply", "replies were empty", can_continue=False)
        case "model_error":
            return StopRecord(label="Failed", exit_code=5, status="failed")
        case "aborted":
            return StopRecord(label="Stopped by you", exit_code=130, status="cancelled")
        case "paused":
            sentence = "The model asked a question and waits for the answer."
            return StopRecord(label="Paused to ask you", exit_code=WAITING, sentence=sentence)


def _guard(label: str, told_to_model: str, *, can_continue: bool) -> StopRecord:
    return StopRecord(label=f"Stopped: {label}", exit_code=3, told_to_model=told_to_model, can_continue=can_continue)


STOPS: dict[StopReason, StopRecord] = {reason: _stop(reason) for reason in get_args(StopReason)}
