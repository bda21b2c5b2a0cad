"""The attempts of a fix run: what each planned, changed and ran, and whether a plan repeats an earlier one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mulligan.types.fixing import AttemptRecord, CommandRun, Plan, RunState


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, for reports; 0 is the time before the first."""

    number: int
    plan: Plan | None
    record: AttemptRecord | None
    """None before the first attempt, and in runs stored without records."""
    runs: tuple[CommandRun, ...]
    """Without the tests of candidates."""
    candidates: int
    candidates_passed: int

    @property
    def verified(self) -> tuple[CommandRun, ...]:
        """The commands that judged it."""
        return tuple(run for run in self.runs if run.purpose == "verify")


def attempts(state: RunState) -> list[Attempt]:
    """In order."""
    records = {record.number: record for record in state.attempts_made}
    return [
        _attempt(state, number, records.get(number))
        for number in sorted({run.attempt for run in state.runs} | records.keys())
    ]


def attempt_count(state: RunState) -> int:
    """How many attempts were started, including the one that passed. Shown in lists, pages and reports."""
    return max(state.attempt, state.history.attempts, len(state.attempts_made))


def also_passing(state: RunState) -> tuple[str, ...]:
    """Diffs of other changes with which everything passes, besides that of the newest attempt."""
    return state.attempts_made[-1].also_passing if state.attempts_made else ()


def _attempt(state: RunState, number: int, record: AttemptRecord | None) -> Attempt:
    runs = [run for run in state.runs if run.attempt == number]
    candidates = [run for run in runs if run.purpose == "candidate"]
    newest = state.plan if number and number == state.attempt else None
    return Attempt(
        number,
        record.plan if record else newest,
        record,
        tuple(run for run in runs if run.purpose != "candidate"),
        len(candidates),
        sum(run.passed for run in candidates),
    )


def with_attempt(state: RunState, **fields: Any) -> RunState:
    """The state with these fields of the current attempt set."""
    if state.plan is None:
        raise AssertionError("an attempt begins with a plan")
    earlier = tuple(record for record in state.attempts_made if record.number != state.attempt)
    known = next((record for record in state.attempts_made if record.number == state.attempt), None)
    record = known or AttemptRecord(number=state.attempt, plan=state.plan)
    return state.model_copy(update={"attempts_made": (*earlier, record.model_copy(update=fields))})


def repeated_attempt(plan: Plan, made: Sequence[AttemptRecord]) -> AttemptRecord | None:
    """The discarded attempt with the same steps on the same files; None if there is none."""
    steps = _normalized(plan)
    discarded = [record for record in made if record.outcome == "discarded"]
    return next((record for record in reversed(discarded) if steps and _normalized(record.plan) == steps), None)


def _normalized(plan: Plan) -> frozenset[frozenset[str]]:
    """Steps as sets of words, in any order: commas, case and articles make no other plan. The failures that steps are
    for are left out: a failed attempt may change their messages."""
    if plan.next != "coder":
        return frozenset()
    return frozenset(frozenset(_WORD.findall(step.step.casefold())) - _ARTICLES for step in plan.plan)


_WORD = re.compile(r"[^\W_][\w./:-]*\w|[^\s\w.,;:!?'\"`()]+|\w")
"""A word, a path, or an operator: `<` and `<=` make two plans."""
_ARTICLES = frozenset({"a", "an", "the"})
