"""How a turn ends: one record for each reason, with all that anybody says or does about it."""

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
"""Exit codes: ended unverified or failed; the user has to answer or to approve."""


@frozen
class StopRecord:
    """What is said and done about one reason."""

    label: str
    """A few words for the user."""
    exit_code: int
    """What `mulligan` exits with. A turn that left changes pending or edits refused has another."""
    sentence: str = ""
    """Explains it where no sentinel does."""
    told_to_model: str = ""
    """Why the model gets one last call without tools, to say where things stand. Only a guard's stop has one."""
    can_continue: bool = False
    """Continue is offered."""
    status: Literal["complete", "failed", "cancelled"] = "complete"
    """Of the turn's message."""

    @property
    def by_guard(self) -> bool:
        return bool(self.told_to_model)

    @property
    def has_answer(self) -> bool:
        """What the last step said is an answer, or last words; otherwise no more than progress."""
        return self.by_guard or self.exit_code == 0


class TurnWork(Record):
    """What a turn of an agent that writes did, by what was recorded, whatever the model says of it."""

    files: tuple[str, ...] = ()
    """Those that differ from what the turn found, pending or applied."""
    passed: tuple[str, ...] = ()
    """Commands whose newest run exited with 0."""
    ran: tuple[str, ...] = ()
    """Those whose exit code 0 does not tell it, such as `pytest | tail`."""
    failed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    """Problems that the project's checkers report now and did not report before the turn."""
    missing: bool = False
    """A change was asked for, and none stands."""
    text: str = ""
    """All of it in a sentence: `Changed a.py and b.py; pytest passed.`"""


def _stop(reason: StopReason) -> StopRecord:
    """A match, because pyright then reports a reason that is forgotten."""
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
