"""Who uses a name, from the text of a file and its symbols."""

import pytest

from mulligan.core.retrieval.uses import NameUse, subclasses_in, uses_in
from mulligan.types.codecontext import Symbol

DESK = """\
from shelf.loans import (
    give_back,
    lend,
)

# lend comes first

class Desk:
    def hand_out(self, book):
        lend(book)
        return lend(book, again=True)

    def lender(self):
        return None

FIRST = lend("Ulysses")
"""
SYMBOLS = (
    Symbol("Desk", "class", "desk.py", 8, 14, "class Desk"),
    Symbol("hand_out", "method", "desk.py", 9, 11, "def hand_out(self, book)", parent="Desk"),
    Symbol("lender", "method", "desk.py", 13, 14, "def lender(self)", parent="Desk"),
    Symbol("FIRST", "constant", "desk.py", 16, 16, "FIRST"),
)


def test_each_user_is_told_once_by_the_innermost_function_around_and_imports_and_comments_are_none() -> None:
    assert uses_in("lend", "desk.py", DESK.split("\n"), SYMBOLS) == [
        NameUse("desk.py", "Desk.hand_out", "lend(book)"),
        NameUse("desk.py", "", 'FIRST = lend("Ulysses")'),
    ]


def test_a_name_within_a_longer_one_is_no_use() -> None:
    assert uses_in("hand", "desk.py", DESK.split("\n"), SYMBOLS) == []


def test_a_function_that_calls_itself_is_not_its_own_user() -> None:
    lines = ["def walk(tree):", "    walk(tree.left)", "", "walk(root)"]
    symbols = [Symbol("walk", "function", "a.py", 1, 2, "def walk(tree)")]
    assert uses_in("walk", "a.py", lines, symbols) == [NameUse("a.py", "", "walk(root)")]


def test_the_value_that_a_constant_is_given_is_no_use() -> None:
    lines = ["DAYS = 21", "WEEKS = DAYS // 7"]
    symbols = [Symbol("DAYS", "constant", "a.py", 1, 1, "DAYS = 21"), Symbol("WEEKS", "constant", "a.py", 2, 2, "")]
    assert uses_in("DAYS", "a.py", lines, symbols) == [NameUse("a.py", "", "WEEKS = DAYS // 7")]


@pytest.mark.parametrize(
    ("head", "heir"),
    [
        ("class Book(Table):", "Book"),
        ("export default class Book extends Table {", "Book"),
        ("public final class Book implements Table {", "Book"),
        ("impl<T> Table for Book<T> {", "Book"),
    ],
)
def test_a_class_with_the_name_in_its_head_inherits(head: str, heir: str) -> None:
    assert subclasses_in("Table", "a", [head, "}"]) == [NameUse("a", heir, head)]


@pytest.mark.parametrize("line", ["class Table(Base):", "table = Table()", "# class Book(Table):"])
def test_its_own_head_a_call_and_a_comment_are_no_heirs(line: str) -> None:
    assert subclasses_in("Table", "a", [line]) == []


def test_documentation_is_no_use() -> None:
    lines = [
        '"""What lend does.',
        "",
        "lend comes first.",
        '"""',
        "def f():",
        '    """Raises what lend does."""',
        "    lend()",
    ]
    assert uses_in("lend", "a.py", lines, ()) == [NameUse("a.py", "", "lend()")]


@pytest.mark.parametrize(
    "line",
    [
        'import { settle } from "./settle";',
        'export { settle } from "./settle";',
        "use crate::settle;",
        "// settle is slow",
        " * settle is slow",
    ],
)
def test_a_line_that_only_names_it_is_no_use(line: str) -> None:
    assert uses_in("settle", "a", [line], ()) == []
