"""Simplifies schemas of foreign tools to what a small model can follow and the repair of calls understands."""

from collections.abc import Sequence
from typing import Any

from mulligan.core.safe_text import one_line
from mulligan.core.tool_calls.schema import as_object, choices, describe, options, properties, required
from mulligan.types.tool_calls import JsonObject

MAX_DEPTH = 4
"""Levels of objects within objects. Deeper ones accept anything."""
MAX_PROPERTIES = 40
MAX_CHOICES = 40
MAX_NAME_CHARS = 64
WORDS_OF_AN_ARGUMENT = 100
"""Characters."""

_BOUNDS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
)
_SCALARS = frozenset({"string", "integer", "number", "boolean"})


def simple_schema(schema: object) -> JsonObject:
    """References are resolved; unions with null, and everything that tells a model nothing, are dropped. The server
    checks what this schema no longer does."""
    root = as_object(schema)
    return _object(root, root, 0)


def signature(parameters: JsonObject) -> list[str]:
    """One line per argument, required ones first: `title (string, required): The issue's title`."""
    own, needed = properties(parameters), required(parameters)
    lines: list[str] = []
    for name in sorted(own, key=lambda each: each not in needed):
        what = describe(own[name], parameters)
        about = as_object(own[name]).get("description")
        lines.append(f"{name} ({what}{', required' if name in needed else ''})" + (f": {about}" if about else ""))
    return lines


def _object(schema: JsonObject, root: JsonObject, depth: int) -> JsonObject:
    own = {
        name: each
        for name, each in list(properties(schema).items())[:MAX_PROPERTIES]
        if 0 < len(name) <= MAX_NAME_CHARS and name.isprintable()
    }
    if not own and (depth or schema.get("additionalProperties")):
        return {"type": "object"}
    kept: JsonObject = {
        "type": "object",
        "properties": {name: _value(each, root, depth + 1) for name, each in own.items()},
    }
    listed = schema.get("required")
    needed = [name for name in (listed if isinstance(listed, list) else ()) if name in own]  # pyright: ignore[reportUnknownVariableType]  # checked by `in`
    return kept | ({"required": needed} if needed else {})


def _value(schema: object, root: JsonObject, depth: int) -> JsonObject:
    allowed = [each for each in options(schema, root) if each.get("type") != "null"]
    words = next((described for each in (as_object(schema), *allowed) if (described := _words(each))), JsonObject())
    return (_one(allowed[0], root, depth) if len(allowed) == 1 else _union(allowed)) | words


def _union(allowed: Sequence[JsonObject]) -> JsonObject:
    """Constants become an enumeration, which some generators write as a union. A union of different objects becomes
    anything: a small model can't choose among them."""
    listed = [choices(each) for each in allowed]
    if allowed and all(isinstance(each, list) for each in listed):
        return _one({"enum": [choice for each in listed for choice in each or ()]}, {}, 0)
    kinds = sorted({str(each.get("type")) for each in allowed})
    if not kinds or not _SCALARS.issuperset(kinds):
        return {}
    return {"type": kinds[0]} if len(kinds) == 1 else {"anyOf": [{"type": kind} for kind in kinds]}


def _one(schema: JsonObject, root: JsonObject, depth: int) -> JsonObject:
    listed = choices(schema)
    if isinstance(listed, list) and 0 < len(listed) <= MAX_CHOICES:
        return {"enum": listed}
    match schema.get("type"):
        case "object" if depth < MAX_DEPTH:
            return _object(schema, root, depth)
        case "object":
            return {"type": "object"}
        case "array":
            items = _value(schema.get("items"), root, depth + 1) if depth < MAX_DEPTH else {}
            return {"type": "array", **({"items": items} if items else {}), **_bounds(schema)}
        case str() as kind if kind in _SCALARS:
            return {"type": kind, **_bounds(schema)}
        case _:
            return {}


def _bounds(schema: JsonObject) -> dict[str, Any]:
    return {
        key: schema[key]
        for key in _BOUNDS
        if isinstance(schema.get(key), int | float) and not isinstance(schema[key], bool)
    }


def _words(schema: JsonObject) -> JsonObject:
    text = schema.get("description")
    return {"description": one_line(text, WORDS_OF_AN_ARGUMENT)} if isinstance(text, str) and text.strip() else {}
