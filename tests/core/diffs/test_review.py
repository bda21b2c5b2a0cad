"""Findings count only where the diff has their line."""

import pytest

from mulligan.core.diffs.patch import FileDiff, read_patch
from mulligan.core.diffs.review import (
    DroppedFinding,
    Portion,
    ReadReview,
    ReviewFinding,
    fails,
    portions,
    read_review,
    review_question,
)
from mulligan.types.model_io import UserText


def changed(path: str, *added: str, start: int = 10) -> FileDiff:
    lines = "".join(f"+{line}\n" for line in added)
    span = f"@@ -{start - 1},1 +{start - 1},{len(added) + 1} @@"
    (file,) = read_patch(f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{span}\n before\n{lines}")
    return file


APP = changed("src/app.py", "total = 0", "return items[0]", "open(path).read()")
OTHER = changed("other.py", "x = 1")
BOTH = Portion(tuple((file, file.hunks[0]) for file in (APP, OTHER)))
ONE = Portion(((APP, APP.hunks[0]),))
EMPTY = ReviewFinding("src/app.py", 11, "error", "fails if there are no items")


@pytest.mark.parametrize(
    ("reply", "portion"),
    [
        pytest.param("src/app.py:11: error: fails if there are no items", BOTH, id="as asked for"),
        pytest.param("- `src/app.py:11`: **error**: fails if there are no items", BOTH, id="in Markdown"),
        pytest.param("1. src/app.py:11:5: bug: fails if there are no items", BOTH, id="numbered, with a column"),
        pytest.param("app.py:11-12: critical - fails if there are no items", BOTH, id="the end of a path, a span"),
        pytest.param("11: error: fails if there are no items", ONE, id="no path, where there is one file"),
        pytest.param("Line 11: [error] - fails if there are no items", ONE, id="in words"),
        pytest.param("Let me see.\n\nsrc/app.py:11: error: fails if there are no items\n", BOTH, id="after talk"),
    ],
)
def test_a_finding_is_read(reply: str, portion: Portion) -> None:
    assert read_review(reply, portion) == ReadReview((EMPTY,))


@pytest.mark.parametrize(
    "reply", ["none", "None.", "No problems found.", "`none`", "LGTM", "There are no real issues here"]
)
def test_nothing_was_found(reply: str) -> None:
    assert read_review(reply, BOTH) == ReadReview()


def test_a_reply_that_says_neither_can_not_be_read() -> None:
    assert read_review("The change looks plausible, but I would test it.", BOTH) is None
    assert read_review("", BOTH) is None


def test_a_line_that_is_not_in_the_diff_moves_to_the_code_that_is_quoted() -> None:
    read = read_review("src/app.py:99: warning: `open(path)` is never closed", BOTH)
    assert read == ReadReview(
        (ReviewFinding("src/app.py", 12, "warning", "`open(path)` is never closed", given_line=99),)
    )


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        pytest.param("src/app.py:99: error: wrong", "line 99 of src/app.py is not in the diff", id="another line"),
        pytest.param("src/app.py:99: error: `e` wrong", "line 99 of src/app.py is not in the diff", id="a short quote"),
        pytest.param("gone.py:1: error: wrong", "it names no file of the diff", id="another file"),
        pytest.param("11: error: wrong", "it names no file of the diff", id="no file, where there are two"),
    ],
)
def test_a_finding_without_a_place_is_dropped_and_said(reply: str, why: str) -> None:
    assert read_review(reply, BOTH) == ReadReview((), (DroppedFinding(reply, why),))


def test_the_same_finding_twice_is_one() -> None:
    twice = "src/app.py:11: error: fails if there are no items\n" * 2
    assert read_review(twice, BOTH) == ReadReview((EMPTY,))


def test_small_contexts_are_asked_hunk_by_hunk() -> None:
    long = changed("long.py", *(f"line {number}" for number in range(100)))
    made = portions([APP, long, OTHER], 400, one_file=True)
    assert all(len(portion.text) <= 400 for portion in made)
    assert made[0].paths == ("src/app.py",)
    shown = [line.text for portion in made for _, lines in portion.files for line in lines if line.mark == "+"]
    assert shown == [line.text for file in (APP, long, OTHER) for line in file.hunks[0] if line.mark == "+"]


def test_large_contexts_are_asked_about_several_files_at_once() -> None:
    (portion,) = portions([APP, OTHER], 4_000, one_file=False)
    assert portion.paths == ("src/app.py", "other.py")
    question = review_question(portion)[-1]
    assert isinstance(question, UserText)
    assert "    11 + return items[0]" in question.text


@pytest.mark.parametrize(("at", "expected"), [("error", True), ("note", True), (None, False)])
def test_what_fails_a_review(at: str | None, expected: bool) -> None:
    assert fails([EMPTY], at) is expected  # pyright: ignore[reportArgumentType]
    assert not fails([ReviewFinding("a.py", 1, "note", "hm")], "warning")
