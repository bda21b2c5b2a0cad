"""Reads JSON from servers and agents that don't keep to their own schema: a value of the wrong type reads as empty."""

import json
from typing import Any, cast

from mulligan.types.tool_calls import JsonObject

MAX_NAME_CHARS = 256
MAX_COUNT = 10**12
"""A sum of such counts still fits into a database's 64 bits; a number of a thousand digits fits nowhere."""


def as_object(value: Any) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The string, safe to store: a lone surrogate, which can't be encoded, becomes a replacement character."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def as_name(value: Any) -> str:
    """A model's name; empty if it is too long or has characters that a terminal would act on."""
    name = as_text(value)
    return name if len(name) <= MAX_NAME_CHARS and name.isprintable() else ""


def as_count(value: Any) -> int:
    """A whole number; 0 for booleans, for negative or infinite values, and for counts too large to be real."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_COUNT else 0


def parsed_object(line: bytes | str) -> JsonObject | None:
    """The JSON object in a line; None for anything else: words, half an object, a bare number."""
    try:
        value = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", value) if isinstance(value, dict) else None


def as_objects(value: Any) -> list[JsonObject]:
    """The objects in a list; other items are dropped."""
    return [cast("JsonObject", item) for item in as_list(value) if isinstance(item, dict)]


def as_texts(value: Any) -> tuple[str, ...]:
    """The strings in a list, without empty ones; other items are dropped."""
    return tuple(text for item in as_list(value) if (text := as_text(item)))
