from typing import Any

import pytest
from rich.console import Console

from mulligan.cli.views.tables import print_table

HEADINGS = ("name", "description")
ROWS = [("one", "the first"), ("three", "the \x1b[31mthird")]


def console(paper: Any, width: int) -> Console:
    return Console(file=paper, width=width, force_terminal=True, color_system=None, _environ={"TERM": "xterm"})


def test_a_wide_terminal_gets_a_table(paper: Any) -> None:
    print_table(HEADINGS, ROWS, console(paper, 80))
    assert [line.split() for line in paper.shown().split("\n")][-2:] == [
        ["one", "the", "first"],
        ["three", "the", "third"],
    ]


def test_a_narrow_terminal_gets_a_paragraph_for_each_row(paper: Any) -> None:
    print_table(HEADINGS, ROWS, console(paper, 40))
    assert paper.shown() == "one\n  description: the first\nthree\n  description: the third"


def test_a_pipe_gets_whole_aligned_lines(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 60
    print_table(HEADINGS, [("one", long.strip()), ("three", "x")])
    lines = capsys.readouterr().out.split("\n")
    assert lines == ["name   description", f"one    {long.strip()}", "three  x", ""]
