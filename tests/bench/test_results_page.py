"""docs/results.md is what the committed results give, and nothing that is claimed goes unmeasured."""

from pathlib import Path

import pytest

from bench import guards, peers
from bench.catalog import BENCHES
from bench.markdown import page
from bench.results import Bench, Result
from bench.stored import from_json
from mulligan.drill.gallery import GALLERY

ROOT = Path(__file__).parents[2]
RESULTS = from_json((ROOT / "bench" / "results.json").read_text(encoding="utf-8"))


def test_the_page_is_made_from_the_results() -> None:
    written = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert written == page(RESULTS, BENCHES), "make it: python -m bench report bench/results.json > docs/results.md"


def _is_usual(bench: Bench) -> bool:
    """Others are measured when somebody has the time, or what it takes."""
    return not bench.needs_others and not bench.takes_long


def test_every_bench_has_a_result_and_every_result_a_bench() -> None:
    measured = [result.bench for result in RESULTS]
    assert measured == [bench.name for bench in BENCHES if _is_usual(bench) or bench.name in measured]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.bench)
def test_a_result_has_figures_of_which_one_at_least_has_a_bound_and_no_name_twice_with_one_baseline(
    result: Result,
) -> None:
    assert any(figure.holds is not None for figure in result.figures)
    names = [(figure.name, figure.baseline.what if figure.baseline else "") for figure in result.figures]
    assert len(names) == len(set(names))


def test_faults_that_others_met_too_are_in_the_gallery() -> None:
    names = [fault.name for fault in GALLERY]
    assert tuple(guards.SAME_FAULT) == peers.FAULTS
    assert all(names.count(name) == 1 for name in guards.SAME_FAULT.values())


def test_every_peer_has_a_cell_for_every_fault() -> None:
    assert {len(met) for met in peers.GUARDS.values()} == {len(peers.FAULTS)}
