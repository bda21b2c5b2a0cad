from hypothesis import given
from hypothesis import strategies as st

from mulligan.workspace.files.text_files import split_lines
from mulligan.workspace.run_tree.returning import with_endings_of

WORDS = st.sampled_from(["", "a", "b", "def f():", "    return 1"])
ENDINGS = st.sampled_from(["\n", "\r\n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(st.lists(st.tuples(WORDS, ENDINGS), max_size=8))
    return "".join(word + ending for word, ending in lines) + draw(WORDS)


@given(text=texts())
def test_a_texts_own_lines_give_the_text(text: str) -> None:
    assert with_endings_of(text, "\n".join(split_lines(text)).split("\n")) == text


@given(text=texts(), place=st.integers(0, 8), word=WORDS)
def test_one_line_changed_and_changed_back_gives_the_text(text: str, place: int, word: str) -> None:
    lines = list(split_lines(text)) or [""]
    changed = lines.copy()
    changed[place % len(lines)] = f"{word} changed"
    assert with_endings_of(with_endings_of(text, changed), lines) == text


@given(text=texts().filter(bool), lines=st.lists(WORDS, min_size=1, max_size=8))
def test_the_lines_are_those_given_and_the_end_is_as_it_was(text: str, lines: list[str]) -> None:
    made = with_endings_of(text, lines)
    ends = text.endswith("\n")
    assert split_lines(made if ends else f"{made}\n") == tuple(lines)
    assert not ends or made.endswith("\n")


def test_new_lines_end_as_most_do() -> None:
    assert with_endings_of("a\r\nb\r\nc\n", ["a", "b", "c", "d"]) == "a\r\nb\r\nc\nd\n"
    assert with_endings_of("a\r\nb\r\n", ["new", "a", "b"]) == "new\r\na\r\nb\r\n"
