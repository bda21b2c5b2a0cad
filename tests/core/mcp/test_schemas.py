"""Schemas of foreign tools, made simple."""

import json
from typing import Any

import pytest

from mulligan.core.mcp.schemas import signature, simple_schema

WHOLE: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "CreateArguments",
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "gone"],
    "$defs": {"Kind": {"enum": ["bug", "wish"], "description": "What it is"}},
    "properties": {
        "title": {"type": "string", "title": "Title", "minLength": 1, "examples": ["x"], "pattern": "(a+)+$"},
        "kind": {"$ref": "#/$defs/Kind"},
        "labels": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": None},
        "size": {"oneOf": [{"const": "s"}, {"const": "l"}]},
        "id": {"type": ["integer", "string"]},
        "where": {"allOf": [{"type": "object", "properties": {"x": {"type": "number", "maximum": 3}}}]},
        "anything": True,
    },
}


def test_a_schema_keeps_what_a_model_needs() -> None:
    assert simple_schema(WHOLE) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1},
            "kind": {"enum": ["bug", "wish"], "description": "What it is"},
            "labels": {"type": "array", "items": {"type": "string"}},
            "size": {"enum": ["s", "l"]},
            "id": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "where": {"type": "object", "properties": {"x": {"type": "number", "maximum": 3}}},
            "anything": {},
        },
        "required": ["title"],
    }


def test_arguments_that_are_needed_stand_first() -> None:
    schema = {
        "properties": {"b": {"type": "integer"}, "a": {"type": "string", "description": "Who"}},
        "required": ["a"],
    }
    assert signature(simple_schema(schema)) == ["a (string, required): Who", "b (integer)"]


@pytest.mark.parametrize(
    "schema",
    [
        None,
        "text",
        [],
        {"type": "object", "properties": []},
        {"properties": {"a": {"$ref": "#/nowhere"}, "b": {"$ref": "#"}, "c": {"type": 7}, "d": {"enum": "x"}}},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"properties": {"a": {"$ref": "#/$defs/A"}}}}},
        {"properties": {"a": {"anyOf": 3}, "b": {"items": {"items": {"items": {"items": {}}}}}}, "required": "a"},
        {"properties": {f"a{n}": {"description": "long " * 999, "enum": list(range(999))} for n in range(999)}},
        {"properties": {"a\nb": {"type": "string"}, "x" * 999: {}}},
    ],
    ids=lambda each: json.dumps(each)[:40],
)
def test_any_schema_becomes_a_bounded_one(schema: Any) -> None:
    simple = simple_schema(schema)
    assert simple["type"] == "object"
    assert len(json.dumps(simple)) < 20_000
    assert all(line.isprintable() for line in signature(simple))
