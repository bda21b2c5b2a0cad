"""What a whole turn may spend without progress, for any mix of failures and successes.

The mistake tracker counts failures in a row, the loop detector repeated calls. A model that fails three times, succeeds
once and fails again passes both. Here failures cost credit that successes earn back slowly, and steps without anything
new are counted.
"""

from collections.abc import Sequence

from mulligan.core.project_state import UNCHANGED
from mulligan.types.frozen import frozen, replace
from mulligan.types.tool_calls import FailureKind

CREDIT = 12.0
"""Failures in a turn without any other result. If half of the calls fail, it lasts for 32 calls."""
EARNED_BY_ANSWER = 0.25
"""For a success with a new result. So one failure in five calls can go on forever."""
EARNED_BY_STATE = 4.0
"""For a new state of the project: editing and testing again is real work even if each test fails."""
MAX_NUDGES = 3
"""Recovery notes in one turn. A model that needs a fourth has shown that they don't help."""
MAX_COMPACTIONS = 3
"""Compactions after which reading the same again counts as new."""
MAX_STALE_STEPS = 10
"""Steps in a row without a new state of the project or a new result."""


@frozen
class CallEffect:
    """What one call did, as far as the budget is concerned."""

    failure: FailureKind | None = None
    answer: str = ""
    """The call and its result. A success whose answer was seen before brings nothing."""
    state: str | None = None
    """The project's state after a call that may have changed it, by content."""


@frozen
class TurnBudget:
    credit: float = CREDIT
    nudges: int = 0
    stale: int = 0
    """Steps since the last one that brought something new."""
    states: frozenset[str] = frozenset({UNCHANGED})
    answers: frozenset[str] = frozenset()
    forgotten: int = 0
    """How often compaction hid old results from the model."""
    failures: tuple[FailureKind, ...] = ()
    """The newest failures, as many as the credit covers."""

    def after_step(self, effects: Sequence[CallEffect]) -> "TurnBudget":
        """The budget after the calls of one step, in call order."""
        budget, brought = self, False
        for effect in effects:
            after = budget._after_call(effect)
            brought = brought or len(after.states) > len(budget.states) or len(after.answers) > len(budget.answers)
            budget = after
        return replace(budget, stale=0 if brought else self.stale + 1)

    def after_nudge(self) -> "TurnBudget":
        return replace(self, nudges=self.nudges + 1)

    def after_compaction(self) -> "TurnBudget":
        """The model may read again, a few times, what it no longer sees."""
        if self.forgotten == MAX_COMPACTIONS:
            return self
        return replace(self, answers=frozenset(), stale=0, forgotten=self.forgotten + 1)

    @property
    def failures_used_up(self) -> bool:
        return self.credit < 0

    @property
    def nudges_used_up(self) -> bool:
        return self.nudges >= MAX_NUDGES

    @property
    def is_stale(self) -> bool:
        return self.stale >= MAX_STALE_STEPS

    def _after_call(self, effect: CallEffect) -> "TurnBudget":
        new_state = effect.state is not None and effect.state not in self.states
        new_answer = not effect.failure and effect.state is None and effect.answer not in self.answers
        credit = self.credit - bool(effect.failure) + EARNED_BY_STATE * new_state + EARNED_BY_ANSWER * new_answer
        return replace(
            self,
            credit=min(CREDIT, credit),
            states=self.states | {effect.state} if effect.state is not None and new_state else self.states,
            answers=self.answers | {effect.answer} if new_answer else self.answers,
            failures=(*self.failures, effect.failure)[-int(CREDIT) :] if effect.failure else self.failures,
        )
