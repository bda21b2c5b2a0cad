"""Which question comes first, by the kind of failure and by what the machine can afford."""

from dataclasses import replace

import pytest

from mulligan.core.guided_coder.question_order import Pace, Question, Situation, first_runs, question_order

QUIET = Pace(test_seconds=1.0, reads_per_second=45, writes_per_second=14)
USUAL = Situation(
    attempt=1,
    missing=False,
    certain=True,
    written=False,
    functions=2,
    ran=3,
    shows_choices=False,
    wrong_values=True,
    samples=5,
    slips=3000,
    pace=QUIET,
)
SHOWS = replace(USUAL, shows_choices=True, pace=replace(QUIET, slip_seconds=0.05))
"""A server that shows choices, and tests that start once for many changes."""
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
            ["hints", "first slips", "write missing", "likely slips", "narrow"],
            id="what was missing was written, and fails some tests",
        ),
        pytest.param(USUAL, ["hints", "first slips", "write again", "likely slips"], id="wrong values"),
        pytest.param(replace(USUAL, pace=SLOW_MODEL), ["hints", "first slips", "likely slips"], id="slow model"),
        pytest.param(replace(USUAL, pace=SLOW_TESTS), ["hints", "write again", "first slips"], id="slow tests"),
        pytest.param(replace(USUAL, pace=FAST_MODEL), ["hints", "write again", "first slips"], id="fast model"),
        pytest.param(
            replace(USUAL, functions=0), ["hints", "likely slips", "narrow", "conditional edits"], id="nothing to write"
        ),
        pytest.param(replace(USUAL, attempt=2), ["write again", "narrow", "all slips"], id="a later attempt"),
    ],
)
def test_the_order_follows_from_the_situation(situation: Situation, first: list[Question]) -> None:
    assert list(question_order(situation).questions)[: len(first)] == first


def test_changes_under_conditions_come_before_questions_if_many_functions_ran() -> None:
    questions = question_order(replace(SHOWS, ran=30)).questions
    code = ("hints", "first slips", "likely slips", "conditional edits", "more slips")
    assert questions[: len(code)] == code
    alone = question_order(replace(SHOWS, ran=3)).questions
    assert alone.index("write again") < alone.index("conditional edits")


def test_all_slips_come_early_if_they_are_few() -> None:
    few, many = (question_order(replace(SHOWS, slips=count)).questions for count in (30, 3000))
    assert few.index("all slips") < few.index("narrow")
    assert many[-1] == "all slips"


def test_slips_and_writing_both_get_their_turn_within_a_minute_on_a_quiet_machine() -> None:
    order = question_order(USUAL)
    before = order.planned[: order.questions.index("write again")]
    assert {each.question for each in before} == {"hints", "first slips"}
    assert sum(each.seconds for each in before) < 60


def test_failures_that_name_no_value_make_writing_less_likely() -> None:
    told, untold = (
        {each.question: each.chance for each in question_order(replace(USUAL, wrong_values=values)).planned}
        for values in (True, False)
    )
    assert untold["write again"] < told["write again"]
    assert untold["narrow"] == told["narrow"]


def test_a_server_that_shows_no_choices_is_not_asked_for_divergences() -> None:
    situations = [replace(USUAL, attempt=attempt, ran=ran) for attempt in (1, 2, 3) for ran in (0, 3, 30)]
    assert not any("diverge" in question_order(each).questions for each in situations)


@pytest.mark.parametrize(
    ("situation", "earlier", "later"),
    [
        pytest.param(replace(SHOWS, ran=3), "write again", "diverge", id="few"),
        pytest.param(replace(SHOWS, ran=0), "write again", "diverge", id="not known"),
        pytest.param(replace(SHOWS, ran=30), "diverge", "write again", id="many"),
    ],
)
def test_divergences_come_before_writing_again_if_many_functions_ran(
    situation: Situation, earlier: Question, later: Question
) -> None:
    questions = question_order(situation).questions
    assert questions.index(earlier) < questions.index(later)


def test_divergences_come_first_in_a_later_attempt() -> None:
    assert question_order(replace(SHOWS, attempt=2)).questions[:2] == ("diverge", "write again")


def test_divergences_come_after_writing_again_if_each_change_takes_a_slow_run() -> None:
    questions = question_order(replace(SHOWS, ran=30, pace=SLOW_TESTS)).questions
    assert questions.index("write again") < questions.index("diverge")


def test_what_the_model_has_just_written_may_diverge_though_it_is_not_written_again() -> None:
    questions = question_order(replace(SHOWS, missing=True, certain=False, written=True)).questions
    assert "diverge" in questions
    assert "write again" not in questions


def test_nothing_diverges_in_code_that_is_missing() -> None:
    assert "diverge" not in question_order(replace(SHOWS, missing=True)).questions


def test_functions_that_only_their_own_question_shows_diverge_last() -> None:
    assert question_order(replace(SHOWS, functions=0)).questions[-1] == "diverge"


@pytest.mark.parametrize(("seconds", "runs"), [(0.0, 40), (0.5, 40), (1.0, 20), (2.0, 10), (60.0, 5)])
def test_the_first_slips_take_twenty_seconds_at_most_where_a_run_is_quick(seconds: float, runs: int) -> None:
    assert first_runs(Pace(test_seconds=seconds)) == runs


def test_the_order_is_told_with_its_seconds_and_its_reason() -> None:
    summary = question_order(USUAL).summary()
    assert summary.startswith(
        "Order: what was noticed (about 5 s), the first slips (about 20 s), write the function again"
    )
    assert summary.endswith("; what solves most in a second comes first.")
