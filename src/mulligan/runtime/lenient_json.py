"""JSON from servers and agents that promise one shape and send another: a wrong type reads as nothing."""

import json
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


def parsed_object(line: bytes | str) -> JsonObject | None:
    """The JSON object that a line holds; None for anything else: words, half an object, a bare number."""
    try:
        value = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", value) if isinstance(value, dict) else None


def as_objects(value: Any) -> list[JsonObject]:
    """The objects of a list; what else it holds is left out."""
    return [cast("JsonObject", item) for item in as_list(value) if isinstance(item, dict)]


def as_texts(value: Any) -> tuple[str, ...]:
    """The strings of a list, without empty ones; what else it holds is left out."""
    return tuple(text for item in as_list(value) if (text := as_text(item)))
