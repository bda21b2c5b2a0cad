"""What the guards remember about a turn, and what they decide from it."""

from collections.abc import Sequence

from mulligan.core.mistakes import MistakeState, after_call, after_nudge, detect_mistake_pattern
from mulligan.core.next_move import SYNTHESIS_TOOLS, Move, Nudge, ProjectFinding, Stop, next_move
from mulligan.core.project_state import UNCHANGED
from mulligan.core.recovery_note import recovery_note
from mulligan.core.repetition import CallRecord, Loop, call_record, detect_loop, settle
from mulligan.core.turn_budget import CallEffect, TurnBudget
from mulligan.types.frozen import field, frozen, replace
from mulligan.types.sentinels import CapHit, DoomLoop, MistakeRecovery
from mulligan.types.tool_calls import AwaitsAnswer, DoneCall, Failed, FailureKind, Outcome, Succeeded


@frozen
class Guards:
    """The memory of one turn."""

    mistakes: MistakeState = field(default_factory=MistakeState)
    calls: tuple[CallRecord, ...] = ()
    budget: TurnBudget = field(default_factory=TurnBudget)
    failures: tuple[DoneCall, ...] = ()
    """The current run of failures."""
    state: str = UNCHANGED
    """The project's state after the last call that changed it."""
    repeated: frozenset[str] = frozenset()
    """Tools whose last call repeated an earlier one without progress: not offered in the next request, if possible.
    Notes do not stop a tiny model from repeating a call; removing the tool does."""

    def knows(self, call: DoneCall) -> bool:
        """Whether the same call was made before, with the same result, and nothing has changed since."""
        return self._record(call) in self.calls

    def after_step(self, calls: Sequence[DoneCall]) -> "Guards":
        mistakes = self.mistakes
        for call in calls:
            mistakes = after_call(mistakes, call.outcome.kind if isinstance(call.outcome, Failed) else "success")
        records = [self._record(call) for call in calls]
        failed = [call for call in (*self.failures, *calls) if isinstance(call.outcome, Failed)]
        states = [state for call in calls if (state := state_after(call.outcome)) is not None]
        return Guards(
            mistakes=mistakes,
            calls=(*self.calls, *settle(records)),
            budget=self.budget.after_step([_effect(*each) for each in zip(calls, records, strict=True)]),
            failures=tuple(failed[len(failed) - len(mistakes.run) :]),
            state=states[-1] if states else self.state,
            repeated=frozenset(call.name for call in calls if self.knows(call)),
        )

    def after_nudge(self) -> "Guards":
        return replace(self, mistakes=after_nudge(self.mistakes), budget=self.budget.after_nudge(), failures=())

    def after_compaction(self) -> "Guards":
        return replace(self, budget=self.budget.after_compaction())

    def judge(self, last: Sequence[DoneCall], *, steps: int, limit: int) -> Move:
        """What to do after the last step, which is already part of this memory."""
        return next_move(
            question=next((call.outcome.question for call in last if isinstance(call.outcome, AwaitsAnswer)), None),
            finding=_finding(last),
            guarded=first_guard(self, detect_loop(self.calls), steps=steps, limit=limit),
        )

    def _record(self, call: DoneCall) -> CallRecord:
        return call_record(call.name, call.arguments, call.outcome.content, self.state)


def first_guard(memory: Guards, loop: Loop | None, *, steps: int, limit: int) -> Nudge | Stop | None:
    """The first rule that applies. A nudge needs another step, so the step cap comes before it."""
    mistakes, budget = memory.mistakes, memory.budget
    pattern = detect_mistake_pattern(mistakes)
    if loop:
        return Stop("doom_loop", DoomLoop(tools=loop.calls, cycle=len(loop.calls), count=loop.rounds))
    if budget.is_stale:
        return Stop("doom_loop", DoomLoop(tools=(), cycle=0, count=budget.stale, stale=True))
    if budget.failures_used_up:
        return Stop("mistakes", _mistake_sentinel(budget.failures, escalated=True))
    if pattern == "escalate" or (pattern and budget.nudges_used_up):
        return Stop("mistakes", _mistake_sentinel(mistakes.run, escalated=True))
    if steps >= limit:
        return Stop("step_cap", CapHit(steps=steps))
    if pattern == "nudge":
        return Nudge(recovery_note(memory.failures, mistakes.run), _mistake_sentinel(mistakes.run, escalated=False))
    return None


def _mistake_sentinel(failures: tuple[FailureKind, ...], *, escalated: bool) -> MistakeRecovery:
    return MistakeRecovery(
        failure_kinds=failures,
        count=len(failures),
        escalated=escalated,
        can_continue=True if escalated else None,
    )


def state_after(outcome: Outcome) -> str | None:
    return None if isinstance(outcome, AwaitsAnswer) else outcome.state


def _effect(call: DoneCall, record: CallRecord) -> CallEffect:
    failure = call.outcome.kind if isinstance(call.outcome, Failed) else None
    return CallEffect(failure, f"{record.name} {record.arguments}\n{record.result}", state_after(call.outcome))


def _finding(calls: Sequence[DoneCall]) -> ProjectFinding | None:
    """The first finding in call order, whichever finished first. A result that refers to no file gives nothing to write
    from."""
    for call in calls:
        if call.name in SYNTHESIS_TOOLS and isinstance(call.outcome, Succeeded) and call.outcome.refers_to:
            return ProjectFinding(call.name, call.outcome)
    return None
