import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.codecontext.symbol_search import PLENTY, NameList, fits

NAMES = ["parse", "Parse", "parse_file", "file_parser", "read_source_file", "pxaxrxse", "purse", "other", "sparse"]
LETTERS = st.text("abAB_", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("parse", {"parse": 0, "Parse": 1, "parse_file": 2, "file_parser": 4, "sparse": 4, "pxaxrxse": 6, "purse": 7}),
        ("read file", {"read_source_file": 3}),
        ("rsf", {"read_source_file": 5}),
        ("\n", {}),
        ("nothing_like_it", {}),
    ],
)
def test_each_name_is_told_with_how_well_it_fits(query: str, expected: dict[str, int]) -> None:
    assert {name: quality for quality, name in fits(query, NameList(NAMES))} == expected


def test_few_letters_are_looked_for_inside_of_names_unless_plenty_begin_with_them() -> None:
    inside = ["max", "box"]
    assert {name for _, name in fits("x", NameList([*inside, "x1"]))} == {*inside, "x1"}
    plenty = [f"x{number}" for number in range(PLENTY)]
    assert {name for _, name in fits("x", NameList([*inside, *plenty]))} == {*plenty}


@given(names=st.lists(LETTERS, unique=True, max_size=8), word=LETTERS)
def test_a_word_is_found_in_every_name_that_holds_it(names: list[str], word: str) -> None:
    low, known = word.lower(), NameList(names)
    assert known.holding(low) == [place for place, name in enumerate(known.names) if low in name.lower()]


@given(names=st.lists(LETTERS, unique=True, max_size=8), word=LETTERS)
def test_letters_are_found_in_order(names: list[str], word: str) -> None:
    letters = word.lower()

    def holds(name: str) -> bool:
        rest = iter(name)
        return name[0] == letters[0] and all(letter in rest for letter in letters)

    known = NameList(names)
    assert known.with_letters(letters) == [place for place, name in enumerate(known.names) if holds(name.lower())]
