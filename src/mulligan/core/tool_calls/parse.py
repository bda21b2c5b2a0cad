"""Parses the text of the arguments to an object, without losing or inventing anything."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from mulligan.core.tool_calls.almost_json import MAX_DEPTH, Unreadable, read_integer, read_loosely, read_number
from mulligan.core.tool_calls.guess import guess_json
from mulligan.types.tool_calls import JsonObject

__all__ = ["Parsed", "Unreadable", "parse_arguments", "parse_json"]

_ENCODINGS = 3
"""How many levels of JSON within strings to decode."""


@dataclass(frozen=True, slots=True)
class Parsed:
    value: JsonObject
    repairs: tuple[str, ...] = ()


def parse_arguments(text: str) -> Parsed:
    """The object in the text. Raises `Unreadable`."""
    repairs: list[str] = []
    for _ in range(_ENCODINGS + 1):
        inner = _without_fence(text)
        if inner != text.strip():
            repairs.append("code_fence")
        if not inner:
            return Parsed({}, (*repairs, "empty_arguments"))
        value, fixed = _parse_or_guess(inner)
        repairs += fixed
        if value is None:
            return Parsed({}, (*repairs, "empty_arguments"))
        if isinstance(value, list):
            value = _only_object(cast("list[Any]", value), text)
            repairs.append("unwrapped_list")
        if isinstance(value, dict):
            return Parsed(cast("JsonObject", value), tuple(dict.fromkeys(repairs)))
        if not isinstance(value, str):
            break
        repairs.append("encoded_twice")
        text = value
    raise Unreadable("they must be one JSON object", text)


def parse_json(text: str) -> tuple[Any, tuple[str, ...]]:
    """Any JSON value, with the names of the repairs it took. Raises `Unreadable`."""
    try:
        value, repairs = _parse_strictly(text), ()
    # Too deep for the decoder, or broken: the loose reader goes as deep as we allow, and knows what is wrong where.
    except (ValueError, RecursionError):
        value, repairs = read_loosely(text)
    _check(value, text)
    return value, repairs


def _parse_or_guess(text: str) -> tuple[Any, tuple[str, ...]]:
    try:
        return parse_json(text)
    except Unreadable as unreadable:
        guessed = None if unreadable.cut_off else guess_json(text)
        if guessed is None:
            raise
        value, _ = parse_json(guessed)
        return value, ("json_repair",)


def _parse_strictly(text: str) -> Any:
    return json.loads(
        text,
        parse_int=read_integer,
        parse_float=read_number,
        parse_constant=read_number,
        object_pairs_hook=_object_without_repeats,
    )


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> JsonObject:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is given twice")
    return value


def _without_fence(text: str) -> str:
    text = text.strip()
    if not text.startswith("```") and not text.endswith("```"):
        return text
    # No JSON text begins or ends with a backtick, so a fence with one end missing is removed as well.
    inner = text.strip("`")
    if text.startswith("```"):
        language = inner.split("\n", 1)[0].split("{", 1)[0].strip()
        if language.isidentifier():
            inner = inner.lstrip().removeprefix(language)
    return inner.strip()


def _only_object(values: list[Any], text: str) -> JsonObject:
    if len(values) == 1 and isinstance(values[0], dict):
        return cast("JsonObject", values[0])
    raise Unreadable("they must be one JSON object, not a list", text)


def _check(value: Any, text: str) -> None:
    """Refuse what parses but could not be stored or sent on."""
    level: list[Any] = [value]
    depth = 0
    while level:
        depth += any(isinstance(each, dict | list) for each in level)
        if depth > MAX_DEPTH:
            raise Unreadable(f"they are nested more than {MAX_DEPTH} deep", text)
        for each in level:
            if isinstance(each, str):
                _check_characters(each, text)
        level = [inner for each in level for inner in _inside(each)]


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return chain.from_iterable(cast("JsonObject", value).items())
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _check_characters(string: str, text: str) -> None:
    if string.isascii():
        return
    try:
        string.encode()
    except UnicodeEncodeError:
        raise Unreadable("a string holds half of a character (an unpaired surrogate)", text) from None
