"""JSON schemas as pydantic writes them: what they allow, in words and by example.

`pattern` and `format` are left to the tool, whose own checks know their dialect.
"""

import json
from typing import Any

from mulligan.runtime.lenient_json import as_list, as_object
from mulligan.types.tool_calls import JsonObject

_MAX_HOPS = 100
"""How far to follow references and unions: a schema may refer to itself."""


def options(schema: object, root: JsonObject) -> list[JsonObject]:
    """The plain schemas of which a value must match one: references resolved, unions flattened."""
    plain: list[JsonObject] = []
    waiting = [schema]
    for _ in range(_MAX_HOPS):
        if not waiting:
            break
        this = as_object(waiting.pop(0))
        if "$ref" in this:
            rest = {key: value for key, value in this.items() if key != "$ref"}
            waiting.insert(0, {**_referred(str(this["$ref"]), root), **rest})
        elif union := as_list(this.get("anyOf")) or as_list(this.get("oneOf")):
            waiting = [*union, *waiting]
        elif parts := as_list(this.get("allOf")):
            rest = {key: value for key, value in this.items() if key != "allOf"}
            waiting.insert(0, {key: value for part in [rest, *parts] for key, value in as_object(part).items()})
        elif isinstance(this.get("type"), list):
            waiting = [*({**this, "type": each} for each in this["type"]), *waiting]
        else:
            plain.append(this)
    return plain


def properties(schema: JsonObject) -> dict[str, Any]:
    return as_object(schema.get("properties"))


def required(schema: JsonObject) -> list[str]:
    return list(schema.get("required", ()))


def choices(schema: JsonObject) -> list[Any] | None:
    """The only values allowed, if the schema lists them."""
    if "const" in schema:
        return [schema["const"]]
    return schema.get("enum")


def allows_null(schema: object, root: JsonObject) -> bool:
    for each in options(schema, root):
        allowed = choices(each)
        if None in allowed if allowed is not None else each.get("type") in ("null", None):
            return True
    return False


def describe(schema: object, root: JsonObject, depth: int = 0) -> str:
    """The expected value in a few words: `integer from 1 to 500`, `list of strings or null`."""
    words = dict.fromkeys(_describe_one(each, root, depth) for each in options(schema, root))
    return " or ".join(words) or "anything"


def example(schema: object, root: JsonObject, name: str = "value", depth: int = 0) -> Any:
    """A value that fits."""
    first = as_object(next(iter(options(schema, root)), None))
    allowed = choices(first) or first.get("examples")
    if allowed:
        return allowed[0]
    match first.get("type"):
        case "integer" | "number":
            return first.get("minimum", min(1, first.get("maximum", 1)))
        case "boolean":
            return True
        case "array":
            return [example(first.get("items"), root, name, depth + 1)] if depth < 3 else []
        case "object":
            inner = properties(first)
            return {key: example(inner.get(key), root, key, depth + 1) for key in required(first)} if depth < 3 else {}
        case "null":
            return None
        case _:
            return f"<{name}>"


def _referred(reference: str, root: JsonObject) -> JsonObject:
    found: object = root
    for step in reference.removeprefix("#/").split("/"):
        found = as_object(found).get(step)
    return as_object(found)


def _describe_one(schema: JsonObject, root: JsonObject, depth: int) -> str:
    allowed = choices(schema)
    if allowed is not None:
        return " or ".join(json.dumps(each, ensure_ascii=False) for each in allowed)
    match schema.get("type"):
        case "array":
            return f"list of {describe(schema.get('items'), root, depth + 1)}" if depth < 3 else "list"
        case "object" if properties(schema) and depth < 2:
            inner = (f"{key}: {describe(each, root, depth + 1)}" for key, each in properties(schema).items())
            return "object {" + ", ".join(inner) + "}"
        case "integer" | "number" as kind:
            return f"{kind}{_range(schema)}"
        case None:
            return "anything"
        case kind:
            return str(kind)


def _range(schema: JsonObject) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    bounds = (("of at least", low), ("above", above), ("of at most", high), ("below", below))
    words = [f"{word} {bound}" for word, bound in bounds if bound is not None]
    return f" {' and '.join(words)}" if words else ""
