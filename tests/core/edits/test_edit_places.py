"""Where a text is found, and the edges of what is put in its place."""

import subprocess
import sys

import pytest

from mulligan.core.edits import Ambiguous, EditRefused, ExactMatch, FuzzyMatch, NotFound, apply_edit, locate_match

CONTENT = "def f(a):\n    b = a\n    return b\n\n\ndef g(a):\n    return -a\n"


@pytest.mark.parametrize(
    ("needle", "expected"),
    [
        pytest.param("b = a", ExactMatch(14, 19), id="exact"),
        pytest.param("    b = a  \n", FuzzyMatch(10, 20, "line ends"), id="trailing spaces"),
        pytest.param("\tb = a\n\treturn b\n", FuzzyMatch(10, 33, "white space"), id="tabs"),
        pytest.param("b = a\nreturn b", FuzzyMatch(10, 32, "white space"), id="without a final newline"),
        pytest.param("return b\ndef g(a):\n", FuzzyMatch(20, 45, "blank lines"), id="blank lines dropped"),
        pytest.param("    return \u2013a\n", FuzzyMatch(45, 59, "characters"), id="a dash"),
        pytest.param("def f(a):\n...\nreturn b\n", FuzzyMatch(0, 33, "elision"), id="elision"),
        pytest.param("2: b = a", FuzzyMatch(14, 19, "exact"), id="unwrapped"),
        pytest.param("a):\n", Ambiguous(2, ((1, 1), (6, 6))), id="twice"),
        pytest.param("nothing like it", NotFound(), id="absent"),
        pytest.param("", NotFound(), id="empty"),
    ],
)
def test_a_needle_is_located(needle: str, expected: object) -> None:
    assert locate_match(CONTENT, needle) == expected


def test_matches_say_what_they_are() -> None:
    found = [locate_match(CONTENT, needle).kind for needle in ("b = a", "b  = a", "a):", "zzz")]
    assert found == ["exact", "fuzzy", "ambiguous", "not_found"]


def test_two_hits_at_a_rung_end_the_search() -> None:
    content = "  run( 1 )\nx\nrun(1) \ny\nrun(1, 2)\n"
    assert locate_match(content, "run( 1)\n") == Ambiguous(2, ((1, 1), (3, 3)))


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        pytest.param("", "", "all of it\n", "all of it\n", id="nothing there yet"),
        pytest.param("a\nb\n", "a\n", "c", "c\nb\n", id="line feed left out of new"),
        pytest.param("a\nb\n", "a", "c\n", "c\nb\n", id="line feed left out of old"),
        pytest.param("a\nb\nc\n", "b", "", "a\nc\n", id="a whole line removed"),
        pytest.param("a\n  b\nc\n", "b", "", "a\nc\n", id="a whole line removed, with its indentation"),
        pytest.param("a b c\n", " b", "", "a c\n", id="a part of a line removed"),
        pytest.param("a\nb", "b\n", "c\n", "a\nc", id="no newline at the end of the file"),
        pytest.param("a\r\nb\r\n", "b\n", "c\nd\n", "a\r\nc\r\nd\r\n", id="CRLF"),
        pytest.param("a\rb\r", "b", "c\nd", "a\rc\rd\r", id="carriage returns alone"),
        pytest.param("a\x0bb\u2028c\n", "b", "x", "a\x0bx\u2028c\n", id="characters that end no line"),
    ],
)
def test_edges_are_kept(content: str, old: str, new: str, expected: str) -> None:
    assert apply_edit(content, old, new) == expected


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        pytest.param("a a\na\n", "a", "b", "b b\nb\n", id="exact"),
        pytest.param("aaaa\n", "aa", "b", "bb\n", id="without overlap"),
        pytest.param(
            "  go( 1 )\nx\n\tgo(1)\n", "go(1) \n", "stop(1) \n", "  stop( 1 )\nx\n\tstop(1)\n", id="spaced otherwise"
        ),
        pytest.param("a\r\nb\r\na\r\n", "a", "c\nd", "c\r\nd\r\nb\r\nc\r\nd\r\n", id="CRLF"),
    ],
)
def test_replace_all_takes_every_place(content: str, old: str, new: str, expected: str) -> None:
    assert apply_edit(content, old, new, replace_all=True) == expected


def test_replace_all_of_nothing_is_refused() -> None:
    with pytest.raises(EditRefused) as refused:
        apply_edit("a\n", "zebra", "b", replace_all=True)
    assert refused.value.report.reason == "not_found"


def test_exact_edits_need_no_fuzzy_matching_library() -> None:
    code = (
        "import sys; from mulligan.core.edits import apply_edit; apply_edit('a\\nb\\n', 'a', 'c');"
        "print(sorted({'rapidfuzz', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
