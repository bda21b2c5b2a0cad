"""Records: what their classes give, and that they are read and written as pydantic would, also without it."""

import copy
import json
import pickle
import subprocess
import sys
from dataclasses import MISSING, FrozenInstanceError, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mulligan.types.base import InvalidRecord, Record, field, validate
from mulligan.types.exact_reading import NotExact, reader
from mulligan.types.field_rules import Checked, Converted, Tagged
from mulligan.types.frozen import frozen
from mulligan.types.plain_values import plain
from mulligan.types.secret import Secret
from mulligan.types.sentinels import SENTINELS
from tests.examples import examples


class Place(Record):
    """Of a thing."""

    note: ClassVar[str] = "not a field"
    path: str
    line: int = 1
    seen: tuple[str, ...] = ()
    sizes: dict[str, float] = field(default_factory=dict)


class Named(Place):
    name: str


class Circle(Record):
    kind: Literal["circle"] = "circle"
    radius: float = field(ge=0)


class Square(Record):
    kind: Literal["square"] = "square"
    side: float | None = None
    place: Place | None = None


Shape = Annotated[Circle | Square, Tagged("kind")]


@frozen
class Spot:
    x: int
    y: int = 0


def _words(value: Any) -> Any:
    if value == "\0":
        raise ValueError("there are no words in it")
    return value.split() if isinstance(value, str) else value


def _no_dash(value: str) -> str:
    if value.startswith("-"):
        raise ValueError("it starts with a dash")
    return value


class Mixed(Record):
    """One field of each sort."""

    any: Any = None
    word: Annotated[str, Checked(_no_dash)] = field(default="", max_length=3, pattern="^[a-z-]*$")
    words: Annotated[tuple[str, ...], Converted(_words)] = ()
    number: int | None = field(default=None, ge=2, le=9)
    share: float = field(default=1.0, gt=0)
    either: int | float | str | bool = 0
    yes: bool = False
    choice: Literal["a", "b", 1] = "a"
    where: Path = Path()
    pairs: tuple[tuple[str, int], ...] = ()
    names: list[str] = field(default_factory=list)
    found: frozenset[int] = frozenset()
    table: dict[str, Any] = field(default_factory=dict)
    shape: Shape | None = None
    shapes: tuple[Shape, ...] = ()
    spot: Spot | None = None
    secret: Secret | None = None
    attempt: int = field(default=0, aliases=("attempt", "cycle"))


def test_a_record_is_made_by_name_compared_and_shown() -> None:
    one, same, other = Place(path="a", seen=("x",)), Place(seen=("x",), path="a", line=1), Place(path="b")
    assert one == same
    assert hash(Circle(radius=1.0)) == hash(Circle(radius=1.0))
    assert one != other
    assert one != Named(path="a", seen=("x",), name="")
    assert repr(Named(path="a", name="n")) == "Named(path='a', line=1, seen=(), sizes={}, name='n')"
    assert Place(path="a").sizes is not Place(path="a").sizes


