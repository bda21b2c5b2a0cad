"""A change by pointing: which lines can be chosen, and what comes of a choice."""

import pytest

from mulligan.core.line_change import (
    LineChange,
    LineLocation,
    change_schema,
    changed_lines,
    changed_stretch,
    line_choices,
    line_places,
    read_change,
    read_object,
)
from mulligan.core.retrieval.excerpts import Excerpt

A = Excerpt("a.py", 10, 13, "def f():\n    return 1\n\ndef g():")
B = Excerpt("b.py", 1, 2, "def h():\n    return 1")


def test_a_line_is_chosen_by_its_text() -> None:
    assert line_choices([A])["def g():"] == LineLocation("a.py", 13)


def test_a_line_that_stands_twice_is_told_by_the_one_above_it() -> None:
    choices = line_choices([A, B])
    assert choices["def h():\nreturn 1"] == LineLocation("b.py", 2)
    assert "return 1" not in choices


def test_a_line_that_nothing_tells_apart_is_not_offered() -> None:
    assert line_choices([Excerpt("a.py", 1, 4, "\nx = 1\n\nx = 1")]) == {}


def test_a_line_that_stands_twice_has_two_places() -> None:
    assert line_places([A, B])["return 1"] == (LineLocation("a.py", 11), LineLocation("b.py", 2))


def test_a_line_without_a_word_is_no_place_for_a_change() -> None:
    assert line_places([Excerpt("a.js", 1, 3, "f({\n  a: 1,\n});")]).keys() == {"f({", "a: 1,"}


def test_the_first_line_of_a_class_above_an_excerpt_moves_no_line() -> None:
    method = Excerpt("a.py", 20, 21, "class A:\n    def f(self):\n        return 1")
    assert line_choices([method]) == {"def f(self):": LineLocation("a.py", 20), "return 1": LineLocation("a.py", 21)}


@pytest.mark.parametrize("text", ["", "[1]", '{"old": "x', "null", "plain words"])
def test_a_reply_that_is_no_object_is_read_as_an_empty_one(text: str) -> None:
    assert read_object(text) == {}


def test_only_lines_that_are_there_can_be_chosen() -> None:
    assert change_schema(list(line_choices([B])))["properties"]["old"] == {"enum": ["def h():", "return 1"]}


@pytest.mark.parametrize(
    ("given", "change"),
    [
        pytest.param(
            {"old": "return 1", "new": "return 2"}, LineChange(LineLocation("b.py", 2), "return 2"), id="a line"
        ),
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
    assert change == LineChange(LineLocation("b.py", 2), "return 2")


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
    changed = changed_lines(lines, LineChange(LineLocation("a.py", 2), new))
    assert changed == ["def f():", *becomes, "\treturn y"]


@pytest.mark.parametrize(
    ("before", "after", "stretch"),
    [
        pytest.param("abc", "axc", (1, 2), id="a line that stands once"),
        pytest.param("xayaz", "xaybz", (2, 5), id="a line that stands twice"),
        pytest.param("abcd", "axyd", (1, 3), id="several lines"),
        pytest.param("ab", "abc", (1, 2), id="a line at the end"),
        pytest.param("aa", "aba", (0, 2), id="a line in between"),
    ],
)
def test_the_stretch_around_a_change_is_as_short_as_it_can_be(
    before: str, after: str, stretch: tuple[int, int]
) -> None:
    assert changed_stretch(before, after) == stretch
