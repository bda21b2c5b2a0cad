"""What the model is shown of the files that were found."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.retrieval.excerpts import HEADER, Excerpt, choose_excerpts, keep_shown, matching_lines
from mulligan.core.retrieval.files import Rarity
from mulligan.core.retrieval.request import overview_excerpts, overview_files, project_tree
from mulligan.core.retrieval.terms import read_question

FILLER = [line for n in range(30) for line in (f"def filler_{n}():", "    pass", "")]
LOANS = ["LOAN_DAYS = 21", "", *FILLER, "def lend(book):", "    return LOAN_DAYS", ""]


def choose(question: str, files: Mapping[str, list[str]], budget: int = 500) -> list[Excerpt]:
    asked = read_question(question)
    rarity = Rarity(dict.fromkeys(asked.terms, 1.0), 3.0)
    return choose_excerpts(asked, files, rarity, budget=budget, chars_per_token=4)


def test_a_small_file_is_shown_whole() -> None:
    lines = ["import os", "", "def lend():", "    pass", "", "def other():", "    pass"]
    assert choose("how to lend?", {"a.py": lines}) == [Excerpt("a.py", 1, 7, "\n".join(lines))]


def test_of_a_large_file_the_function_that_is_asked_for_is_shown() -> None:
    excerpts = choose("how does it lend?", {"loans.py": LOANS})
    assert excerpts[-1] == Excerpt("loans.py", 93, 94, "def lend(book):\n    return LOAN_DAYS")


def test_the_constants_it_uses_are_shown_with_it() -> None:
    excerpts = choose("how does it lend?", {"loans.py": LOANS})
    assert excerpts[0] == Excerpt("loans.py", 1, 1, "LOAN_DAYS = 21")


def test_a_method_is_headed_by_its_class() -> None:
    method = [line for n in range(20) for line in (f"    def m{n}(self):", "        work()", "")]
    lines = ["class Library:", *method, "    def lend(self):", "        return 1"]
    (excerpt,) = choose("how does it lend?", {"a.py": lines})
    assert excerpt.text == "class Library:\n    def lend(self):\n        return 1"


def test_what_scores_far_less_than_the_best_is_left_out() -> None:
    files = {"best.py": ["def lend_book(): pass"], "worse.py": ["x = book", *FILLER]}
    assert [each.path for each in choose("how to lend a book?", files)] == ["best.py"]


def test_imports_are_no_evidence() -> None:
    files = {"a.py": ["from loans import lend", "", *FILLER], "b.py": ["lend(book)", "", *FILLER]}
    assert [each.path for each in choose("who calls lend?", files)] == ["b.py"]


def test_a_block_larger_than_the_budget_is_cut() -> None:
    lines = ["def lend():", *["    step()"] * 35]
    (excerpt,) = choose("how to lend?", {"a.py": lines}, budget=30)
    assert excerpt.first == 1
    assert 1 < excerpt.last < 36


@given(st.integers(10, 600), st.lists(st.sampled_from([*FILLER, "lend(LOAN_DAYS)", "LOAN_DAYS = 3"]), max_size=120))
def test_excerpts_stay_within_the_budget_but_for_one_line(budget: int, lines: list[str]) -> None:
    excerpts = choose("how to lend?", {"a.py": lines, "b.py": lines[::-1]}, budget)
    longest = max((len(line) for line in lines), default=0)
    assert sum(len(each.text) for each in excerpts) <= budget * 4 + 2 * longest + HEADER


SHOWN = [Excerpt("a.py", 1, 9, "def lend():\n    pass"), Excerpt("b.py", 1, 2, "B = 1")]


LONG = [
    '"""Lending."""',
    "",
    *FILLER,
    "class Desk:",
    *["    x = 1"] * 40,
    "",
    "    def lend(self):",
    "        return 1",
]


def test_of_a_long_file_its_beginning_and_what_fits_are_read_with_the_numbers_they_have_in_it() -> None:
    asked = read_question("how does it lend?")
    numbers = matching_lines(asked, "loans.py", LONG, Rarity(dict.fromkeys(asked.terms, 1.0), 3.0), most=30)
    assert numbers[:20] == tuple(range(1, 21))
    assert [LONG[number - 1] for number in numbers[-3:]] == ["class Desk:", "    def lend(self):", "        return 1"]


def test_a_file_that_nothing_in_it_fits_is_read_from_its_beginning() -> None:
    asked = read_question("how do elephants dance?")
    numbers = matching_lines(asked, "loans.py", LONG, Rarity({}, 3.0), most=50)
    assert numbers == tuple(range(1, len(numbers) + 1))
    assert 47 <= len(numbers) <= 50


@given(
    st.integers(20, 150), st.lists(st.sampled_from(["def lend():", "    pass", "", "class A:", "x = 1"]), max_size=300)
)
def test_never_more_lines_are_read_than_allowed_and_all_of_a_file_that_has_no_more(most: int, lines: list[str]) -> None:
    asked = read_question("how does it lend?")
    numbers = matching_lines(asked, "a.py", lines, Rarity(dict.fromkeys(asked.terms, 1.0), 3.0), most=most)
    assert list(numbers) == sorted({*numbers} & {*range(1, len(lines) + 1)})
    assert len(numbers) <= most
    assert len(lines) > most or len(numbers) == len(lines)


def test_a_follow_up_on_what_was_shown_begins_with_the_same_excerpts() -> None:
    new = Excerpt("c.py", 1, 1, "C = 1")
    found = [Excerpt("a.py", 1, 1, "def lend():"), new]
    assert keep_shown(SHOWN, found, budget=100, chars_per_token=4) == [*SHOWN, new]


def test_a_follow_up_on_something_else_is_shown_that_alone() -> None:
    found = [Excerpt("c.py", 1, 1, "C = 1"), SHOWN[0]]
    assert keep_shown(SHOWN, found, budget=100, chars_per_token=4) == found


def test_what_is_new_must_fit_beside_what_was_shown() -> None:
    found = [SHOWN[0], Excerpt("c.py", 1, 9, "x" * 400)]
    assert keep_shown(SHOWN, found, budget=50, chars_per_token=4) == SHOWN


def test_what_was_shown_is_not_kept_where_it_no_longer_fits() -> None:
    assert keep_shown(SHOWN, SHOWN[:1], budget=5, chars_per_token=4) == SHOWN[:1]


def test_the_overview_is_the_readme_and_then_the_manifests() -> None:
    paths = ["docs/README.md", "pyproject.toml", "README.md", "src/a.py"]
    assert overview_files(paths) == ["README.md", "pyproject.toml"]


def test_the_overview_is_cut_to_its_budget() -> None:
    files = {"README.md": ["word " * 10] * 100, "pyproject.toml": ['name = "a"'] * 3}
    readme, manifest = overview_excerpts(files, budget=200, chars_per_token=4)
    assert readme.last < 100
    assert manifest.last == 3
    assert len(readme.text) + len(manifest.text) <= 800


def test_the_tree_counts_the_files_of_each_folder() -> None:
    assert project_tree(["README.md", "src/a.py", "src/b.py", "src/x/y/z.py"]) == (
        "README.md\nsrc/ (2 files)\nsrc/x/ (1 file)"
    )
