"""The one base of everything that is stored or sent: frozen, strict about its fields, cheap to define and to make.

A record has the methods of a pydantic model. But pydantic takes a fifth of the time to the first request to load, and
is loaded only where it is needed: to convert values, to say what is wrong with them, and for JSON schemas. Values that
fit as they are, such as those that we stored ourselves, are read without it (`types/exact_reading.py`), and records are
written without it (`types/plain_values.py`). To pydantic and `dataclasses` a record is a frozen dataclass.

Making a record checks nothing: `model_validate` is for values that somebody else wrote.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, dataclass_transform, get_origin

from mulligan.types.exact_reading import NotExact, reader
from mulligan.types.field_rules import FieldRules, field
from mulligan.types.frozen import SHARED, Fields, compiled_init, frozen_class
from mulligan.types.plain_values import plain

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler, TypeAdapter

__all__ = ["InvalidRecord", "Record", "field", "validate"]


class InvalidRecord(ValueError):
    """Values that don't fit."""

    def __init__(self, problems: list[dict[str, Any]]) -> None:
        super().__init__(problems)
        self.problems = problems
        """As pydantic reports them, each with `loc`, `msg` and `type`."""

    def __str__(self) -> str:
        return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in self.problems)


class _OfDataclass:
    """An attribute that the class would have as a dataclass, found out when somebody asks for it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _record: object, owner: "type[Record]") -> Any:
        fields = {
            name: (kind, default.for_pydantic() if isinstance(default, FieldRules) else default)
            for name, (kind, default) in owner.__frozen_fields__.items()
        }
        namespace: dict[str, Any] = {"__annotations__": {name: kind for name, (kind, _) in fields.items()}}
        namespace |= {name: default for name, (_, default) in fields.items() if default is not MISSING}
        like = type(owner.__name__, (), {**namespace, "__module__": owner.__module__})
        real = dataclass(frozen=True, kw_only=True)(like)
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            setattr(owner, name, getattr(real, name))
        return getattr(owner, self._name)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Record:
    """A value that is written to the store or to a client as JSON."""

    __frozen_fields__: ClassVar[Fields] = {}
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    field_defaults: ClassVar[Mapping[str, Any]] = {}
    """By field, `MISSING` where there is no default, or one that is made for each record."""

    def __init_subclass__(cls) -> None:
        own: dict[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063  `inspect` is slow to load
        fields: Fields = {}
        for base in reversed(cls.__mro__[1:]):
            fields |= base.__dict__.get("__frozen_fields__", {})
        fields |= {name: (kind, cls.__dict__.get(name, MISSING)) for name, kind in own.items() if not _of_class(kind)}
        cls.__frozen_fields__ = fields
        cls.field_defaults = {
            name: default.default if isinstance(default, FieldRules) else default
            for name, (_, default) in fields.items()
        }
        for name in own:
            if isinstance(cls.__dict__.get(name), FieldRules):  # a missing value must not look like one
                delattr(cls, name)
        names = tuple(fields)
        for name in ("__frozen_compared__", "__frozen_hashed__"):
            setattr(cls, name, staticmethod(attrgetter(*names) if names else _nothing))
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            setattr(cls, name, _OfDataclass(name))
        cls.__init__ = _compiling_init  # type: ignore[method-assign]

    @classmethod
    def model_validate(cls, value: Any, **options: Any) -> Self:
        """The record that a value describes. Raises `InvalidRecord`."""
        return cast("Self", validate(cls, value, **options))

    @classmethod
    def model_validate_json(cls, text: str | bytes, **options: Any) -> Self:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidRecord([{"loc": (), "msg": f"Invalid JSON: {error}", "type": "json_invalid"}]) from error
        return cls.model_validate(value, **options)

    @classmethod
    def model_construct(cls, **fields: Any) -> Self:
        """The record without its own checks, for what was checked before it was stored."""
        defaults = {name: default for name, default in cls.field_defaults.items() if default is not MISSING}
        made = {
            name: rules.default_factory()
            for name, (_, rules) in cls.__frozen_fields__.items()
            if isinstance(rules, FieldRules) and rules.default_factory is not MISSING
        }
        return _remade(cls, defaults | made | fields)

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """The record with some other values."""
        return _remade(type(self), self.__dict__ | dict(update))

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The options are those of `plain`."""
        return cast("dict[str, Any]", plain(self, **options))

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """Raises `UnicodeEncodeError` if half a surrogate pair is in it."""
        value = plain(self, mode="json", **options)
        text = json.dumps(value, ensure_ascii=False, indent=indent, separators=None if indent else (",", ":"))
        if not text.isascii():
            text.encode()
        return text

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        return adapter(cls).json_schema()

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: "GetJsonSchemaHandler") -> dict[str, Any]:
        """Pydantic takes no description from a dataclass."""
        from inspect import cleandoc

        described = handler(schema)
        if cls.__doc__:
            handler.resolve_ref_schema(described).setdefault("description", cleandoc(cls.__doc__))
        return described

    def __reduce__(self) -> Any:
        return _remade, (type(self), self.__dict__)


for _name in ("__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"):
    setattr(Record, _name, SHARED[_name])


def validate(kind: Any, value: Any, **options: Any) -> Any:
    """The value converted to its type: a record, a union of them, or any other type. Raises `InvalidRecord`.

    The options are pydantic's.
    """
    with suppress(NotExact):
        if not options:
            return reader(kind)(value)
    from pydantic import ValidationError

    try:
        return adapter(kind).validate_python(value, **options)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        raise InvalidRecord([{**each, **_IN_OUR_WORDS.get(each["type"], {})} for each in problems]) from error


_IN_OUR_WORDS = {
    "unexpected_keyword_argument": {"type": "extra_forbidden", "msg": "Extra inputs are not permitted"},
}
"""What pydantic says of the arguments of a dataclass, which the user never called."""


@cache
def adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _compiling_init(self: Record, **named: Any) -> None:
    """Takes the place of `__init__` until the first record is made."""
    cls: Any = frozen_class(self)
    cls.__init__ = compiled_init(cls, "self, *" if cls.__frozen_fields__ else "self", _setting, {})
    cls.__init__(self, **named)


def _setting(values: dict[str, str]) -> list[str]:
    return [f"self.__dict__.update({', '.join(f'{name}={value}' for name, value in values.items())})"]


def _of_class(annotation: Any) -> bool:
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _remade(kind: type[Any], fields: Mapping[str, Any]) -> Any:
    record = object.__new__(kind)
    record.__dict__.update(fields)
    return record


def _nothing(_record: object) -> tuple[()]:
    return ()
