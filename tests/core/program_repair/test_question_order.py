"""Which question comes first, by the kind of failure and by what the machine can afford."""

from dataclasses import replace

import pytest

from mulligan.core.guided_coder.question_order import Pace, Question, Situation, first_runs, question_order

QUIET = Pace(test_seconds=1.0, reads_per_second=45, writes_per_second=14)
USUAL = Situation(
    attempt=1, missing=False, certain=True, written=False, functions=2, wrong_values=True, samples=5, pace=QUIET
)
SLOW_MODEL = replace(QUIET, reads_per_second=5, writes_per_second=2)
SLOW_TESTS = replace(QUIET, test_seconds=10.0)
FAST_MODEL = replace(QUIET, reads_per_second=500, writes_per_second=80)


@pytest.mark.parametrize(
    ("situation", "first"),
    [
        pytest.param(replace(USUAL, missing=True), ["write missing"], id="stubs: nothing else, and no slips"),
        pytest.param(
            replace(USUAL, missing=True, certain=False),
            ["hints", "first slips", "write again", "write missing"],
            id="a function that does nothing, maybe on purpose",
        ),
        pytest.param(
            replace(USUAL, missing=True, certain=False, written=True),
            ["hints", "first slips", "write missing", "likely slips", "narrow", "all slips"],
            id="what was missing was written, and fails some tests",
        ),
        pytest.param(USUAL, ["hints", "first slips", "write again", "likely slips"], id="wrong values"),
        pytest.param(replace(USUAL, pace=SLOW_MODEL), ["hints", "first slips", "likely slips"], id="slow model"),
        pytest.param(replace(USUAL, pace=SLOW_TESTS), ["hints", "write again", "first slips"], id="slow tests"),
        pytest.param(replace(USUAL, pace=FAST_MODEL), ["hints", "write again", "first slips"], id="fast model"),
        pytest.param(
            replace(USUAL, functions=0), ["hints", "likely slips", "narrow", "all slips"], id="nothing to write"
        ),
        pytest.param(replace(USUAL, attempt=2), ["write again", "narrow", "all slips"], id="a later attempt"),
    ],
)
def test_the_order_follows_from_the_situation(situation: Situation, first: list[Question]) -> None:
    assert list(question_order(situation).questions)[: len(first)] == first


def test_slips_and_writing_both_get_their_turn_within_a_minute_on_a_quiet_machine() -> None:
    order = question_order(USUAL)
    before = order.steps[: order.questions.index("write again")]
    assert {each.question for each in before} == {"hints", "first slips"}
    assert sum(each.seconds for each in before) < 60


def test_failures_that_name_no_value_make_writing_less_likely() -> None:
    told, untold = (
        {each.question: each.chance for each in question_order(replace(USUAL, wrong_values=values)).steps}
        for values in (True, False)
    )
    assert untold["write again"] < told["write again"]
    assert untold["narrow"] == told["narrow"]


@pytest.mark.parametrize(("seconds", "runs"), [(0.0, 40), (0.5, 40), (1.0, 20), (2.0, 10), (60.0, 5)])
def test_the_first_slips_take_twenty_seconds_at_most_where_a_run_is_quick(seconds: float, runs: int) -> None:
    assert first_runs(Pace(test_seconds=seconds)) == runs


def test_the_order_is_told_with_its_seconds_and_its_reason() -> None:
    told = question_order(USUAL).told()
    assert told.startswith(
        "Order: what was noticed (about 5 s), the first slips (about 20 s), write the function again"
    )
    assert told.endswith("; what solves most in a second comes first.")
