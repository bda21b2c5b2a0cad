"""A change put onto a text that somebody else changed, too."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.line_diff import split_keeping_ends
from mulligan.workspace.changes.merging import Misfit, hunks, put_hunks

LINES = [f"line {number}\n" for number in range(30)]
TEXT = "".join(LINES)


def changed(text: str, **lines: str) -> str:
    for name, line in lines.items():
        text = text.replace(f"line {name[1:]}\n", line)
    return text


@pytest.mark.parametrize(
    ("after", "present", "result"),
    [
        pytest.param(
            changed(TEXT, _5="five\n"),
            changed(TEXT, _20="theirs\n"),
            changed(TEXT, _5="five\n", _20="theirs\n"),
            id="far",
        ),
        pytest.param(
            changed(TEXT, _5="five\n"),
            changed(TEXT, _7="theirs\n"),
            changed(TEXT, _5="five\n", _7="theirs\n"),
            id="near",
        ),
        pytest.param(
            changed(TEXT, _5="five\n"),
            "".join(LINES[20:] + LINES[:20]),
            changed("".join(LINES[20:] + LINES[:20]), _5="five\n"),
            id="the block was moved",
        ),
        pytest.param(
            changed(TEXT, _5="", _25="new\nline 25\n"),
            "top\n" + changed(TEXT, _15=""),
            "top\n" + changed(TEXT, _5="", _15="", _25="new\nline 25\n"),
            id="a line taken out and one put in",
        ),
        pytest.param(
            changed(TEXT, _0="first\nline 0\n", _29="line 29\nlast\n"),
            changed(TEXT, _15="theirs\n"),
            changed(TEXT, _0="first\nline 0\n", _15="theirs\n", _29="line 29\nlast\n"),
            id="at both ends",
        ),
    ],
)
def test_both_changes_are_there_in_the_end(after: str, present: str, result: str) -> None:
    assert put_hunks(TEXT, after, present) == result


@pytest.mark.parametrize(
    ("after", "present", "words"),
    [
        pytest.param(changed(TEXT, _5="five\n"), "", "line 6 is no longer there", id="all is gone"),
        pytest.param(changed(TEXT, _5="five\n"), changed(TEXT, _5="theirs\n"), "line 6 is no longer", id="same line"),
        pytest.param(changed(TEXT, _5="five\n"), TEXT * 3, "line 6 is there 3 times", id="three times"),
        pytest.param(
            changed(TEXT, _5="five\n", _25="new\n"),
            "".join(LINES[20:] + LINES[:20]),
            "no longer in their order",
            id="moved past each other",
        ),
    ],
)
def test_what_is_not_certain_is_refused(after: str, present: str, words: str) -> None:
    refused = put_hunks(TEXT, after, present)

    assert isinstance(refused, Misfit)
    assert words in refused.why


HEAD, TAIL = "".join(f"head {n}\n" for n in range(20)), "".join(f"tail {n}\n" for n in range(20))
BLOCK = "".join(f"    step_{name}(thing)\n" for name in "abcd") + "    x = 1\n" + "    last(thing)\n" * 4


@pytest.mark.parametrize(
    ("block", "elsewhere"),
    [
        pytest.param("p = 0\nx = 1\nq = 2\n", "other\np = 0\nx = 1\nq = 2\nmore\n", id="a few lines among others"),
        pytest.param(BLOCK, BLOCK.replace("x = 1", "x  =  1"), id="a block all but alike"),
    ],
)
def test_lines_that_went_and_others_like_them_that_came_elsewhere_are_not_mixed_up(block: str, elsewhere: str) -> None:
    before = HEAD + block + TAIL

    refused = put_hunks(before, before.replace("x = 1", "x = 9"), HEAD + TAIL + elsewhere)

    assert isinstance(refused, Misfit)


def test_dots_in_a_file_stand_for_nothing_but_themselves() -> None:
    before = "class P:\n    ...\n    x = 1\n    y = 2\n"
    present = before.replace("...", "real\n    code\n    of_theirs")

    assert isinstance(put_hunks(before, before.replace("x = 1", "x = 9"), present), Misfit)


def test_the_context_grows_until_the_place_is_unique() -> None:
    old = [*["same\n"] * 20, "end\n"]
    new = [*["same\n"] * 10, "new\n", *["same\n"] * 10, "end\n"]

    (hunk,) = hunks(old, new, 1)

    assert "".join(old).count(hunk.old) == 1
    assert put_hunks("".join(old), "".join(new), "top\n" + "".join(old)) == "top\n" + "".join(new)


def test_a_line_repeated_very_often_is_dealt_with() -> None:
    old = ["same\n"] * 50_000
    new = [*old[:20_000], "new\n", *old[20_000:]]

    assert put_hunks("".join(old), "".join(new), "".join(old) + "theirs\n") == "".join(new) + "theirs\n"


lines = st.lists(st.sampled_from(["a", "b", "", "}", "    x = 1", *(f"line {n}" for n in range(9))]), max_size=14)
touches = st.lists(st.tuples(st.integers(0, 14), st.sampled_from(["replace", "insert", "remove"])), max_size=3)


def touched(base: list[str], by: str, how: list[tuple[int, str]]) -> list[str]:
    result = list(base)
    for number, (place, kind) in enumerate(how):
        result[place : place + (kind != "insert")] = [] if kind == "remove" else [f"{by} {number} {place}"]
    return result


def written(text: str | list[str], by: str) -> Counter[str]:
    text = text if isinstance(text, str) else "".join(f"{line}\n" for line in text)
    return Counter(line.strip() for line in split_keeping_ends(text) if line.startswith(by))


@given(base=lines, ours=touches, theirs=touches)
def test_no_line_of_theirs_is_lost_and_all_of_ours_are_there(
    base: list[str], ours: list[tuple[int, str]], theirs: list[tuple[int, str]]
) -> None:
    after, present = touched(base, "agent", ours), touched(base, "person", theirs)

    result = put_hunks(*("".join(f"{line}\n" for line in each) for each in (base, after, present)))

    if isinstance(result, str):
        assert written(result, "person") == written(present, "person")
        assert written(result, "agent") == written(after, "agent")
