"""Calls written as JSON objects with name and arguments."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from mulligan.core.text_calls.source import CallSearch
from mulligan.core.tool_calls.parse import Unreadable, parse_json
from mulligan.types.tool_calls import JsonObject, RawCall

_DOUBLED = re.compile(r"""("[^"\\]*+(?:\\.[^"\\]*+)*+"?)|\{\{|\}\}""", re.DOTALL)
"""An unclosed string reaches to the end: searching again at each quote in it would take forever."""
_LABELS = ("name", "tool", "tool_name", "function")
_HOLDERS = ("arguments", "parameters", "args", "input")
_WRAPPERS = ("function", "function_call", "tool_call", "tool_calls")
_BESIDES = frozenset({"type", "id", "index", "tool_call_id"})
_NAME_SEEN = re.compile(rf"""["'](?:{"|".join(_LABELS)})["']\s*:\s*["']([^"'\n]{{1,64}})["']""")
_ARGUMENTS_SEEN = re.compile(rf"""["'](?:{"|".join(_HOLDERS)})["']\s*:\s*""")
_HEAD = 400
"""Characters at the beginning in which an unreadable call must have named its tool."""
LEFT_OPEN = '{"'
"""Arguments that end inside a string: their reader refuses them as truncated."""


@dataclass(frozen=True, slots=True)
class JsonCalls:
    calls: tuple[RawCall, ...]
    broken: bool = False
    """It can't be read as a whole; the reader of the arguments decides whether they can."""


def json_calls(source: CallSearch, at: int, end: int, *, closed: bool, marked: bool) -> JsonCalls | None:
    """The calls in this object, or list of objects; None if it contains none."""
    source.budget -= end - at
    if source.budget < 0:
        return None
    text = source.text[at:end]
    try:
        value, repairs = _parse(text)
    except Unreadable:
        return _broken_call(text, source, closed=closed, marked=marked)
    calls = _calls_in(value, source, marked=marked)
    if calls and "missing_brace" in repairs and any(call.arguments == "{}" for call in calls):
        # The braces were never closed, and arguments may be missing.
        calls = [RawCall("", call.name, LEFT_OPEN) for call in calls]
    return JsonCalls(tuple(calls)) if calls else None


def _parse(text: str) -> tuple[Any, tuple[str, ...]]:
    try:
        return parse_json(text)
    except Unreadable:
        if not text.startswith("{{"):
            raise
    # As in a template, where every brace is doubled.
    return parse_json(_DOUBLED.sub(lambda found: found[1] or found[0][0], text))


def _calls_in(value: Any, source: CallSearch, *, marked: bool) -> list[RawCall]:
    """Empty if anything in it is not a call."""
    if isinstance(value, list):
        found = [_calls_in(each, source, marked=marked) for each in cast("list[Any]", value)]
        return [call for calls in found for call in calls] if all(found) else []
    if not isinstance(value, dict):
        return []
    call = cast("JsonObject", value)
    for wrapper in _WRAPPERS:
        if isinstance(call.get(wrapper), dict | list) and call.keys() <= _BESIDES | {wrapper}:
            return _calls_in(call[wrapper], source, marked=marked)
    one = _one_call(call, source, marked=marked)
    return [one] if one else []


def _one_call(call: JsonObject, source: CallSearch, *, marked: bool) -> RawCall | None:
    labels, holders = _present(_LABELS, call), _present(_HOLDERS, call)
    if len(labels) != 1 or len(holders) > 1 or not call.keys() <= {*_BESIDES, *labels, *holders}:
        return None
    name = source.tool(call[labels[0]], marked=marked)
    arguments: Any = call[holders[0]] if holders else None
    if name is None or _is_schema(arguments):
        return None
    if isinstance(arguments, str):
        return RawCall("", name, arguments)
    if arguments is None or isinstance(arguments, dict):
        return RawCall("", name, json.dumps(arguments or {}, ensure_ascii=False))
    return None


def _broken_call(text: str, source: CallSearch, *, closed: bool, marked: bool) -> JsonCalls | None:
    """A call that was truncated or can't be read: it goes back to the model, not to the user."""
    seen = _NAME_SEEN.search(text, 0, _HEAD)
    name = source.tool(seen[1], marked=marked) if seen else None
    if name is None:
        return None
    holder = _ARGUMENTS_SEEN.search(text)
    arguments = text[holder.end() :].rstrip() if holder else ""
    arguments = arguments.removesuffix("}") if closed else arguments
    return JsonCalls((RawCall("", name, arguments or LEFT_OPEN),), broken=True)


def _present(keys: Sequence[str], call: JsonObject) -> list[str]:
    return [key for key in keys if key in call]


def _is_schema(arguments: Any) -> bool:
    """The model repeats a tool's schema."""
    return isinstance(arguments, dict) and arguments.keys() >= {"type", "properties"}
