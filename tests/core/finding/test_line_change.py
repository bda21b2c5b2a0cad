"""A change by pointing: which lines can be chosen, and what comes of a choice."""

import pytest

from mulligan.core.finding.excerpts import Excerpt
from mulligan.core.finding.line_change import (
    LineChange,
    LinePlace,
    around,
    change_schema,
    changed_lines,
    line_choices,
    read_change,
)

A = Excerpt("a.py", 10, 13, "def f():\n    return 1\n\ndef g():")
B = Excerpt("b.py", 1, 2, "def h():\n    return 1")


def test_a_line_is_chosen_by_its_text() -> None:
    assert line_choices([A])["def g():"] == LinePlace("a.py", 13)


def test_a_line_that_stands_twice_is_told_by_the_one_above_it() -> None:
    choices = line_choices([A, B])
    assert choices["def h():\nreturn 1"] == LinePlace("b.py", 2)
    assert "return 1" not in choices


def test_a_line_that_nothing_tells_apart_is_not_offered() -> None:
    assert line_choices([Excerpt("a.py", 1, 4, "\nx = 1\n\nx = 1")]) == {}


def test_only_lines_that_are_there_can_be_chosen() -> None:
    assert change_schema(list(line_choices([B])))["properties"]["old"] == {"enum": ["def h():", "return 1"]}


@pytest.mark.parametrize(
    ("given", "change"),
    [
        pytest.param({"old": "return 1", "new": "return 2"}, LineChange(LinePlace("b.py", 2), "return 2"), id="a line"),
        pytest.param({"old": "return 1", "new": " return 1 "}, None, id="changes nothing"),
        pytest.param({"old": "return 3", "new": "return 2"}, None, id="no such line"),
        pytest.param({"old": "return 1"}, None, id="half an answer"),
        pytest.param({}, None, id="no answer"),
    ],
)
def test_what_the_model_gave_is_read_or_refused(given: dict[str, str], change: LineChange | None) -> None:
    assert read_change(given, line_choices([B])) == change


def test_the_line_above_is_not_written_twice() -> None:
    choices = line_choices([A, B])
    change = read_change({"old": "def h():\nreturn 1", "new": "def h():\nreturn 2"}, choices)
    assert change == LineChange(LinePlace("b.py", 2), "return 2")


@pytest.mark.parametrize(
    ("new", "becomes"),
    [
        pytest.param("y = 2", ["\ty = 2"], id="indented as the place"),
        pytest.param("if x:\n    y = 2", ["\tif x:", "\t    y = 2"], id="inner indentation is kept"),
        pytest.param("\ty = 2\n", ["\ty = 2"], id="indented already"),
        pytest.param("", [], id="deleted"),
    ],
)
def test_the_new_text_takes_the_indentation_of_the_old_line(new: str, becomes: list[str]) -> None:
    lines = ["def f():", "\ty = 1", "\treturn y"]
    changed = changed_lines(lines, LineChange(LinePlace("a.py", 2), new))
    assert changed == ["def f():", *becomes, "\treturn y"]


def test_the_stretch_around_a_line_is_as_short_as_it_can_be() -> None:
    assert around(["a", "b", "c"], 2) == (1, 2)
    assert around(["x", "a", "y", "a", "z"], 4) == (2, 5)
