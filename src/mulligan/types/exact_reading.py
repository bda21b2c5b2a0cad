"""Reads values that already have the types of a record's fields, as those that we stored ourselves do.

Everything else is `NotExact`: pydantic then converts it, or says what is wrong. So this may refuse what pydantic
accepts, but it never accepts what pydantic refuses, nor reads a value differently.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from functools import cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from mulligan.types.field_rules import Checked, Converted, FieldRules, Tagged

Reader = Callable[[Any], Any]


class NotExact(Exception):
    """The value has to be converted or refused."""


def _read(kind: Any, value: Any) -> Any:
    """An object of a frozen class."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise NotExact
    given = cast("Mapping[str, Any]", value)
    readers = _readers(kind)
    if not given.keys() <= readers.keys():
        given = _with_current_names(kind, given)
    fields: dict[str, Any] = {}
    for name, (read, required) in readers.items():
        if name in given:
            fields[name] = read(given[name])
        elif required:
            raise NotExact
    try:
        return kind(**fields)
    except ValueError as error:  # a record's own check
        raise NotExact from error


def _with_current_names(kind: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values stored under older names of their fields, under the current ones."""
    current = _current_names(kind)
    renamed = {current.get(name, ""): value for name, value in given.items()}
    if "" in renamed or len(renamed) < len(given):
        raise NotExact
    return renamed


@cache
def _current_names(kind: Any) -> dict[str, str]:
    """By every name that a field has or had, its current one."""
    fields = {name: default for name, (_, default) in kind.__frozen_fields__.items()}
    aliases = {name: default.aliases for name, default in fields.items() if isinstance(default, FieldRules)}
    return {name: name for name in fields} | {old: name for name, each in aliases.items() for old in each}


@cache
def _readers(kind: Any) -> dict[str, tuple[Reader, bool]]:
    """By field, how it is read, and whether it must be there."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: _field(hints[name], default) for name, (_, default) in kind.__frozen_fields__.items()}


def _field(annotation: Any, default: Any) -> tuple[Reader, bool]:
    read = reader(annotation)
    if not hasattr(default, "default_factory"):
        return read, default is MISSING
    limited = isinstance(default, FieldRules) and default.limits
    required = default.default is MISSING and default.default_factory is MISSING
    return _limited(read, default) if limited else read, required


def _limited(read: Reader, rules: FieldRules) -> Reader:
    def limited(value: Any) -> Any:
        found = read(value)
        if not rules.allow(found):
            raise NotExact
        return found

    return limited


@cache
def reader(annotation: Any) -> Reader:
    """Reads values of a type, and raises `NotExact` for others. Lists become tuples, dicts become frozen objects, texts
    become paths; nothing else is converted."""
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(inner[0], inner[1:])
    if origin is Literal:
        return _one_of(inner)
    if origin in (Union, UnionType):
        # A whole number is read as a float only where no other type takes it.
        return _first_of([reader(each) for each in sorted(inner, key=lambda each: each is float)])
    if origin in (tuple, list, frozenset):
        return _sequence(origin, inner)
    if origin is dict:
        return _mapping(*map(reader, inner))
    if hasattr(annotation, "read_exactly"):
        return annotation.read_exactly
    if hasattr(annotation, "__frozen_fields__"):
        return partial(_read, annotation)
    return _instance(annotation) if isinstance(annotation, type) else _never


def _annotated(annotation: Any, notes: tuple[Any, ...]) -> Reader:
    read = reader(annotation)
    for note in notes:
        if isinstance(note, Converted):
            read = _converted(note, read)
        elif isinstance(note, Checked):
            read = _checked(note, read)
        elif isinstance(note, Tagged):
            read = _tagged(annotation, note.by)
        else:
            return _never
    return read


def _converted(note: Converted, read: Reader) -> Reader:
    def converted(value: Any) -> Any:
        try:
            ready = note.how(value)
        except ValueError as error:
            raise NotExact from error
        return read(ready)

    return converted


def _checked(note: Checked, read: Reader) -> Reader:
    def checked(value: Any) -> Any:
        try:
            return note.how(read(value))
        except ValueError as error:
            raise NotExact from error

    return checked


def _tagged(union: Any, tag: str) -> Reader:
    kinds = {kind.field_defaults[tag]: kind for kind in members(union)}

    def read(value: Any) -> Any:
        name: Any = cast("Any", value).get(tag) if isinstance(value, Mapping) else getattr(value, tag, None)
        kind = kinds.get(name) if isinstance(name, str) else None
        if kind is None:
            raise NotExact
        return _read(kind, value)

    return read


def members(union: Any) -> list[Any]:
    """The records of a union, also of unions in it."""
    if isinstance(union, type):
        return [union]
    inner = get_args(union)
    return [kind for each in (inner[:1] if get_origin(union) is Annotated else inner) for kind in members(each)]


def _one_of(choices: tuple[Any, ...]) -> Reader:
    allowed: set[tuple[Any, Any]] = {(type(each), each) for each in choices}

    def read(value: Any) -> Any:
        if isinstance(value, str | int) and (type(value), value) in allowed:
            return value
        raise NotExact

    return read


def _first_of(readers: list[Reader]) -> Reader:
    def read(value: Any) -> Any:
        for each in readers:
            try:
                return each(value)
            except NotExact:
                continue
        raise NotExact

    return read


def _sequence(kind: Any, inner: tuple[Any, ...]) -> Reader:
    if kind is tuple and not (len(inner) == 2 and inner[1] is Ellipsis):
        return _row([reader(each) for each in inner])
    each = reader(inner[0])
    taken = (frozenset, set) if kind is frozenset else (tuple, list)

    def read(value: Any) -> Any:
        if not isinstance(value, taken):
            raise NotExact
        return cast("Any", kind)(map(each, cast("Any", value)))

    return read


def _row(readers: list[Reader]) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, tuple | list) or len(cast("list[Any]", value)) != len(readers):
            raise NotExact
        return tuple(each(one) for each, one in zip(readers, cast("list[Any]", value), strict=True))

    return read


def _mapping(key: Reader, value: Reader) -> Reader:
    def read(given: Any) -> Any:
        if not isinstance(given, dict):
            raise NotExact
        return {key(name): value(each) for name, each in cast("dict[Any, Any]", given).items()}

    return read


def _exact(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise NotExact
        return value

    return read


def _instance(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise NotExact
        return value

    return read


def _as_float(value: Any) -> float:
    if type(value) not in (int, float):
        raise NotExact
    try:
        return float(value)
    except OverflowError as error:
        raise NotExact from error


def _as_path(value: Any) -> Path:
    if not isinstance(value, Path | str):
        raise NotExact
    return Path(value)


def _never(_value: Any) -> Any:
    raise NotExact


_SIMPLE: dict[Any, Reader] = {
    Any: lambda value: value,
    str: _exact(str),
    int: _exact(int),
    bool: _exact(bool),
    float: _as_float,
    NoneType: _exact(NoneType),
    Path: _as_path,
}
