"""The mistake tracker: several failing calls in a row, of any kind.

No other guard stops a model that fails in a new way each time. The state lives for one turn; the loop changes it, the
detector only reads it.
"""

from typing import Literal

from mulligan.types.frozen import frozen, replace
from mulligan.types.tool_calls import CallOutcome, FailureKind

MISTAKE_THRESHOLD = 3

MistakePattern = Literal["nudge", "escalate"]


@frozen
class MistakeState:
    run: tuple[FailureKind, ...] = ()
    """The failures since the last success or nudge, in call order."""
    nudges: int = 0
    """Recovery notes given since the last success."""


def after_call(state: MistakeState, outcome: CallOutcome) -> MistakeState:
    """The state after one more call: a success clears everything, a failure is appended."""
    if outcome == "success":
        return MistakeState()
    return replace(state, run=(*state.run, outcome))


def detect_mistake_pattern(state: MistakeState) -> MistakePattern | None:
    """A run of three gives a nudge the first time, and ends the turn the second time."""
    if len(state.run) < MISTAKE_THRESHOLD:
        return None
    return "nudge" if state.nudges == 0 else "escalate"


def after_nudge(state: MistakeState) -> MistakeState:
    """The state once the recovery note was given."""
    return MistakeState(run=(), nudges=state.nudges + 1)
