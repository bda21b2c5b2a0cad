"""Declarations about a record's field beyond its type. Pydantic's own would load pydantic."""

import re
from collections.abc import Callable
from dataclasses import MISSING
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from mulligan.types.frozen import frozen

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


@frozen
class FieldRules:
    """The default of a field, and the limits of its values."""

    default: Any
    default_factory: Any
    aliases: tuple[str, ...]
    """All names under which it may be stored, the current one first."""
    description: str | None
    limits: dict[str, Any]
    """With pydantic's names."""

    def allow(self, value: Any) -> bool:
        """Whether a value of the field's type is within the limits. None always is."""
        return value is None or all(_ALLOWS[name](value, limit) for name, limit in self.limits.items())

    def for_pydantic(self) -> Any:
        from pydantic import AliasChoices, Field

        defaults = {"default": self.default, "default_factory": self.default_factory}
        given = {name: value for name, value in defaults.items() if value is not MISSING}
        if self.aliases:
            given["validation_alias"] = AliasChoices(*self.aliases)
        return Field(description=self.description, kw_only=True, **given, **self.limits)


def field(
    *,
    default: Any = MISSING,
    default_factory: Any = MISSING,
    aliases: tuple[str, ...] = (),
    description: str | None = None,
    **limits: Any,
) -> Any:
    """The limits are `ge`, `gt`, `le`, `min_length`, `max_length` and `pattern`, as in pydantic."""
    return FieldRules(default, default_factory, aliases, description, limits)


@frozen
class Tagged:
    """In `Annotated`: this field tells the classes of a union apart."""

    by: str

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic import Field

        return handler(Annotated[source, Field(discriminator=self.by)])


@frozen
class Converted:
    """In `Annotated`: converts a value before it is checked."""

    how: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core.core_schema import no_info_before_validator_function

        return no_info_before_validator_function(self.how, handler(source))


@frozen
class Checked:
    """In `Annotated`: checks a value of the right type. Raises `ValueError`, or returns the value."""

    how: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(self.how, handler(source))


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


_ALLOWS: dict[str, Callable[[Any, Any], bool]] = {
    "ge": lambda value, limit: value >= limit,
    "gt": lambda value, limit: value > limit,
    "le": lambda value, limit: value <= limit,
    "min_length": lambda value, limit: len(value) >= limit,
    "max_length": lambda value, limit: len(value) <= limit,
    # In pydantic, `$` is the end of the text alone, not also a line break before it.
    "pattern": lambda value, limit: not value.endswith("\n") and _pattern(limit).search(value) is not None,
}
