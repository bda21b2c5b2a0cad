import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.wire.chat_reply import CallSorter
from mulligan.types.model_io import CallDelta

Calls = list[tuple[str | None, str, str]]


def piece(*, index: Any = None, id: str | None = None, name: str | None = None, arguments: Any = None) -> Any:  # noqa: A002 - the wire's own word
    function = {"name": name, "arguments": arguments}
    sent = {"index": index, "id": id, "function": {key: value for key, value in function.items() if value is not None}}
    return {key: value for key, value in sent.items() if value is not None}


def joined(pieces: list[Any]) -> Calls:
    """The calls that come of the pieces: id, name and arguments."""
    calls: dict[int, tuple[str | None, str, str]] = {}
    sorter = CallSorter()
    for delta in filter(None, map(sorter.read, pieces)):
        call_id, name, arguments = calls.get(delta.index, (None, "", ""))
        calls[delta.index] = (delta.id or call_id, name + (delta.name or ""), arguments + delta.arguments)
    assert list(calls) == list(range(len(calls)))
    return list(calls.values())


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        pytest.param(
            [
                piece(index=0, id="a", name="view", arguments=""),
                piece(index=0, arguments='{"x"'),
                piece(index=0, arguments=":1}"),
                piece(index=1, id="b", name="grep", arguments=""),
                piece(index=1, arguments="{}"),
            ],
            [("a", "view", '{"x":1}'), ("b", "grep", "{}")],
            id="OpenAI",
        ),
        pytest.param(
            [
                piece(index=0, id="a", name="view", arguments="{"),
                piece(index=1, id="b", name="grep", arguments="["),
                piece(index=0, arguments="}"),
                piece(index=1, arguments="]"),
            ],
            [("a", "view", "{}"), ("b", "grep", "[]")],
            id="interleaved",
        ),
        pytest.param(
            [piece(index=0, id="a", name="view", arguments="{}"), piece(index=0, id="b", name="view", arguments="{}")],
            [("a", "view", "{}"), ("b", "view", "{}")],
            id="Ollama: index 0 for all",
        ),
        pytest.param(
            [
                piece(index=0, id="a", name="view", arguments=""),
                piece(index=0, id="b", arguments='{"x"'),
                piece(index=0, id="c", arguments=":1}"),
            ],
            [("a", "view", '{"x":1}')],
            id="vLLM: a fresh id on every piece",
        ),
        pytest.param(
            [piece(name="view", arguments='{"x"'), piece(arguments=":1}"), piece(name="grep", arguments="{}")],
            [(None, "view", '{"x":1}'), (None, "grep", "{}")],
            id="neither index nor id",
        ),
        pytest.param(
            [piece(name="view", arguments='{"x":1}'), piece(name="view", arguments='{"x":2}')],
            [(None, "view", '{"x":1}'), (None, "view", '{"x":2}')],
            id="the same tool twice, neither index nor id",
        ),
        pytest.param(
            [
                piece(id="a", name="view", arguments="{"),
                piece(id="b", name="grep", arguments="{}"),
                piece(id="a", arguments="}"),
            ],
            [("a", "view", "{}"), ("b", "grep", "{}")],
            id="ids without index",
        ),
        pytest.param(
            [
                piece(index=0, id="a", name="view", arguments='{"x"'),
                piece(index=0, id="a", name="view", arguments=":1}"),
            ],
            [("a", "view", '{"x":1}')],
            id="name and id repeated",
        ),
        pytest.param(
            [piece(index=0, name="view", arguments='{"x"'), piece(index=0, name="view", arguments=":1}")],
            [(None, "view", '{"x":1}')],
            id="name repeated, no id",
        ),
        pytest.param(
            [piece(index=0, id="a", name="view", arguments='{"x"'), piece(index=5, arguments=":1}")],
            [("a", "view", '{"x":1}')],
            id="a stray index on arguments",
        ),
        pytest.param(
            [piece(index=0, id="a"), piece(index=0, name="view"), piece(index=0, arguments="{}")],
            [("a", "view", "{}")],
            id="id, name and arguments one by one",
        ),
        pytest.param(
            [piece(index=0, id="a", name="view", arguments={"path": "ä.py"})],
            [("a", "view", '{"path": "ä.py"}')],
            id="arguments as an object",
        ),
        pytest.param(
            [piece(index=0, id="a", name="ls"), None, {"index": 0, "function": None}],
            [("a", "ls", "")],
            id="nothing but noise after the name",
        ),
        pytest.param([piece(index=3, id="a", name="ls")], [("a", "ls", "")], id="numbers need not begin at 0"),
    ],
)
def test_pieces_find_their_calls(pieces: list[Any], calls: Calls) -> None:
    assert joined(pieces) == calls


def test_a_piece_that_adds_nothing_gives_no_event() -> None:
    sorter = CallSorter()
    sorter.read(piece(index=0, id="a", name="ls"))

    assert sorter.read(piece(index=0, id="a", name="ls", arguments="")) is None


def test_id_and_name_are_passed_on_once() -> None:
    sorter = CallSorter()
    sorter.read(piece(index=0, id="a", name="ls"))

    assert sorter.read(piece(index=0, id="a", name="ls", arguments="{}")) == CallDelta(0, arguments="{}")


@given(
    st.dictionaries(st.text(max_size=9), st.recursive(st.text(max_size=9), st.lists, max_leaves=5), max_size=3),
    st.integers(1, 9),
)
def test_a_call_of_the_same_name_begins_when_the_one_before_it_is_whole(given_arguments: Any, size: int) -> None:
    text = json.dumps(given_arguments, ensure_ascii=False)
    pieces = [text[at : at + size] for at in range(0, len(text), size)] * 2
    sorter = CallSorter()

    sorted_ = [sorter.read(piece(index=0, name="a", arguments=each)) for each in pieces]

    numbers = [delta.index for delta in sorted_ if delta]
    assert numbers == [0] * (len(pieces) // 2) + [1] * (len(pieces) // 2)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"id": "c$"}, id="a new id each time, and no index"),
        pytest.param({"index": 0, "arguments": "[0"}, id="the name on each piece"),
    ],
)
def test_the_pieces_of_endless_calls_are_sorted_in_time(fields: dict[str, Any]) -> None:
    """Looked through for each piece, as many calls or pieces as this would take hours."""
    sorter = CallSorter()

    for number in range(60_000):
        sent = fields | ({"id": f"c{number}"} if "id" in fields else {})
        assert sorter.read(piece(name="a", **sent))
