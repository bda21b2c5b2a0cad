"""A drill on a terminal."""

from typing import Any

from rich.console import Console

from mulligan.cli.views.drill_table import TerminalDrillView
from mulligan.cli.views.screen import Screen
from mulligan.drill.fault import Fault
from tests.cli.drill_samples import BROKEN, BROKEN_END, CYCLE, DRIFTED, END, FAULTS, SAME_CALL


def view(paper: Any, *, width: int = 100, color: Any = None, faults: tuple[Fault, ...] = FAULTS) -> TerminalDrillView:
    console = Console(
        file=paper, width=width, height=20, force_terminal=True, color_system=color, _environ={"TERM": "xterm"}
    )
    return TerminalDrillView(faults, Screen(console))


def rows(paper: Any) -> list[str]:
    return [" ".join(line.split()) for line in paper.shown().split("\n")]


def test_rows_stand_under_their_groups_and_the_summary_comes_last(paper: Any) -> None:
    shown = view(paper)
    for outcome in (SAME_CALL, CYCLE, DRIFTED):
        shown.take(outcome)
    shown.finish(END)
    shown.close()
    assert rows(paper) == [
        "fault what Mulligan did requests verdict",
        "",
        "loops",
        "the same call for ever doom loop, exit 3 4 holds",
        "two calls in turn doom loop, exit 3 7 holds",
        "",
        "edits",
        "an edit that misses by a space applied 1 change; answered, exit 0 1 holds",
        "",
        "3 of 3 faults held · 12 requests · 31 s",
    ]


def test_verdicts_of_all_rows_stand_in_one_column(paper: Any) -> None:
    shown = view(paper)
    for outcome in (SAME_CALL, CYCLE, DRIFTED):
        shown.take(outcome)
    places = {line.index("holds") for line in paper.shown().split("\n") if "holds" in line}
    assert len(places) == 1


def test_a_row_waits_for_those_before_it(paper: Any) -> None:
    shown = view(paper)
    shown.take(CYCLE)
    assert "two calls" not in paper.shown()
    shown.take(SAME_CALL)
    assert paper.shown().index("the same call") < paper.shown().index("two calls")


async def test_what_is_played_is_shown_below_with_its_seconds_and_gone_at_the_end(paper: Any) -> None:
    shown = view(paper)
    for fault in FAULTS:
        shown.begin(fault)
    shown.take(SAME_CALL)
    shown.redraw()
    *under_way, count = rows(paper)[-3:]
    assert [row[2:] for row in under_way] == ["two calls in turn 0 s", "an edit that misses by a space 0 s"]
    assert count == "1 of 3 done · 0 s"
    shown.close()
    assert rows(paper)[-1] == "Stopped after 1 of 3 faults."
    assert "an edit that misses" not in paper.shown()


async def test_a_machine_that_plays_many_at_once_shows_the_oldest_few(paper: Any) -> None:
    many = tuple(Fault(f"f{number}", f"fault {number}", (), (), group="loops") for number in range(9))
    shown = view(paper, faults=many)
    for fault in many:
        shown.begin(fault)
    shown.redraw()
    assert [row.split(" ", 1)[1] for row in rows(paper)[-5:-1]] == [f"fault {number} 0 s" for number in range(4)]
    assert rows(paper)[-1] == "0 of 9 done, 5 more running · 0 s"
    shown.close()


def test_a_narrow_terminal_gets_two_lines_a_fault(paper: Any) -> None:
    shown = view(paper, width=40)
    shown.take(SAME_CALL)
    assert rows(paper) == ["loops", "holds the same call for ever", "doom loop, exit 3, 4 requests"]


def test_a_broken_fault_is_red_and_told_in_full_before_the_summary(paper: Any) -> None:
    shown = view(paper, color="standard")
    for outcome in (SAME_CALL, CYCLE, BROKEN):
        shown.take(outcome)
    shown.finish(BROKEN_END)
    assert "\x1b[32mholds" in paper.getvalue()
    assert "\x1b[1;31mBROKEN" in paper.getvalue()
    assert "\x1b[1;31m2 of 3 faults held" in paper.getvalue()
    assert "\x1b[2J" not in paper.getvalue()
    told = paper.getvalue().split("drifted: ")[1]
    assert "exit code 1, not 0" in told
    assert "mulligan drill --only drifted" in told
