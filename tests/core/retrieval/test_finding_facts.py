"""Which names a question asks about, and what is said of them."""

import pytest

from mulligan.core.retrieval.facts import (
    MAX_USERS,
    asks_for_subclasses,
    asks_for_used,
    asks_for_users,
    definition_facts,
    dependency_facts,
    names_asked,
    package_asked,
    package_facts,
    paths_asked,
    subclass_facts,
    user_facts,
    words_asked,
)
from mulligan.core.retrieval.terms import read_question
from mulligan.core.retrieval.uses import NameUse
from mulligan.types.codecontext import Dependencies, Link, Symbol


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
        ("which classes inherit from Table?", True),
        ("is there a subclass of Table?", True),
        ("does anything call lend?", True),
        ("if lend took two books, which code would have to change?", True),
        ("what would break if lend changed its signature?", True),
        ("which files does turn.py import?", False),
        ("what does lend call?", False),
        ("which classes implement Store?", True),
        ("which file implements lend?", False),
        ("what does the store do?", False),
        ("how long may a call take?", False),
    ],
)
def test_a_question_for_users_is_known(text: str, users: bool) -> None:
    assert asks_for_users(text) is users


@pytest.mark.parametrize(
    ("text", "used"),
    [("which files does turn.py import?", True), ("what does lend call?", True), ("who calls lend?", False)],
)
def test_a_question_for_what_is_used_is_told_from_one_for_users(text: str, used: bool) -> None:
    assert asks_for_used(text) is used


def test_a_folder_counts_where_a_package_is_asked_for() -> None:
    paths = ["queue/store.go", "queue/worker.go", "cmd/main.go", "old/queue/a.go"]
    assert package_asked("which files import the queue package?", paths) == (
        "queue",
        ["queue/store.go", "queue/worker.go", "old/queue/a.go"],
    )
    assert package_asked("which files import queue?", paths) is None
    assert package_asked("which files import the stack package?", paths) is None


def test_the_files_of_a_package_are_not_its_users() -> None:
    store = Dependencies("queue/store.go", (), (Link("queue/worker.go", ()), Link("cmd/main.go", ())), ())
    worker = Dependencies("queue/worker.go", (), (Link("cmd/main.go", ()),), ())
    assert package_facts("queue", [store, worker]) == "package queue is used by 1 file: cmd/main.go"


@pytest.mark.parametrize(
    ("text", "heirs"),
    [("which classes extend Table?", True), ("is there a subclass of Table?", True), ("who uses Table?", False)],
)
def test_a_question_for_heirs_is_known(text: str, heirs: bool) -> None:
    assert asks_for_subclasses(text) is heirs


@pytest.mark.parametrize("question", ["who imports shelf.models?", "what imports the models module?"])
def test_a_module_is_a_file_too(question: str) -> None:
    assert paths_asked(question, ["shelf/models.py", "shelf/fines.py"]) == ["shelf/models.py"]


def test_a_file_counts_only_if_one_is_meant() -> None:
    paths = ["src/a/turn.py", "src/b/turn.py", "src/store.py"]
    assert paths_asked("who uses store.py and turn.py and a/turn.py?", paths) == ["src/store.py", "src/a/turn.py"]


LEND = Symbol("lend", "function", "loans.py", 4, 6, "def lend(book)")
ASKED = read_question("who calls lend?")


def test_a_symbol_is_told_with_its_place() -> None:
    assert definition_facts(LEND) == "function lend is defined in loans.py: def lend(book)"


def test_users_are_told_by_their_names_without_line_numbers() -> None:
    uses = [NameUse("desk.py", "Desk.hand_out", "lend(book)"), NameUse("setup.py", "", "lend(first)")]
    assert user_facts(LEND, uses, ASKED) == (
        "function lend of loans.py is called by:\n- `Desk.hand_out` in desk.py: lend(book)\n- setup.py: lend(first)"
    )


def test_classes_that_inherit_are_told_by_name_and_file() -> None:
    table = Symbol("Table", "class", "models.py", 1, 2, "class Table")
    heirs = [
        NameUse("shelf.py", "Book", "class Book(Table):"),
        NameUse("tests/test_a.py", "Fake", "class Fake(Table):"),
    ]
    assert subclass_facts(table, heirs, ASKED) == "class Table of models.py is inherited by:\n- `Book` in shelf.py"
    assert subclass_facts(table, heirs[1:], ASKED).endswith("- `Fake` in tests/test_a.py")


def test_tests_are_told_by_their_paths_alone() -> None:
    uses = [NameUse("desk.py", "hand_out", "lend(book)"), NameUse("tests/test_desk.py", "test_it", "lend(1)")]
    assert user_facts(LEND, uses, ASKED).endswith("\nTests of lend: tests/test_desk.py")


def test_tests_are_told_as_others_are_if_they_are_asked_for() -> None:
    told = user_facts(
        LEND, [NameUse("tests/test_desk.py", "test_it", "lend(1)")], read_question("which tests call lend?")
    )
    assert "- `test_it` in tests/test_desk.py: lend(1)" in told


def test_a_symbol_that_nobody_uses_is_said_to_be() -> None:
    assert user_facts(LEND, [], ASKED) == "function lend of loans.py is used nowhere else in the project."


def test_of_many_users_the_first_are_told_and_the_rest_is_counted() -> None:
    uses = [NameUse("desk.py", f"hand_out_{number}", "lend(book)") for number in range(MAX_USERS + 3)]
    *_, last, more, unread = user_facts(LEND, uses, ASKED, unread=5).split("\n")
    assert (last, more) == (f"- `hand_out_{MAX_USERS - 1}` in desk.py: lend(book)", "- and 3 more")
    assert unread == "5 more files use it."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("who calls lend?", ["lend"]),
        ("where is settle used?", ["settle"]),
        ("which classes inherit from the class Table?", ["Table"]),
        ("what are the callers of backoff?", ["callers", "backoff"]),
        ("who opens the door?", []),
    ],
)
def test_plain_words_count_where_a_name_is_expected(text: str, words: list[str]) -> None:
    assert words_asked(text) == words


def test_a_file_that_nobody_uses_is_said_to_be() -> None:
    assert "no other file" in dependency_facts(Dependencies("a.py", (), (), ()), users=True)
    used = Dependencies("a.py", (), (Link("b.py", ()),), ())
    assert dependency_facts(used, users=True) == "a.py is used by 1 file: b.py"


def test_what_a_file_uses_is_told_if_that_is_asked() -> None:
    found = Dependencies("a.py", (Link("b.py", ()), Link("c.py", ())), (), ())
    assert dependency_facts(found, users=False) == "a.py uses 2 files: b.py, c.py"
