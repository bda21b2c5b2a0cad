"""Which names a question asks about, and what is said of them."""

import pytest

from mulligan.core.finding.facts import asks_for_users, dependency_facts, names_asked, paths_asked, symbol_facts
from mulligan.types.codecontext import Dependencies, Link, Reference, Symbol, SymbolInfo


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("who calls judge_command?", ["judge_command"], id="snake case"),
        pytest.param("where is readReply defined", ["readReply"], id="camel case"),
        pytest.param("what does House.open_door return", ["House.open_door"], id="a method"),
        pytest.param("where is Guards used?", ["Guards"], id="a capital letter within the sentence"),
        pytest.param("what does `run()` do?", ["run"], id="quoted, with brackets"),
        pytest.param("Where is the turn loop?", [], id="a capital letter at the beginning"),
        pytest.param("what is in turn_loop.py?", [], id="a file is no symbol"),
    ],
)
def test_names_are_taken_as_they_are_written(text: str, names: list[str]) -> None:
    assert names_asked(text) == names


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("who uses the store?", True),
        ("which files import turn.py", True),
        ("where is Guards called from", True),
        ("what depends on the index?", True),
        ("what does the store do?", False),
        ("how long may a call take?", False),
    ],
)
def test_a_question_for_users_is_known(text: str, users: bool) -> None:
    assert asks_for_users(text) is users


def test_a_file_counts_only_if_one_is_meant() -> None:
    paths = ["src/a/turn.py", "src/b/turn.py", "src/store.py"]
    assert paths_asked("who uses store.py and turn.py and a/turn.py?", paths) == ["src/store.py", "src/a/turn.py"]


def test_a_symbol_is_told_with_its_place_and_if_asked_its_users() -> None:
    symbol = Symbol("lend", "function", "loans.py", 4, 6, "def lend(book)")
    info = SymbolInfo(symbol, "", (Reference("desk.py", 9, "lend(book)"),), 3, ())
    defined = "function lend is defined in loans.py:4: def lend(book)"
    assert symbol_facts([info], users=False) == defined
    assert (
        symbol_facts([info], users=True) == f"{defined}\nIt is used in 3 places, among them:\n  desk.py:9: lend(book)"
    )


def test_a_file_that_nobody_uses_is_said_to_be() -> None:
    assert "no other file" in dependency_facts(Dependencies("a.py", (), (), ()), users=True)
    used = Dependencies("a.py", (), (Link("b.py", ()),), ())
    assert dependency_facts(used, users=True) == "a.py is used by 1 file: b.py"
