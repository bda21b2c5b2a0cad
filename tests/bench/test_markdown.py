"""How results are shown."""

from bench.markdown import FOLDED_FROM, page, section
from bench.results import Table, at_most
from tests.bench.results_made_up import FAST, PLAIN, RIGHT, ROWS, SLOW, bench_of, result

BENCH = bench_of("start")


def test_a_figure_stands_with_its_baseline_ratio_bound_and_verdict() -> None:
    shown = section(result("start", FAST, SLOW), BENCH)
    assert (
        "| figure | measured | beside it | ratio | bound | holds | note |\n|---|---|---|---|---|---|---|\n"
        "| first request | 0.312 s | 0.1 s (bare client) | 3.12 | at most 0.35 | yes | median |\n"
        "| gap | 12 ms |  |  | at most 10 | **NO** |  |\n"
    ) in shown


def test_columns_that_no_figure_needs_are_left_out() -> None:
    shown = section(result("start", RIGHT, PLAIN), BENCH)
    assert "| figure | measured | bound | holds |\n" in shown
    assert "| right | 99.96 % | at least 97 | yes |\n| requests | 1,234 |  |  |\n" in shown


def test_a_bound_on_a_ratio_says_so() -> None:
    figure = type(FAST)("checkpoint", 20.0, "ms", at_most(2.5, of="ratio"), FAST.baseline)
    assert "| at most 2.5 times |" in section(result("start", figure), BENCH)


def test_a_section_says_how_when_where_and_with_what_it_was_measured() -> None:
    shown = section(result("start", FAST, arguments=("--kind", "two words")), BENCH)
    assert shown.startswith("## The start\n\nHow start is measured.\n\n")
    assert (
        "`python -m bench start --kind 'two words'`, 2026-11-16, at commit abc, in 12.3 s. Some Processor, 2 cores, "
        "7.6 GB, Linux x86_64; load before the run: 0.1. Python 3.11, git 2.39.\n"
    ) in shown


def test_a_table_has_its_title_its_note_and_cells_that_cannot_break_it() -> None:
    shown = section(result("start", tables=(ROWS,)), BENCH)
    assert shown.endswith(
        "### Rows\n\nA note.\n\n| what | ms | holds |\n|---|---|---|\n| a \\| b | 1.23 | yes |\n| c | - | **NO** |\n"
    )


def test_a_long_table_is_folded() -> None:
    rows = tuple((number,) for number in range(FOLDED_FROM))
    long, short = (section(result("start", tables=(Table("T", ("n",), each),)), BENCH) for each in (rows, rows[1:]))
    assert f"<details><summary>{FOLDED_FROM} rows</summary>\n\n| n |" in long
    assert "<details>" not in short


def test_the_page_has_a_row_for_every_bench_those_too_that_were_not_run() -> None:
    part = result("part", FAST, arguments=("--only", "this"))
    shown = page([result("start", FAST, SLOW, PLAIN), part], [BENCH, bench_of("part"), bench_of("other")])
    assert "| [The start](#the-start) | `start` | 1 of 2 | 2026-11-16 |\n" in shown
    assert "| [The part](#the-part) | `part` | 1 of 1 | 2026-11-16, with options |\n" in shown
    assert "| The other | `other` | - | not yet |\n" in shown
    assert "## The other" not in shown
