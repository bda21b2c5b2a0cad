"""That the bench of the page runs, and what it says."""

from argparse import Namespace

from bench import page
from bench.results import Figure


def test_the_page_is_opened_and_what_came_over_the_wire_is_told() -> None:
    figures = {each.name: each for each in page.measure(Namespace(runs=1)) if isinstance(each, Figure)}
    assert figures["the first program, over the wire"].holds
    assert figures["the first program, in gzip"].holds
    assert all(each.value > 0 for each in figures.values())
