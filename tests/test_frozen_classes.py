"""`frozen` gives a class what `@dataclass(frozen=True, slots=True)` gives it, on the same cases for both."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass
from dataclasses import replace as replace_dataclass
from typing import Any

import pytest
from pydantic import TypeAdapter

from mulligan.types.frozen import frozen, replace

Decorator = Callable[[type], Any]
BOTH = pytest.mark.parametrize(
    "make",
    [pytest.param(frozen, id="frozen"), pytest.param(dataclass(frozen=True, slots=True), id="dataclass")],
)


@frozen
class Place:
    """Of a thing."""

    path: str
    line: int = 1
    notes: list[str] = field(default_factory=list[str])
    key: str = field(default="secret", repr=False, compare=False)

    @property
    def shown(self) -> str:
        return f"{self.path}:{self.line}"


@frozen
class Named(Place):
    name: str = ""


def place_like(make: Decorator) -> Any:
    class Likeness:
        path: str
        line: int = 1
        notes: list[str] = field(default_factory=list[str])
        key: str = field(default="secret", repr=False, compare=False)

    return make(Likeness)


@BOTH
def test_objects_are_made_compared_and_shown_alike(make: Decorator) -> None:
    kind = place_like(make)
    one, same, other = kind("a", notes=["x"]), kind("a", 1, ["x"], key="k"), kind("a", 2)
    assert (one.path, one.line, one.notes, one.key) == ("a", 1, ["x"], "secret")
    assert one == same
    assert one != other
    assert one != "a"
    assert repr(one).endswith("Likeness(path='a', line=1, notes=['x'])")
    assert kind("a").notes is not kind("a").notes


@BOTH
def test_nothing_can_be_set_or_deleted(make: Decorator) -> None:
    one = place_like(make)("a")
    with pytest.raises(FrozenInstanceError):
        one.path = "b"
    with pytest.raises(FrozenInstanceError):
        del one.path
    with pytest.raises((AttributeError, TypeError)):
        one.unknown = 1
    assert not hasattr(one, "__dict__")


@BOTH
def test_wrong_arguments_are_refused(make: Decorator) -> None:
    kind = place_like(make)
    for given, named in (((), {}), (("a",), {"path": "b"}), (("a",), {"color": "red"})):
        with pytest.raises(TypeError):
            kind(*given, **named)


def test_it_is_a_dataclass_to_whoever_asks() -> None:
    one = Named("a", 2, name="n")
    assert is_dataclass(one)
    assert [each.name for each in fields(one)] == ["path", "line", "notes", "key", "name"]
    assert asdict(one) == {"path": "a", "line": 2, "notes": [], "key": "secret", "name": "n"}
    assert replace_dataclass(one, line=3) == replace(one, line=3) == Named("a", 3, name="n")


def test_fields_and_methods_are_inherited() -> None:
    one = Named("a", name="n")
    assert (one.shown, one.name) == ("a:1", "n")
    assert one != Place("a")


def test_it_matches_by_place() -> None:
    match Place("a", 7):
        case Place(path, line):
            assert (path, line) == ("a", 7)


def test_it_is_hashed_by_its_values() -> None:
    @frozen
    class Pair:
        left: str
        right: int = 0
        seen: dict[str, int] = field(default_factory=dict[str, int], hash=False)

    assert len({Pair("a"), Pair("a", 0), Pair("b")}) == 2
    assert Pair("a", seen={"x": 1}) != Pair("a")


def test_it_is_copied_and_pickled() -> None:
    one = Place("a", notes=["x"])
    unpickled = pickle.loads(pickle.dumps(one))  # noqa: S301 - our own bytes
    assert unpickled == copy.deepcopy(one) == copy.copy(one) == one
    assert copy.deepcopy(one).notes is not one.notes


def test_pydantic_reads_and_checks_it() -> None:
    adapter = TypeAdapter(Named)
    assert adapter.validate_python({"path": "a", "line": "3", "name": "n"}) == Named("a", 3, name="n")
    assert adapter.json_schema()["required"] == ["path"]
    assert '"line":3' in adapter.dump_json(Named("a", 3)).decode()


def test_what_follows_the_beginning_is_called() -> None:
    @frozen
    class Checked:
        size: int

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("too small")

    assert Checked(1).size == 1
    with pytest.raises(ValueError, match="too small"):
        Checked(-1)
