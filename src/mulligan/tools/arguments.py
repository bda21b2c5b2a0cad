"""Between a tool's argument class and the model: the schema it sees, the messages it gets back."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from mulligan.types.base import InvalidRecord, Record
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import JsonObject, ToolSpec

DROPPED_KEYS = frozenset({"title", "default", "additionalProperties", "$ref"})
"""What pydantic adds to a schema that costs tokens in every request and tells a model nothing."""

SCHEMAS = Path(__file__).with_name("schemas.json")

TIME_LIMIT = 60.0
"""Default seconds per call."""

Arguments = TypeVar("Arguments", bound=Record)


def tool_spec(
    name: str, description: str, arguments: type[Record], *, time_limit: float | None = TIME_LIMIT
) -> ToolSpec:
    return ToolSpec(name, description, _written().get(schema_name(arguments)) or brief_schema(arguments), time_limit)


def schema_name(arguments: type[Record]) -> str:
    return f"{arguments.__module__.removeprefix('mulligan.')}.{arguments.__qualname__}"


def brief_schema(arguments: type[Record]) -> JsonObject:
    """The schema of the arguments as a model sees it."""
    schema = arguments.model_json_schema()
    # A class's docstring is for readers of the code.
    schema.pop("description", None)
    return _brief(schema, schema.pop("$defs", {}))


@cache
def _written() -> dict[str, JsonObject]:
    """Schemas by the name of their class, as written by `make reference`: generating them takes 15 ms at startup."""
    return json.loads(SCHEMAS.read_bytes())


def read_arguments(kind: type[Arguments], given: Mapping[str, Any]) -> Arguments:
    """Raises `CallRejected` with a line for each argument that doesn't fit."""
    try:
        return kind.model_validate(dict(given))
    except InvalidRecord as error:
        problems = [
            f"{'.'.join(map(str, problem['loc'])) or 'arguments'}: {problem['msg']}" for problem in error.problems
        ]
        raise CallRejected("schema_reject", "The arguments don't fit.\n" + "\n".join(problems)) from error


def shown_path(path: str) -> str:
    """A path argument as shown in a result."""
    return "the project" if path in {".", "", "/"} else path


def _brief(schema: JsonObject, defined: JsonObject) -> JsonObject:
    if "$ref" in schema:
        schema = {**defined[schema["$ref"].rpartition("/")[2]], **schema}
    brief: JsonObject = {key: value for key, value in schema.items() if key not in DROPPED_KEYS}
    if "properties" in brief:
        brief["properties"] = {name: _brief(each, defined) for name, each in brief["properties"].items()}
    if "items" in brief:
        brief["items"] = _brief(brief["items"], defined)
    options = cast("list[JsonObject]", brief.pop("anyOf", []))
    for option in options:
        # An argument that may be null may as well be omitted.
        if option.get("type") != "null":
            brief = {**_brief(option, defined), **brief}
    return brief
