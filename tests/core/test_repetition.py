import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.repetition import (
    CallRecord,
    TextWatch,
    call_record,
    detect_loop,
    find_repeated_text,
    mask_volatile,
    settle,
)


def calls(text: str) -> list[CallRecord]:
    """`"a b a2"`: calls named by their letters; a digit is another result, a quote mark another state."""
    return [
        CallRecord(word[0], "{}", result="".join(filter(str.isdigit, word)), state="'" * word.count("'"))
        for word in text.split()
    ]


@pytest.mark.parametrize(
    ("history", "round_", "rounds"),
    [
        pytest.param("a a a", ("a",), 3, id="the same call three times"),
        pytest.param("b c a a a", ("a",), 3, id="after other work"),
        pytest.param("a b a b a b", ("a", "b"), 3, id="a cycle of two after three rounds"),
        pytest.param("a b c a b c", ("a", "b", "c"), 2, id="a cycle of three after two rounds"),
        pytest.param("a b c d a b c d", ("a", "b", "c", "d"), 2, id="a cycle of four"),
        pytest.param("x a b c d e a b c d e", ("a", "b", "c", "d", "e"), 2, id="a cycle of five"),
        pytest.param("a a b a a b", ("a", "a", "b"), 2, id="a round that holds a call twice"),
    ],
)
def test_a_loop_is_seen(history: str, round_: tuple[str, ...], rounds: int) -> None:
    loop = detect_loop(calls(history))
    assert loop is not None
    assert (loop.calls, loop.rounds) == (round_, rounds)


@pytest.mark.parametrize(
    "history",
    [
        pytest.param("", id="nothing"),
        pytest.param("a a", id="twice is not yet a loop"),
        pytest.param("a a b", id="ended by another call"),
        pytest.param("a b a b a", id="two and a half rounds"),
        pytest.param("a b c d e f a b c d e f", id="a cycle of six is too long"),
        pytest.param("a1 a2 a3", id="polling: the result differs each time"),
        pytest.param("a a a'", id="the work tree changed in between"),
        pytest.param("t e t' e' t'' e'' t'''", id="tests after every edit"),
    ],
)
def test_honest_work_is_no_loop(history: str) -> None:
    assert detect_loop(calls(history)) is None


def test_calls_are_compared_by_meaning_not_by_the_order_of_their_arguments() -> None:
    assert call_record("grep", {"a": 1, "b": [2]}, "", "") == call_record("grep", {"b": [2], "a": 1}, "", "")


def test_calls_that_ran_side_by_side_have_no_order_and_no_duplicates() -> None:
    a, b = calls("a b")
    assert settle([b, a, b]) == settle([a, b])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("3 passed in 0.12s", "3 passed in 14.5s", id="duration"),
        pytest.param("done after 3 ms", "done after 812 ms", id="milliseconds"),
        pytest.param("at 2026-11-15 10:00:00", "at 2026-11-16 23:59:59.5", id="date and time"),
        pytest.param("2026-11-15T10:00:00Z ok", "2026-11-15T10:00:07+01:00 ok", id="ISO time"),
        pytest.param("[10:00:00] ok", "[11:22:33] ok", id="clock"),
        pytest.param("<Foo object at 0x7f3a12>", "<Foo object at 0x55d0ab99>", id="address"),
        pytest.param("killed pid 4711", "killed pid 12", id="process"),
    ],
)
def test_what_differs_by_itself_is_masked(one: str, other: str) -> None:
    assert mask_volatile(one) == mask_volatile(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("3 passed in 0.1s", "4 passed in 0.1s", id="number of tests"),
        pytest.param("error in line 12", "error in line 13", id="line number"),
        pytest.param("a.py:12: x", "a.py:13: x", id="place"),
    ],
)
def test_what_means_progress_is_not_masked(one: str, other: str) -> None:
    assert mask_volatile(one) != mask_volatile(other)


SENTENCE = "The function reads the file and returns its lines. "
BLOCK = "First open the file.\nThen read every line of it.\n\nAfter that, close the file again.\n\n"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("Well. " + SENTENCE * 6, "Well. " + SENTENCE.strip(), id="a sentence"),
        pytest.param("Well. " + SENTENCE * 6 + "The function rea", "Well. " + SENTENCE.strip(), id="cut within it"),
        pytest.param(BLOCK * 5, BLOCK.strip(), id="a block of lines"),
        pytest.param("no " * 300, "no", id="one word for ever"),
    ],
)
def test_text_that_goes_on_repeating_itself_is_cut_to_its_first_saying(text: str, kept: str) -> None:
    repeated = find_repeated_text(text)
    assert repeated is not None
    assert repeated.kept == kept


def test_a_numbered_list_of_one_sentence_is_repetition() -> None:
    text = "".join(f"{n}. The file must be opened before it is read.\n" for n in range(10, 25))
    assert find_repeated_text(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(SENTENCE * 3, id="three times may be emphasis"),
        pytest.param("=" * 120, id="a rule"),
        pytest.param("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20, id="a table"),
        pytest.param("```python\n" + "    assert parse(text) == expected_value\n" * 8, id="lines of code"),
        pytest.param("```c\n" + "".join(f"case {n}: return value_of({n});\n" for n in range(30)), id="a switch"),
        pytest.param("0, " * 100, id="zeros"),
        pytest.param("".join(f"- `src/module_{c}.py` holds the {c} part\n" for c in "abcdefghij"), id="a list"),
        pytest.param(
            "".join(f"{n}. The file src/mod{n}.py defines a class.\n" for n in range(1, 30)),
            id="a list of numbered files",
        ),
    ],
)
def test_honest_text_is_left_alone(text: str) -> None:
    assert find_repeated_text(text) is None


@given(st.text(alphabet="abcdefg hijk.\n", min_size=30, max_size=400), st.integers(12, 20))
def test_whatever_is_repeated_often_enough_is_found_and_kept_at_most_twice(unit: str, times: int) -> None:
    words = unit + " these are four words"
    text = "Start: " + words * times
    repeated = find_repeated_text(text)
    assert repeated is not None
    assert text.startswith(repeated.kept)
    assert len(repeated.kept) <= len("Start: ") + 2 * len(words)


def test_prose_without_repetition_is_never_cut() -> None:
    words = [f"w{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400)]
    shuffle = random.Random(7)
    for _ in range(50):
        text = " ".join(shuffle.choices(words, k=3000))
        assert find_repeated_text(text) is None


@given(
    st.lists(
        st.sampled_from(["The file is read, then closed. ", "\n", "```", "``", "`", "1. ", "2) one", "0", "x = 1\n"])
    ),
    st.integers(1, 40),
    st.booleans(),
)
def test_a_text_that_grows_is_seen_as_if_it_were_read_whole_each_time(
    pieces: list[str], times: int, code: bool
) -> None:
    watch, text = TextWatch(code=code, every=1), ""
    for piece in pieces + pieces[-1:] * times:
        text += piece
        assert watch.add(piece) == find_repeated_text(text, code=code)
    assert watch.whole() == text


def test_a_look_at_a_text_costs_the_same_however_long_it_has_become() -> None:
    """Looked at from its beginning each time, a text of this length would take hours."""
    watch = TextWatch()

    assert not any(watch.add(f"{number} and so on. ") for number in range(100_000))
