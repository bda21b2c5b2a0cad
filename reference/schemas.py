"""JSON schemas in words: what a value is, and the fields of an object in a table."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from reference.markdown import code, table

Schema = Mapping[str, Any]
Refer = Callable[[tuple[str, ...]], str]
"""Text for one or several named schemas, with links to their descriptions."""


COUNTABLE = 2**53
"""The largest integer that every client supports. Such a bound is not worth mentioning."""


def plain_names(names: tuple[str, ...]) -> str:
    """For when there is no page to link to."""
    return " or ".join(names)


def field_table(schema: Schema, words: Mapping[str, str], refer: Refer = plain_names, *, sent: bool = False) -> str:
    """`sent`: clients send this, so it matters what is optional."""
    rows = [
        (
            code(name),
            value_words(without_null(each) if sent else each, refer),
            default_words(each, required=name in schema.get("required", ())) if sent else "",
            words.get(name) or each.get("description", ""),
        )
        for name, each in schema.get("properties", {}).items()
    ]
    return table(("field", "value", "if left out", "meaning"), rows)


def value_words(schema: Schema, refer: Refer = plain_names) -> str:
    options = _options(schema)
    if len(options) > 1:
        return _one_of(options, refer)
    if options:
        return value_words(options[0], refer)
    if "$ref" in schema:
        return refer((_name(schema),))
    if "enum" in schema or "const" in schema:
        return ", ".join(code(str(each)) for each in schema.get("enum", (schema.get("const"),)))
    match schema.get("type"):
        case "array":
            return _list_words(schema, refer)
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            inner = value_words(schema["additionalProperties"], refer)
            return "object" if inner == "any" else f"object of {_many(inner)}"
        case str(kind):
            bounds = _bounds(schema)
            return f"{kind} ({bounds})" if bounds else kind
        case _:
            return "any"


def default_words(schema: Schema, *, required: bool) -> str:
    if required:
        return "required"
    default = schema.get("default")
    return "" if default is None else code(json.dumps(default, ensure_ascii=False))


def without_null(schema: Schema) -> Schema:
    """If a field is optional, null need not be mentioned."""
    if "anyOf" not in schema:
        return schema
    return {**schema, "anyOf": [each for each in schema["anyOf"] if each != {"type": "null"}]}


def _options(schema: Schema) -> list[Schema]:
    return list(schema.get("oneOf") or schema.get("anyOf") or ())


def _one_of(options: list[Schema], refer: Refer) -> str:
    """Named ones together, since a page may have one word for all of them."""
    named = tuple(_name(each) for each in options if "$ref" in each)
    others = [value_words(each, refer) for each in options if "$ref" not in each]
    return " or ".join(([refer(named)] if named else []) + [f"`{each}`" if each == "null" else each for each in others])


def _list_words(schema: Schema, refer: Refer) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(value_words(each, refer) for each in schema['prefixItems'])}]"
    most = f", at most {schema['maxItems']:,}" if "maxItems" in schema else ""
    return f"list of {_many(value_words(schema.get('items', {}), refer))}{most}"


def _many(words: str) -> str:
    return f"{words}s" if words in {"string", "integer", "number", "boolean", "object"} else words


def _bounds(schema: Schema) -> str:
    unit = " characters" if schema.get("type") == "string" else ""
    least = schema.get("minimum", schema.get("minLength"))
    most = schema.get("maximum", schema.get("maxLength"))
    words = [
        f"above {_number(schema['exclusiveMinimum'])}" if "exclusiveMinimum" in schema else "",
        f"at least {_number(least)}" if least is not None and not (unit and least == 1) else "",
        "not empty" if unit and least == 1 else "",
        f"at most {_number(most)}{unit}" if most is not None and most < COUNTABLE else "",
    ]
    return ", ".join(each for each in words if each)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"


def _name(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]
