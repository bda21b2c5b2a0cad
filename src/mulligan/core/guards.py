"""What the guards remember of a turn, and what they make of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mulligan.core.mistakes import MistakeState, after_nudge, detect_mistake_pattern, record_step
from mulligan.core.next_move import SYNTHESIS_TOOLS, Move, ProjectFinding, next_move
from mulligan.core.repetition import CallRecord, call_record, detect_loop, settle
from mulligan.types.tool_calls import AwaitsAnswer, Failed, JsonObject, Outcome, Succeeded


@dataclass(frozen=True, slots=True)
class DoneCall:
    """A call that was carried out or refused, in the eyes of the guards."""

    name: str
    arguments: JsonObject
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Guards:
    """The memory of one turn. It only ever changes by what a step did."""

    mistakes: MistakeState = field(default_factory=MistakeState)
    calls: tuple[CallRecord, ...] = ()
    epoch: int = 0
    """How often a call changed the work tree or the staged edits."""
    repeated: frozenset[str] = frozenset()
    """Tools whose call in the last step was a repeat without progress: not to be offered next, where that can be done.
    Notes do not stop a tiny model from repeating a call; taking the tool away does."""

    def knows(self, call: DoneCall) -> bool:
        """The same call was made before, with the same result, and nothing has changed since."""
        return self._record(call) in self.calls

    def after_step(self, calls: Sequence[DoneCall]) -> "Guards":
        mistakes = self.mistakes
        for call in calls:
            mistakes = record_step(mistakes, call.outcome.kind if isinstance(call.outcome, Failed) else "success")
        progress = any(isinstance(call.outcome, Succeeded) and call.outcome.progress for call in calls)
        settled = settle([self._record(call) for call in calls])
        repeated = frozenset(call.name for call in calls if self.knows(call))
        return Guards(mistakes, (*self.calls, *settled), self.epoch + progress, repeated)

    def after_nudge(self) -> "Guards":
        return replace(self, mistakes=after_nudge(self.mistakes))

    def judge(self, last: Sequence[DoneCall], *, steps: int, limit: int) -> Move:
        """What to do after the last step, which is part of this memory already."""
        return next_move(
            question=next((call.outcome.question for call in last if isinstance(call.outcome, AwaitsAnswer)), None),
            finding=_finding(last),
            loop=detect_loop(self.calls),
            mistakes=self.mistakes,
            pattern=detect_mistake_pattern(self.mistakes),
            steps=steps,
            limit=limit,
        )

    def _record(self, call: DoneCall) -> CallRecord:
        return call_record(call.name, call.arguments, call.outcome.content, self.epoch)


def _finding(calls: Sequence[DoneCall]) -> ProjectFinding | None:
    """The first in call order that has a result and no error, whatever finished first."""
    for call in calls:
        if call.name in SYNTHESIS_TOOLS and isinstance(call.outcome, Succeeded):
            return ProjectFinding(call.name, call.outcome)
    return None
