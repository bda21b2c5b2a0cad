"""JSON from servers that promise one shape and send another: a wrong type reads as nothing."""

from typing import Any, cast

from mulligan.types.tool_calls import JsonObject

LONGEST_NAME = 256
LARGEST_COUNT = 10**12
"""A database holds 64 bits, and a sum of such counts still fits; a number of a thousand digits fits nowhere."""


def as_object(value: Any) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The string, fit to be stored: half a surrogate pair, which no encoder takes, becomes a replacement character."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def as_name(value: Any) -> str:
    """The name of a model: one that is endless, or that a terminal would act on, is none."""
    name = as_text(value)
    return name if len(name) <= LONGEST_NAME and name.isprintable() else ""


def as_count(value: Any) -> int:
    """A whole number from 0; booleans, what is not finite and what nobody can have counted are none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LARGEST_COUNT else 0
