"""Orders the questions of a guided repair: by the kind of failure, and by what the machine can afford.

Every question has a chance to solve the task and takes seconds: for test runs, and for a model that reads and writes so
many tokens a second. Those with the best chance per second come first. With a slow model these are the slips, which
need no model; with slow test runs it is the function that the model rewrites.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Question = Literal[
    "write missing", "hints", "first slips", "likely slips", "conditional edits", "more slips", "diverge",
    "write again", "narrow", "all slips",
]  # fmt: skip
BY_CODE: frozenset[Question] = frozenset({
    "hints", "first slips", "likely slips", "conditional edits", "more slips", "all slips",
})  # fmt: skip
"""Code alone answers these: a further change costs only its test. `first slips` are the likeliest of the `likely
slips`. `narrow` are the questions about single lines."""

READS_PER_SECOND, WRITES_PER_SECOND = 40.0, 12.0
"""For a 1.5B model on two cores, if nothing was measured."""
FIRST_SECONDS = 20.0
"""Seconds for slips before anything else: the model is asked within the first minute."""
MIN_FIRST_RUNS, MAX_FIRST_RUNS = 5, 40
"""Test runs for the first slips."""
PROMPT_TOKENS = 700
NARROW_WRITTEN, NARROW_RUNS = 240, 70
"""Tokens of the replies to all narrow questions, and tests of the changes they give and of slips nearby."""
FUNCTION_TOKENS = 150
"""Tokens of a written function."""
DIVERGING_WRITTEN, DIVERGING_RUNS = 600, 50
"""Tokens of the copied function and of its continuations from some tokens on, and tests of these."""
CONDITIONAL_RUNS, MORE_RUNS = 500, 800
"""Tests of changes under conditions, and of less likely slips."""
ALONE = 6
"""If more functions than that run in failing tests, the wrong one depends on others."""
ASKED_IN_CONTEXT, COPIED, MADE_ALONE = 0.25, 0.5, 0.5
"""Factors on the chances: of questions to a model about such a function, of writing it again, and, for a function that
depends on no others, of less likely slips and conditional edits. A small model that doesn't see what a function depends
on copies it, or breaks it: on 23 bugs in projects of 230 to 470 lines its answers fixed two."""
UNSURE = 0.4
"""Factor on the chance that something has to be written, if no failure says so."""
REWRITTEN = 0.75
"""Factor on the chance if it was already written in this run, and some tests pass."""
WITHOUT_VALUES = 0.6
"""Factor on the chance if no failure shows an expected value."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed of the machine."""

    test_seconds: float
    """Seconds of one test run."""
    slip_seconds: float = 0.0
    """Seconds per slip if many are tested after one start of the test runner. 0: they are tested one by one."""
    reads_per_second: float = READS_PER_SECOND
    writes_per_second: float = WRITES_PER_SECOND


@dataclass(frozen=True, slots=True)
class Situation:
    attempt: int
    missing: bool
    """Failing tests use something that does not exist."""
    certain: bool
    """The failures say that it is missing. A function that does nothing may be intended."""
    written: bool
    """The missing code was written in this run, and tests still fail: it may be written again from scratch."""
    functions: int
    """Suspected functions that may be rewritten."""
    ran: int
    """Functions that ran in failing tests; 0 if unknown."""
    shows_choices: bool
    """There is a function to copy, and the server reports the alternatives at each token."""
    wrong_values: bool
    """A failure shows the actual and the expected value, which the model can aim at."""
    samples: int
    """Most times that a function is written."""
    slips: int
    """Number of slips that code can make."""
    pace: Pace


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    question: Question
    seconds: float
    """Time it takes if it solves nothing."""
    chance: float
    """Share of tasks that it solves, roughly."""


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    planned: tuple[PlannedQuestion, ...]
    reason: str

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(each.question for each in self.planned)

    def summary(self) -> str:
        """One line for the user who watches."""
        questions = ", ".join(f"{WORDS[each.question]} (about {each.seconds:.0f} s)" for each in self.planned)
        return f"Order: {questions}; {self.reason}."


def question_order(situation: Situation) -> QuestionPlan:
    """The questions of an attempt, and why in this order."""
    missing = _writing("write missing", situation, CHANCES["write missing"])
    if situation.missing and situation.certain:
        return QuestionPlan(
            (missing,), "the tests use code that is not written yet, and no line of a stub can be varied"
        )
    if situation.missing:
        unsure = replace(missing, chance=missing.chance * (REWRITTEN if situation.written else UNSURE))
        rest = question_order(replace(situation, missing=False))
        # A model that is shown its own code and asked to rewrite it repeats it: it is asked from scratch instead.
        others = [each for each in rest.planned if not (situation.written and each.question == "write again")]
        planned = _best_first((unsure, *others))
        why = (
            "what was written fails some tests" if situation.written else "a function that does nothing may be meant so"
        )
        return QuestionPlan(planned, why)
    diverging = (_diverging(situation),) if situation.shows_choices else ()
    if not situation.functions:
        return QuestionPlan((*_usual(situation), *diverging), "no function is short enough to be written again")
    chance = CHANCES["write again"] * (1 if situation.wrong_values else WITHOUT_VALUES)
    # A model copies a function that depends on others rather than diverge from it.
    chance *= _asked(situation) * (COPIED if situation.ran > ALONE else 1)
    again = _writing("write again", situation, chance)
    if situation.attempt > 1:
        planned = (*diverging, again, *_usual(situation))
        return QuestionPlan(planned, "what is likeliest was tried before, so functions are written again")
    planned = (*_slips(situation), *diverging, again, _narrow(situation), _all_slips(situation))
    return QuestionPlan(_best_first(planned), "what solves most in a second comes first")


