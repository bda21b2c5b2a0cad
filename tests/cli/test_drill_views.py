"""What a user or a program without a terminal reads of a drill."""

import json

import pytest

from mulligan.cli.views.drill_views import DrillView, JsonDrillView, PlainDrillView
from mulligan.drill.fault import DrillEnd, Outcome
from tests.cli.drill_samples import BROKEN, BROKEN_END, CYCLE, DRIFTED, END, FAULTS, SAME_CALL


def play(view: DrillView, *outcomes: Outcome, end: DrillEnd | None = END) -> None:
    for fault in FAULTS:
        view.begin(fault)
    for outcome in outcomes:
        view.take(outcome)
    if end:
        view.finish(end)
    view.close()


def test_without_a_terminal_each_fault_is_a_line_and_the_summary_comes_last(capsys: pytest.CaptureFixture[str]) -> None:
    play(PlainDrillView(FAULTS), SAME_CALL, CYCLE, DRIFTED)
    assert capsys.readouterr().out.splitlines() == [
        "holds   same-call  the same call for ever → doom loop, exit 3, 4 requests",
        "holds   cycle      two calls in turn → doom loop, exit 3, 7 requests",
        "holds   drifted    an edit that misses by a space → applied 1 change; answered, exit 0, 1 request",
        "",
        "3 of 3 faults held · 12 requests · 31 s",
    ]


def test_lines_come_in_the_order_of_the_gallery_whatever_ends_first(capsys: pytest.CaptureFixture[str]) -> None:
    play(PlainDrillView(FAULTS), DRIFTED, CYCLE, SAME_CALL)
    names = [line.split()[1] for line in capsys.readouterr().out.splitlines()[:3]]
    assert names == ["same-call", "cycle", "drifted"]


def test_a_broken_fault_says_what_does_not_hold_and_how_to_play_it_alone(capsys: pytest.CaptureFixture[str]) -> None:
    play(PlainDrillView(FAULTS), SAME_CALL, CYCLE, BROKEN, end=BROKEN_END)
    out = capsys.readouterr().out
    assert out.splitlines()[2].startswith("BROKEN  drifted")
    assert out.splitlines()[3:] == [
        "",
        "drifted: an edit that misses by a space",
        "  one.py holds b''",
        "  exit code 1, not 0",
        "  To run it alone: mulligan drill --only drifted",
        "",
        "2 of 3 faults held · 12 requests · 31 s",
    ]
    assert "\x1b" not in out


def test_a_drill_that_was_stopped_says_how_far_it_came_and_sums_nothing_up(capsys: pytest.CaptureFixture[str]) -> None:
    play(PlainDrillView(FAULTS), SAME_CALL, end=None)
    out, notes = capsys.readouterr()
    assert "held" not in out
    assert notes == "Stopped after 1 of 3 faults.\n"


def test_json_is_an_object_a_line_as_they_come_then_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    play(JsonDrillView(), CYCLE, SAME_CALL)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("name", line["type"]) for line in lines] == ["cycle", "same-call", "drill_end"]


@pytest.mark.parametrize(("end", "code"), [pytest.param(END, 0, id="all"), pytest.param(BROKEN_END, 1, id="not all")])
def test_the_exit_code_is_0_only_if_all_hold(end: DrillEnd, code: int) -> None:
    assert end.exit_code == code
