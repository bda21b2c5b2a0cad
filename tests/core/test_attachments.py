import pytest

from mulligan.core.attachments import (
    Mention,
    begun_mention,
    best_paths,
    chars_of_each,
    find_mentions,
    last_that_fits,
    mention_of,
)
from mulligan.core.context_budget import ContextBudget


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("why @src/a.py?", [Mention("@src/a.py", "src/a.py")], id="a path before a question mark"),
        pytest.param("see @a.py.", [Mention("@a.py", "a.py")], id="a full stop ends the sentence"),
        pytest.param("@a.py:10-40 and more", [Mention("@a.py:10-40", "a.py", 10, 40)], id="lines"),
        pytest.param("(@a.py:7)", [Mention("@a.py:7", "a.py", 7, 7)], id="one line, in brackets"),
        pytest.param("@a.py: what is it?", [Mention("@a.py", "a.py")], id="a colon that is no place"),
        pytest.param('@"odd name.py":2', [Mention('@"odd name.py":2', "odd name.py", 2, 2)], id="quoted"),
        pytest.param("@Turn.run()", [Mention("@Turn.run", "Turn.run")], id="a symbol that is called"),
        pytest.param("@a @a @b", [Mention("@a", "a"), Mention("@b", "b")], id="each once"),
        pytest.param("mail me@home.org", [], id="an address"),
        pytest.param("use `@property` here", [], id="in code"),
        pytest.param("```\n@dataclass\n```\n@x", [Mention("@x", "x")], id="in a block of code"),
        pytest.param("```\n@never closed", [], id="in a block that is not closed"),
        pytest.param("@ alone, @@twice", [], id="no name"),
    ],
)
def test_which_names_a_message_mentions(text: str, found: list[Mention]) -> None:
    assert list(find_mentions(text)) == found


def test_a_number_of_lines_makes_no_symbol() -> None:
    assert [each.may_be_symbol for each in find_mentions("@run @Turn.run @std::vec @run:3 @a/b @a-b")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "begun"),
    [("see @src/a", "src/a"), ("@", ""), ("me@home", None), ("@a b", None), ('@"odd', "odd"), ("none", None)],
)
def test_the_name_that_is_being_written(text: str, begun: str | None) -> None:
    assert begun_mention(text) == begun


@pytest.mark.parametrize("name", ["src/a.py", "odd name.py", "app/[id]/page.tsx", "ends.with.dot."])
def test_what_completion_writes_is_read_as_that_name(name: str) -> None:
    assert [each.name for each in find_mentions(f"why {mention_of(name)}, then?")] == [name]


def test_several_attachments_share_twice_the_room_of_one() -> None:
    budget = ContextBudget(10_000, 4.0)
    assert [chars_of_each(budget, count) for count in (1, 2, 4)] == [8000, 8000, 4000]
    assert chars_of_each(None, 1) == 24_000


def test_lines_are_cut_where_the_room_ends_and_one_is_shown_in_any_case() -> None:
    lines = ["x" * 92] * 10
    assert last_that_fits(lines, 1, 10, 350) == 3
    assert last_that_fits(lines, 4, 10, 10) == 4
    assert last_that_fits(lines, 1, 10, 100_000) == 10


def test_paths_that_begin_so_come_first_then_names_then_folders() -> None:
    paths = ["web/turn/x.ts", "src/loop/turn.py", "src/my_turn.py", "turns/a.py", "docs/other.md"]
    assert best_paths(paths, "turn", 9) == ["turns/a.py", "src/loop/turn.py", "src/my_turn.py", "web/turn/x.ts"]
    assert best_paths(paths, "turn", 2) == ["turns/a.py", "src/loop/turn.py"]