def _best_first(planned: Iterable[PlannedQuestion]) -> tuple[PlannedQuestion, ...]:
    return tuple(sorted(planned, key=lambda each: -each.chance / each.seconds))


def first_runs(pace: Pace) -> int:
    """Test runs that the first slips may take."""
    return max(
        MIN_FIRST_RUNS, min(MAX_FIRST_RUNS, int(FIRST_SECONDS / max(pace.slip_seconds or pace.test_seconds, 0.1)))
    )


def question_seconds(pace: Pace, *, read: int, written: int) -> float:
    return read / pace.reads_per_second + written / pace.writes_per_second


def _usual(situation: Situation) -> tuple[PlannedQuestion, ...]:
    """Without writing: slips, then questions about lines. Later attempts ask first: the likely slips were tried."""
    if situation.attempt > 1:
        return _narrow(situation), _all_slips(situation)
    hints, _, *others = _slips(situation)
    return hints, *_best_first([*others, _narrow(situation), _all_slips(situation)])


def _slips(situation: Situation) -> tuple[PlannedQuestion, ...]:
    seconds = situation.pace.slip_seconds or situation.pace.test_seconds
    first = first_runs(situation.pace)
    often = 1 if situation.ran > ALONE else MADE_ALONE
    # The likeliest come first, so that a quarter of them has half the chance.
    share = CHANCES["first slips"] * (first / MAX_FIRST_RUNS) ** 0.5
    return (
        PlannedQuestion("hints", 5 * seconds, CHANCES["hints"]),
        PlannedQuestion("first slips", first * seconds, share),
        PlannedQuestion("likely slips", 3 * MAX_FIRST_RUNS * seconds, CHANCES["likely slips"]),
        PlannedQuestion("conditional edits", CONDITIONAL_RUNS * seconds, CHANCES["conditional edits"] * often),
        PlannedQuestion("more slips", MORE_RUNS * seconds, CHANCES["more slips"] * often),
    )


def _writing(question: Question, situation: Situation, chance: float) -> PlannedQuestion:
    pace, samples = situation.pace, situation.samples
    asked = question_seconds(pace, read=PROMPT_TOKENS, written=FUNCTION_TOKENS * samples)
    return PlannedQuestion(question, asked + samples * pace.test_seconds, chance)


def _diverging(situation: Situation) -> PlannedQuestion:
    asked = question_seconds(situation.pace, read=PROMPT_TOKENS, written=DIVERGING_WRITTEN)
    runs = DIVERGING_RUNS * (situation.pace.slip_seconds or situation.pace.test_seconds)
    return PlannedQuestion("diverge", asked + runs, CHANCES["diverge"] * _asked(situation))


def _narrow(situation: Situation) -> PlannedQuestion:
    asked = question_seconds(situation.pace, read=PROMPT_TOKENS, written=NARROW_WRITTEN)
    runs = NARROW_RUNS * (situation.pace.slip_seconds or situation.pace.test_seconds)
    return PlannedQuestion("narrow", asked + runs, CHANCES["narrow"] * _asked(situation))


def _asked(situation: Situation) -> float:
    return ASKED_IN_CONTEXT if situation.ran > ALONE else 1.0


def _all_slips(situation: Situation) -> PlannedQuestion:
    seconds = situation.pace.slip_seconds or situation.pace.test_seconds
    others = max(3 * MAX_FIRST_RUNS, situation.slips - 3 * MAX_FIRST_RUNS - MORE_RUNS)
    return PlannedQuestion("all slips", others * seconds, CHANCES["all slips"])


CHANCES: dict[Question, float] = {
    "write missing": 0.4, "hints": 0.15, "first slips": 0.3, "likely slips": 0.2, "conditional edits": 0.2,
    "more slips": 0.2, "diverge": 0.25, "write again": 0.35, "narrow": 0.15, "all slips": 0.05,
}  # fmt: skip
"""How many tasks of ten a question solved with a 1.5B model, roughly: QuixBugs for rewriting, Exercism for missing
code, the fixes bench for the others. Only their ratios matter."""
WORDS: dict[Question, str] = {
    "write missing": "write what is missing", "hints": "what was noticed", "first slips": "the first slips",
    "likely slips": "likely slips", "conditional edits": "changes under conditions", "more slips": "more slips",
    "diverge": "what the model would write otherwise", "write again": "write the function again",
    "narrow": "ask about lines", "all slips": "all other slips",
}  # fmt: skip
