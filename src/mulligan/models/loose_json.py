"""JSON from servers that promise one shape and send another: a wrong type reads as nothing."""

from typing import Any, cast

from mulligan.types.tool_calls import JsonObject


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


def as_count(value: Any) -> int:
    """A whole number from 0; booleans and what is not finite are none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else 0
