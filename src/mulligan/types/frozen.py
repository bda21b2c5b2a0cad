"""Frozen classes that cost little to define.

`dataclasses.dataclass` compiles six functions for every class: half a millisecond, and 140 classes are defined before
the first request. `frozen` makes the same of a class, but shares what can be shared and compiles `__init__` when the
first object is made. To `dataclasses`, pydantic and `match` its classes are frozen dataclasses with slots.
"""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform

__all__ = ["field", "frozen", "replace"]

_Class = TypeVar("_Class")
Fields = dict[str, tuple[Any, Any]]
"""By name, the type and the default."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_Class]) -> type[_Class]:
    """The class with slots, and with all that `@dataclass(frozen=True, slots=True)` gives it.

    Of `field` it takes `default`, `default_factory`, `repr`, `compare` and `hash`.
    """
    own: dict[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063  `inspect` is slow to load
    fields: Fields = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get("__frozen_fields__", {})
    fields |= {name: (kind, cls.__dict__.get(name, MISSING)) for name, kind in own.items()}
    namespace = {name: value for name, value in cls.__dict__.items() if name not in own and name not in _NOT_COPIED}
    for name, shared in SHARED.items():
        namespace.setdefault(name, shared)
    namespace |= {
        "__slots__": tuple(own),
        "__match_args__": tuple(fields),
        "__init__": _compiling_init,
        "__qualname__": cls.__qualname__,
        "__frozen_fields__": fields,
        "__frozen_compared__": _getter(fields, "compare"),
        "__frozen_hashed__": _getter(fields, "hash"),
    }
    return type(cls)(cls.__name__, cls.__bases__, namespace)  # type: ignore[call-overload, no-any-return]


def replace(value: _Class, **changes: Any) -> _Class:
    """As `dataclasses.replace`, which would make a real dataclass of the class first."""
    fields: Fields = cast("Any", value).__frozen_fields__
    return type(value)(**{name: getattr(value, name) for name in fields} | changes)


def _names(fields: Fields, used_for: str) -> Iterator[str]:
    for name, (_, default) in fields.items():
        given = _field_of(default)
        used = getattr(given, used_for, True) if given else True
        if used or (used is None and given and given.compare):  # by default, what is compared is hashed
            yield name


def _field_of(default: Any) -> "Field[Any] | None":
    """The result of `field`, if it is given as the default: that of dataclasses or of records."""
    return cast("Field[Any]", default) if hasattr(default, "default_factory") else None


def _getter(fields: Fields, used_for: str) -> "staticmethod[[Any], Any]":
    names = tuple(_names(fields, used_for))
    return staticmethod(attrgetter(*names) if names else _nothing)


def _compiling_init(self: Any, *given: Any, **named: Any) -> None:
    """Takes the place of `__init__` until the first object is made."""
    cls: Any = frozen_class(self)
    cls.__init__ = _compiled_init(cls)
    cls.__init__(self, *given, **named)


def frozen_class(value: object) -> type:
    """The class of the object that says what its fields are; also if another thread has compiled its `__init__`."""
    return next(base for base in type(value).__mro__ if "__frozen_fields__" in base.__dict__)


def _compiled_init(cls: Any) -> Callable[..., None]:
    setters: dict[str, Any] = {f"_set_{name}": _setter(cls, name) for name in cls.__frozen_fields__}
    return compiled_init(cls, "self", lambda values: [f"_set_{name}(self, {v})" for name, v in values.items()], setters)


def compiled_init(
    cls: Any, head: str, body: Callable[[dict[str, str]], list[str]], names: dict[str, Any]
) -> Callable[..., None]:
    """`__init__` for the class's fields. `body` is given, by field, what to set it to."""
    fields: Fields = cls.__frozen_fields__
    names["_missing"] = MISSING
    taken, values = [head], dict[str, str]()
    for name, (_, default) in fields.items():
        value, text = name, name
        given = _field_of(default)
        plain: Any = given.default if given else default
        if given and given.default_factory is not MISSING:
            names[f"_make_{name}"] = given.default_factory
            text, value = f"{name}=_missing", f"_make_{name}() if {name} is _missing else {name}"
        elif plain is not MISSING:
            names[f"_default_{name}"] = plain
            text = f"{name}=_default_{name}"
        taken.append(text)
        values[name] = value
    lines = body(values)
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    # The text is made of the names of the class's own fields.
    exec(f"def __init__({', '.join(taken)}):\n    " + "\n    ".join(lines or ["pass"]), names)  # noqa: S102
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _setter(cls: type, name: str) -> Any:
    """What sets a slot, past `__setattr__`."""
    return next(base.__dict__[name].__set__ for base in cls.__mro__ if name in base.__dict__)


def _nothing(_value: Any) -> tuple[()]:
    return ()


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _names(self.__frozen_fields__, "repr"))
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self is other or self.__frozen_compared__(self) == self.__frozen_compared__(other)


def _hash(self: Any) -> int:
    kind = cast("Any", type)(self)
    return hash((kind, self.__frozen_hashed__(self)))


def _setattr(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _reduce(self: Any) -> tuple[Any, ...]:
    kind = cast("Any", type)(self)
    return kind, tuple(getattr(self, name) for name in self.__frozen_fields__)


class _OfDataclass:
    """An attribute that the class would have as a real dataclass, found out when somebody asks for it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _instance: object, owner: Any) -> Any:
        fields: Fields = owner.__frozen_fields__
        defaults = {name: default for name, (_, default) in fields.items() if default is not MISSING}
        kinds = {name: kind for name, (kind, _) in fields.items()}
        like = type(owner.__name__, (), {"__annotations__": kinds, "__module__": owner.__module__, **defaults})
        real = dataclass(frozen=True)(like)
        for name in _ASKED_FOR:
            setattr(owner, name, getattr(real, name))
        return getattr(owner, self._name)


_ASKED_FOR = ("__dataclass_fields__", "__dataclass_params__")
_NOT_COPIED = frozenset({"__dict__", "__weakref__"})
SHARED: dict[str, Any] = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__reduce__": _reduce,
    **{name: _OfDataclass(name) for name in _ASKED_FOR},
}
