"""Checks a call of another agent's tool against the request's own schemas: fine, repaired, or beyond repair."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mulligan.core.proxy.switches import Switches
from mulligan.core.tool_calls.coerce import fit_arguments
from mulligan.core.tool_calls.read import read_call
from mulligan.types.tool_calls import JsonObject, RawCall, RejectedCall, ToolSpec


@dataclass(frozen=True, slots=True)
class FineCall:
    """It fits the schema: not a byte of it is changed."""


@dataclass(frozen=True, slots=True)
class RepairedCall:
    name: str
    arguments: str
    """JSON."""
    repairs: tuple[str, ...]


CheckedCall = FineCall | RepairedCall | RejectedCall


def check_call(raw: RawCall, specs: Sequence[ToolSpec], switches: Switches) -> CheckedCall:
    """Never raises. If a repair is switched off, a call that would need it counts as fine."""
    spec = next((each for each in specs if each.name == raw.name), None)
    arguments = _strictly(raw.arguments)
    if spec and arguments is not None and _fits(arguments, spec):
        return FineCall()
    if spec and not switches.on("arguments"):
        return FineCall()
    read = read_call(raw, specs)
    if isinstance(read, RejectedCall):
        return read
    if read.name != raw.name and not switches.on("names"):
        return FineCall()
    if not switches.on("arguments"):
        return RepairedCall(read.name, raw.arguments, ("tool_name",))
    # If the schema does not forbid an argument, the client decides about it.
    moved = {"renamed_argument", "nested_call"}.intersection(read.repairs)
    extra = _allowed_extras(arguments, spec) if arguments and spec and not moved else {}
    return RepairedCall(read.name, json.dumps({**read.arguments, **extra}, ensure_ascii=False), read.repairs)


def _fits(arguments: JsonObject, spec: ToolSpec) -> bool:
    fitted = fit_arguments(arguments, spec.parameters, as_named=True, open_objects=True)
    return not fitted.problems and not fitted.repairs


def _allowed_extras(arguments: JsonObject, spec: ToolSpec) -> JsonObject:
    if spec.parameters.get("additionalProperties", True) is False:
        return {}
    own: Any = spec.parameters.get("properties")
    return {key: value for key, value in arguments.items() if not isinstance(own, dict) or key not in own}


def _strictly(text: str) -> JsonObject | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]  # of JSON
