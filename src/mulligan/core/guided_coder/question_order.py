"""Orders the questions of a guided repair: by the kind of failure, and by what the machine can afford.

Every question has a chance to solve the task and takes seconds: for test runs, and for a model that reads and writes so
many tokens a second. Those that solve most per second come first. With a slow model these are the slips, which need no
model; with slow test runs it is the function that the model rewrites.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Question = Literal[
    "write missing", "hints", "first slips", "likely slips", "guarded", "more slips", "diverge", "write again",
    "narrow", "all slips",
]  # fmt: skip
BY_CODE: frozenset[Question] = frozenset({
    "hints", "first slips", "likely slips", "guarded", "more slips", "all slips",
})  # fmt: skip
"""Code alone answers these: a further change costs only its test."""
"""`first slips` are the likeliest of the `likely slips`. `narrow` are the questions about single lines."""

READS_PER_SECOND, WRITES_PER_SECOND = 40.0, 12.0
"""For a 1.5B model on two cores, if nothing was measured."""
FIRST_SECONDS = 20.0
"""Seconds for slips before anything else: the model is asked within the first minute."""
FEWEST, MOST = 5, 40
"""Test runs for the first slips."""
PROMPT_TOKENS = 700
NARROW_WRITTEN, NARROW_RUNS = 240, 70
"""Tokens of the replies to all narrow questions, and tests of the changes they give and of slips nearby."""
FUNCTION_TOKENS = 150
"""Tokens of a written function."""
DIVERGING_WRITTEN, DIVERGING_RUNS = 600, 50
"""Tokens of a function that is copied and of what the model writes from some of its tokens on, and tests of that."""
GUARDED_RUNS, MORE_RUNS = 500, 800
"""Tests of changes under conditions, and of less likely slips."""
ALONE = 6
"""If more functions than that run in failing tests, the wrong one depends on others."""
ASKED_IN_CONTEXT, COPIED, MADE_ALONE = 0.25, 0.5, 0.5
"""Factors on the chances of questions to a model about such a function, of writing it again, and of less likely slips
and conditions in one that stands alone. A small model that doesn't see what a function depends on copies it, or breaks
it: on 23 bugs in projects of 230 to 470 lines its answers fixed two."""
UNSURE = 0.4
"""Factor on the chance that something has to be written, if no failure says so."""
ANEW = 0.75
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
    """The missing code was written in this run, and tests still fail: it may be written anew."""
    functions: int
    """Suspected functions that may be rewritten."""
    ran: int
    """Functions that ran in failing tests, if that is known."""
    shows_choices: bool
    """There is a function to copy, and the server says what the model would have written at each token."""
    wrong_values: bool
    """A failure shows the actual and the expected value: there is something to write towards."""
    samples: int
    """How often a function is written, at most."""
    slips: int
    """Slips that code knows."""
    pace: Pace


@dataclass(frozen=True, slots=True)
class Step:
    question: Question
    seconds: float
    """Seconds it takes if it solves nothing."""
    chance: float


@dataclass(frozen=True, slots=True)
class Order:
    steps: tuple[Step, ...]
    reason: str

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(step.question for step in self.steps)

    def told(self) -> str:
        """For the user who watches."""
        steps = ", ".join(f"{WORDS[each.question]} (about {each.seconds:.0f} s)" for each in self.steps)
        return f"Order: {steps}; {self.reason}."


def question_order(situation: Situation) -> Order:
    """The questions of an attempt, and why in this order."""
    missing = _writing("write missing", situation, CHANCES["write missing"])
    if situation.missing and situation.certain:
        return Order((missing,), "the tests use code that is not written yet, and no line of a stub can be varied")
    if situation.missing:
        unsure = replace(missing, chance=missing.chance * (ANEW if situation.written else UNSURE))
        rest = question_order(replace(situation, missing=False))
        # A model that is shown its own code and asked to rewrite it repeats it: it is asked anew instead.
        others = [each for each in rest.steps if not (situation.written and each.question == "write again")]
        steps = _gainful_first((unsure, *others))
        why = (
            "what was written fails some tests" if situation.written else "a function that does nothing may be meant so"
        )
        return Order(steps, why)
    diverging = (_diverging(situation),) if situation.shows_choices else ()
    if not situation.functions:
        return Order((*_usual(situation), *diverging), "no function is short enough to be written again")
    chance = CHANCES["write again"] * (1 if situation.wrong_values else WITHOUT_VALUES)
    # It copies such a function rather than diverge from it.
    chance *= _asked(situation) * (COPIED if situation.ran > ALONE else 1)
    again = _writing("write again", situation, chance)
    if situation.attempt > 1:
        steps = (*diverging, again, *_usual(situation))
        return Order(steps, "what is likeliest was tried before, so functions are written again")
    steps = (*_slips(situation), *diverging, again, _narrow(situation), _all_slips(situation))
    return Order(_gainful_first(steps), "what solves most in a second comes first")


def _gainful_first(steps: Iterable[Step]) -> tuple[Step, ...]:
    return tuple(sorted(steps, key=lambda each: -each.chance / each.seconds))


def first_runs(pace: Pace) -> int:
    """Test runs that the first slips may take."""
    return max(FEWEST, min(MOST, int(FIRST_SECONDS / max(pace.slip_seconds or pace.test_seconds, 0.1))))


def question_seconds(pace: Pace, *, read: int, written: int) -> float:
    return read / pace.reads_per_second + written / pace.writes_per_second


def _usual(situation: Situation) -> tuple[Step, ...]:
    """Without writing: slips, then questions about lines. Later attempts ask first: the likely slips were tried."""
    if situation.attempt > 1:
        return _narrow(situation), _all_slips(situation)
    hints, _, *others = _slips(situation)
    return hints, *_gainful_first([*others, _narrow(situation), _all_slips(situation)])


def _slips(situation: Situation) -> tuple[Step, ...]:
    seconds = situation.pace.slip_seconds or situation.pace.test_seconds
    first = first_runs(situation.pace)
    often = 1 if situation.ran > ALONE else MADE_ALONE
    # The likeliest come first, so that a quarter of them has half the chance.
    share = CHANCES["first slips"] * (first / MOST) ** 0.5
    return (
        Step("hints", 5 * seconds, CHANCES["hints"]),
        Step("first slips", first * seconds, share),
        Step("likely slips", 3 * MOST * seconds, CHANCES["likely slips"]),
        Step("guarded", GUARDED_RUNS * seconds, CHANCES["guarded"] * often),
        Step("more slips", MORE_RUNS * seconds, CHANCES["more slips"] * often),
    )


def _writing(question: Question, situation: Situation, chance: float) -> Step:
    pace, samples = situation.pace, situation.samples
    asked = question_seconds(pace, read=PROMPT_TOKENS, written=FUNCTION_TOKENS * samples)
    return Step(question, asked + samples * pace.test_seconds, chance)


def _diverging(situation: Situation) -> Step:
    asked = question_seconds(situation.pace, read=PROMPT_TOKENS, written=DIVERGING_WRITTEN)
    runs = DIVERGING_RUNS * (situation.pace.slip_seconds or situation.pace.test_seconds)
    return Step("diverge", asked + runs, CHANCES["diverge"] * _asked(situation))


def _narrow(situation: Situation) -> Step:
    asked = question_seconds(situation.pace, read=PROMPT_TOKENS, written=NARROW_WRITTEN)
    runs = NARROW_RUNS * (situation.pace.slip_seconds or situation.pace.test_seconds)
    return Step("narrow", asked + runs, CHANCES["narrow"] * _asked(situation))


def _asked(situation: Situation) -> float:
    return ASKED_IN_CONTEXT if situation.ran > ALONE else 1.0


def _all_slips(situation: Situation) -> Step:
    seconds = situation.pace.slip_seconds or situation.pace.test_seconds
    others = max(3 * MOST, situation.slips - 3 * MOST - MORE_RUNS)
    return Step("all slips", others * seconds, CHANCES["all slips"])


CHANCES: dict[Question, float] = {
    "write missing": 0.4, "hints": 0.15, "first slips": 0.3, "likely slips": 0.2, "guarded": 0.2,
    "more slips": 0.2, "diverge": 0.25, "write again": 0.35, "narrow": 0.15, "all slips": 0.05,
}  # fmt: skip
"""How many tasks of ten a question solved with a 1.5B model, roughly: QuixBugs for rewriting, Exercism for missing
code, the fixes bench for the others. Only their ratios matter."""
WORDS: dict[Question, str] = {
    "write missing": "write what is missing", "hints": "what was noticed", "first slips": "the first slips",
    "likely slips": "likely slips", "guarded": "changes under conditions", "more slips": "more slips",
    "diverge": "what the model would write otherwise", "write again": "write the function again",
    "narrow": "ask about lines", "all slips": "all other slips",
}  # fmt: skip
