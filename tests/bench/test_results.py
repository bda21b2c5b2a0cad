"""What a figure says of itself, and how results are kept."""

import json
from dataclasses import replace

import pytest

from bench.results import Baseline, Bound, Figure, at_least, at_most
from bench.stored import from_json, merged, to_json
from tests.bench.results_made_up import FAST, PLAIN, ROWS, SLOW, result

GIT = Baseline("git", 10.0)


@pytest.mark.parametrize(
    ("value", "bound", "baseline", "holds"),
    [
        pytest.param(1.0, None, GIT, None, id="nothing is asked"),
        pytest.param(5.0, at_most(5), None, True, id="just at most"),
        pytest.param(5.1, at_most(5), None, False, id="more than at most"),
        pytest.param(97.0, at_least(97), None, True, id="just at least"),
        pytest.param(96.9, at_least(97), None, False, id="less than at least"),
        pytest.param(20.0, at_most(2, of="ratio"), GIT, True, id="just the ratio"),
        pytest.param(21.0, at_most(2, of="ratio"), GIT, False, id="more than the ratio"),
        pytest.param(1.0, at_most(2, of="ratio"), None, False, id="a ratio to nothing"),
        pytest.param(1.0, at_most(2, of="ratio"), Baseline("git", 0.0), False, id="a ratio to zero"),
        pytest.param(float("inf"), at_most(100), None, False, id="nothing came"),
    ],
)
def test_a_bound_holds_or_does_not(
    value: float, bound: Bound | None, baseline: Baseline | None, holds: bool | None
) -> None:
    assert Figure("f", value, "ms", bound, baseline).holds is holds


def test_a_result_names_the_figures_that_miss_their_bound() -> None:
    assert result("b", FAST, SLOW, PLAIN).missed == (SLOW,)


def test_what_is_kept_reads_back_the_same_but_for_digits_that_do_not_count() -> None:
    kept = result("b", SLOW, PLAIN, tables=(ROWS,), arguments=("--seed", "3"))
    (read,) = from_json(to_json([kept]))
    assert read.seconds == 12.35
    assert read.tables[0].rows == (("a | b", 1.235, True), ("c", None, False))
    assert replace(read, seconds=kept.seconds, tables=kept.tables) == kept


def test_the_json_tells_ratio_and_verdict_to_who_reads_nothing_else() -> None:
    (kept,) = json.loads(to_json([result("b", FAST, PLAIN)]))
    assert [(figure["ratio"], figure["holds"]) for figure in kept["figures"]] == [(3.123, True), (None, None)]


def test_a_newer_result_takes_the_place_of_the_earlier_and_the_others_stay() -> None:
    earlier = [result("gone", PLAIN), result("two", PLAIN), result("one", PLAIN)]
    newer = result("two", SLOW)
    assert merged(earlier, [newer], ("one", "two", "three")) == [earlier[2], newer]