@pytest.mark.parametrize("given", [{}, {"path": "a", "lin": 1}], ids=["a field is missing", "a field that is none"])
def test_a_record_wants_its_fields_and_no_others(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Place(**given)
    with pytest.raises(InvalidRecord):
        Place.model_validate(given)


def test_a_record_does_not_change() -> None:
    place = Place(path="a")
    with pytest.raises(FrozenInstanceError):
        place.line = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del place.path  # type: ignore[misc]
    assert place.model_copy(update={"line": 2}) == Place(path="a", line=2)
    assert place == Place(path="a")


def test_a_record_is_copied_and_pickled() -> None:
    place = Named(path="a", name="n", sizes={"x": 1.0})
    assert copy.deepcopy(place) == pickle.loads(pickle.dumps(place)) == place  # noqa: S301
    assert copy.deepcopy(place).sizes is not place.sizes


def test_fields_of_a_base_come_first_and_keep_their_place_when_they_are_narrowed() -> None:
    class Kinded(Record):
        kind: Any

    class Point(Kinded):
        x: int
        kind: Literal["point"] = "point"

    assert list(Point(x=1).model_dump()) == ["kind", "x"]
    assert Point.field_defaults == {"kind": "point", "x": MISSING}


def test_to_others_a_record_is_a_dataclass() -> None:
    assert is_dataclass(Place)
    assert [each.name for each in fields(Place)] == ["path", "line", "seen", "sizes"]
    schema = Mixed.model_json_schema()
    assert schema["description"] == "One field of each sort."
    assert schema["additionalProperties"] is False
    assert list(schema["properties"])[:4] == ["any", "word", "words", "number"]
    assert schema["properties"]["secret"]["anyOf"][0] == {"type": "string", "format": "password", "writeOnly": True}


@pytest.mark.parametrize(
    ("values", "loc", "says"),
    [
        pytest.param({"word": "-a"}, ("word",), "it starts with a dash", id="a check of the field's own"),
        pytest.param({"word": "abcd"}, ("word",), "at most 3", id="too long"),
        pytest.param({"number": 1}, ("number",), "greater than or equal to 2", id="too small"),
        pytest.param({"shapes": [{"kind": "circle", "radius": -1}]}, ("shapes", 0, "circle", "radius"), "", id="deep"),
        pytest.param({"shapes": [{"kind": "oval"}]}, ("shapes", 0), "'circle', 'square'", id="an unknown kind"),
        pytest.param({"color": "red"}, ("color",), "Extra inputs are not permitted", id="a field that is none"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(values: Any, loc: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InvalidRecord) as refused:
        Mixed.model_validate(values)
    assert refused.value.problems[0]["loc"] == loc
    assert says in refused.value.problems[0]["msg"]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        pytest.param({"secret": 5}, "valid string", id="a secret that is no text"),
        pytest.param({"words": "\0"}, "no words", id="what can't be converted"),
        pytest.param({"word": "a\n"}, "pattern", id="a line break at the end"),
    ],
)
def test_both_ways_refuse_it_in_the_same_words(values: Any, says: str) -> None:
    with pytest.raises(NotExact):
        reader(Mixed)(values)
    with pytest.raises(InvalidRecord, match=says):
        Mixed.model_validate(values)


def test_json_that_is_nested_too_deep_is_refused_like_any_other_that_is_broken() -> None:
    with pytest.raises(InvalidRecord, match="Invalid JSON") as refused:
        Place.model_validate_json("[" * 100_000)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)  # noqa: S301


def test_what_a_stored_record_lacks_has_its_default_or_is_missing() -> None:
    circle = Circle.model_construct()
    assert circle.kind == "circle"
    assert not hasattr(circle, "radius")
    assert Place.model_construct(path="a") == Place(path="a")


def test_records_of_one_class_are_made_by_several_threads_at_once() -> None:
    class Base(Record):
        x: int = 0

    class Late(Base):
        y: int = 0

    placeholder = Late.__init__  # as a thread has it that was interrupted before its first call
    assert Late(x=1, y=2) == Late(x=1, y=2)
    record = object.__new__(Late)
    placeholder(record, x=1, y=2)
    assert record == Late(x=1, y=2)


def test_what_can_be_converted_is() -> None:
    read = Mixed.model_validate({"number": "3", "yes": "on", "words": "a b", "cycle": 2, "where": "x/y", "secret": "s"})
    assert (read.number, read.yes, read.words, read.attempt, read.where) == (3, True, ("a", "b"), 2, Path("x/y"))
    assert read.secret == Secret("s")
    assert "s" not in str(read.secret)
    with pytest.raises(InvalidRecord, match="Invalid JSON"):
        Mixed.model_validate_json("{")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats() | st.text("ab-1 \ud800", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abxy", max_size=2), inner, max_size=3),
    max_leaves=8,
)
SHAPES = st.fixed_dictionaries(
    {"kind": st.sampled_from(["circle", "square", "oval"])},
    optional={"radius": JSON, "side": JSON, "place": st.fixed_dictionaries({"path": st.text("ab", max_size=2)})},
)
LIKELY = {
    "word": st.sampled_from(["a", "-a", "abcd", "B", ""]),
    "number": st.integers(0, 12),
    "share": st.sampled_from([0, 1, 0.5, -1.0, True]),
    "either": st.sampled_from([0, 0.0, "0", False]),
    "choice": st.sampled_from(["a", "c", 1, 1.0, True]),
    "pairs": st.lists(st.tuples(st.text("a", max_size=1), st.integers()), max_size=2),
    "names": st.lists(st.text("ab", max_size=2), max_size=2),
    "found": st.frozensets(st.integers(0, 3)),
    "table": st.dictionaries(st.text("ab"), JSON, max_size=2),
    "shape": SHAPES,
    "shapes": st.lists(SHAPES, max_size=2),
    "spot": st.fixed_dictionaries({}, optional={"x": st.integers(0, 3), "y": JSON, "z": st.integers()}),
}
VALUES = st.fixed_dictionaries({}, optional={name: LIKELY.get(name, JSON) | JSON for name in Mixed.field_defaults})


@settings(max_examples=examples(400))
@given(VALUES)
@example({"share": True})
@example({"either": True, "found": {1}})
@example({"pairs": [("a", 1, 2)]})
def test_what_is_read_without_pydantic_is_what_pydantic_reads(values: dict[str, Any]) -> None:
    """It may refuse what pydantic takes, but never take what pydantic refuses, or as something else."""
    try:
        read = reader(Mixed)(values)
    except NotExact:
        return
    expected = TypeAdapter(Mixed).validate_python(values)
    assert repr(read) == repr(expected)  # and so of the same types; nan is not equal to itself


@settings(max_examples=examples(200))
@given(VALUES)
def test_what_is_written_without_pydantic_is_what_pydantic_writes(values: dict[str, Any]) -> None:
    adapter: TypeAdapter[Mixed] = TypeAdapter(Mixed)
    try:
        record = adapter.validate_python(values)
    except ValidationError:
        return
    assert repr(record.model_dump()) == repr(adapter.dump_python(record))
    wanted: tuple[dict[str, Any], ...] = ({}, {"exclude_none": True}, {"exclude": {"any", "table", "either"}})
    for options in wanted:
        ours = plain(record, mode="json", **options)
        assert repr(ours) == repr(adapter.dump_python(record, mode="json", **options))


@pytest.mark.parametrize("kind", SENTINELS, ids=lambda kind: kind.__name__)
def test_what_we_store_is_read_back_without_pydantic(kind: Any) -> None:
    for fields_given in kind.examples:
        written = kind(**fields_given).model_dump_json(exclude_none=True)
        assert reader(kind)(json.loads(written)) == kind(**fields_given)


def test_fields_inside_of_lists_are_left_out() -> None:
    class Run(Record):
        name: str
        output: str = ""

    class State(Record):
        runs: tuple[Run, ...]

    state = State(runs=(Run(name="a", output="long"), Run(name="b")))
    assert state.model_dump(exclude={"runs": {"__all__": {"output"}}}) == {"runs": ({"name": "a"}, {"name": "b"})}


def test_json_holds_what_every_reader_takes() -> None:
    assert Mixed(any=float("nan")).model_dump_json(exclude={*Mixed.field_defaults} - {"any"}) == '{"any":null}'
    with pytest.raises(UnicodeEncodeError):
        Mixed(any="\ud800").model_dump_json()


def test_any_type_can_be_validated() -> None:
    assert validate(tuple[Shape, ...], [{"kind": "circle", "radius": 1}]) == (Circle(radius=1.0),)
    with pytest.raises(InvalidRecord):
        validate(Shape, {"kind": "oval"})


def test_the_types_of_a_turn_load_no_pydantic() -> None:
    modules = "mulligan.types.frames, mulligan.types.settings, mulligan.store.serialization, mulligan.app.session"
    code = f"import {modules}, sys; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
