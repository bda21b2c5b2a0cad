"""Calls of tools that are not offered directly, but through another one: `use_tool` with a name."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from mulligan.core.tool_calls import explain
from mulligan.core.tool_calls.names import closest, ignoring_form, resolve_tool
from mulligan.core.tool_calls.parse import Parsed, parse_arguments
from mulligan.types.tool_calls import JsonObject, RawCall, RejectedCall, ToolCall, ToolSpec

_LABELS = ("tool", "name", "tool_name")
_HOLDERS = ("arguments", "args", "parameters", "input")

ReadCall = Callable[[RawCall, Sequence[ToolSpec]], ToolCall | RejectedCall]


def calls_reached(raw: RawCall, specs: Sequence[ToolSpec]) -> RawCall:
    """A call of such a tool by its own name, as models write it once they have read about it, becomes a call of the
    tool that leads to it."""
    own = [spec.name for spec in specs]
    for way in specs:
        inner = [spec.name for spec in way.reached or ()]
        if raw.name in own or not inner:
            continue
        named = (
            raw.name if raw.name in inner else None if resolve_tool(raw.name, own) else ignoring_form(raw.name, inner)
        )
        if named:
            return RawCall(raw.id, way.name, json.dumps({"tool": named, "arguments": raw.arguments}))
    return raw


def read_reached(call: ToolCall, reached: Sequence[ToolSpec], read: ReadCall) -> ToolCall | RejectedCall:
    """The call with the reached tool's name and arguments corrected, as if it were offered directly."""
    name, arguments = _inner(call.arguments)
    known = [spec.name for spec in reached]
    found = resolve_tool(name, known)
    if found is None:
        message = explain.not_reached(name, closest(name, known))
        return RejectedCall(call.id, call.name, call.arguments, kind="tool_not_found", message=message)
    inner = read(RawCall(call.id, found, arguments), reached)
    if isinstance(inner, RejectedCall):
        return RejectedCall(call.id, call.name, call.arguments, kind=inner.kind, message=inner.message)
    renamed = () if found == name else ("tool_name",)
    repairs = tuple(dict.fromkeys((*call.repairs, *renamed, *inner.repairs)))
    return ToolCall(call.id, call.name, {"tool": found, "arguments": inner.arguments}, repairs)


def in_place(parsed: Parsed) -> Parsed:
    """Normalises the arguments of the tool that leads on: small models put those of the reached tool next to its name,
    under another key, or in a string. Raises `Unreadable`."""
    given = parsed.value
    label = next((each for each in _LABELS if isinstance(given.get(each), str)), None)
    if label is None:
        return parsed
    rest = {key: value for key, value in given.items() if key != label}
    holder = next((key for key in rest if key in _HOLDERS and len(rest) == 1), None)
    inner: Any = rest[holder] if holder else rest
    repairs = () if label == "tool" and (holder == "arguments" or not rest) else ("nested_call",)
    if isinstance(inner, str):
        decoded = parse_arguments(inner)
        inner, repairs = decoded.value, (*repairs, "decoded_nested", *decoded.repairs)
    return Parsed({"tool": given[label], "arguments": inner}, (*parsed.repairs, *repairs))


def _inner(arguments: JsonObject) -> tuple[str, str]:
    given: Any = arguments.get("arguments")
    text = given if isinstance(given, str) else json.dumps(given if given is not None else {})
    return str(arguments.get("tool", "")), text
