"""What agents send, read without trust: a wrong type reads as nothing."""

import json
from typing import Any, cast

from mulligan.types.tool_calls import JsonObject


def parsed_object(line: bytes | str) -> JsonObject | None:
    """The JSON object that a line holds; None for anything else: words, half an object, a bare number."""
    try:
        value = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", value) if isinstance(value, dict) else None


def as_object(value: Any) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_objects(value: Any) -> list[JsonObject]:
    """The objects of a list; what else it holds is left out."""
    return [cast("JsonObject", item) for item in as_list(value) if isinstance(item, dict)]


def as_text(value: Any) -> str:
    """The string, fit to be stored: half a surrogate pair, which no encoder takes, becomes a replacement character."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def as_texts(value: Any) -> tuple[str, ...]:
    """The strings of a list, without empty ones; what else it holds is left out."""
    return tuple(text for item in as_list(value) if (text := as_text(item)))
