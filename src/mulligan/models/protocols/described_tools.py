"""Tools in plain words, for models that are not told of them by the server. Short, since small models read slowly."""

import json
from collections.abc import Sequence
from typing import Any, cast

from mulligan.types.tool_calls import JsonObject, ToolSpec


def describe_tools(tools: Sequence[ToolSpec]) -> str:
    """A line for each tool and one for each of its arguments. The same tools always give the same text."""
    return "\n".join(line for tool in tools for line in _tool_lines(tool))


def _tool_lines(tool: ToolSpec) -> list[str]:
    own = cast("dict[str, JsonObject]", tool.parameters.get("properties", {}))
    needed = tool.parameters.get("required", [])
    lines = [f"- {tool.name}: {tool.description}"]
    return lines + [_argument_line(name, schema, required=name in needed) for name, schema in own.items()]


def _argument_line(name: str, schema: JsonObject, *, required: bool) -> str:
    kind = _kind(schema) if required else f"{_kind(schema)}, optional"
    said = schema.get("description")
    return f"  {name} ({kind}): {said}" if said else f"  {name} ({kind})"


def _kind(schema: JsonObject) -> str:
    if "enum" in schema:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind: Any = schema.get("type", "any")
    return f"list of {_kind(schema.get('items', {}))}" if kind == "array" else str(kind)
