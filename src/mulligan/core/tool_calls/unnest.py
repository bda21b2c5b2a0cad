"""A whole call in place of its arguments: `{"name": "view_file", "arguments": {"path": …}}`."""

from typing import cast

from mulligan.core.tool_calls.names import resolve_tool
from mulligan.core.tool_calls.parse import Parsed, Unreadable, parse_arguments
from mulligan.types.tool_calls import JsonObject, ToolSpec

_LABELS = {"name", "tool", "tool_name", "function", "type", "id"}
_HOLDERS = {"arguments", "parameters", "args", "input"}


def unnest_call(parsed: Parsed, spec: ToolSpec) -> Parsed:
    """The inner arguments, if the object is a call of the tool itself. Raises `Unreadable` for another tool's."""
    call = parsed.value
    holder = _holder(call, spec.parameters)
    if holder is None:
        return parsed
    name = next((call[label] for label in ("name", "tool", "tool_name", "function") if label in call), spec.name)
    if not isinstance(name, str) or resolve_tool(name, [spec.name]) is None:
        raise Unreadable(f"they hold a call of another tool, and only the arguments of {spec.name} belong here", "")
    inner = call[holder]
    if isinstance(inner, str):
        decoded = parse_arguments(inner)
        return Parsed(decoded.value, (*parsed.repairs, "nested_call", *decoded.repairs))
    if not isinstance(inner, dict):
        return parsed
    return Parsed(cast("JsonObject", inner), (*parsed.repairs, "nested_call"))


def _holder(call: JsonObject, parameters: JsonObject) -> str | None:
    """The key with the inner arguments, if every key belongs to a call and none to the tool itself."""
    own = parameters.get("properties")
    if not isinstance(own, dict) or parameters.get("additionalProperties") or not own.keys().isdisjoint(call):
        return None
    holders = _HOLDERS & call.keys()
    if len(holders) != 1 or not call.keys() <= _LABELS | holders:
        return None
    return holders.pop()
