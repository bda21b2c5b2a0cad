"""A final answer in the form that ends a client's loop: plain text for most, a call for those that end with a tool."""

import json
from collections.abc import Sequence
from typing import Any, cast

from mulligan.types.tool_calls import RawCall, ToolSpec

_ENDING = frozenset({"attempt_completion", "final_output", "recipe__final_output", "finish", "complete_task"})
"""Tools of Cline, goose's recipes, OpenHands and others, without which the agent asks its model to continue."""


def final_calls(specs: Sequence[ToolSpec], text: str) -> tuple[RawCall, ...]:
    """The call that ends the client's turn with this text; none if plain text does."""
    spec = next((each for each in specs if each.name in _ENDING), None)
    own = cast("dict[str, dict[str, Any]]", spec.parameters.get("properties", {})) if spec else {}
    needed: list[str] = spec.parameters.get("required") or list(own)[:1] if spec else []
    if spec is None or not needed or any(own.get(name, {}).get("type") != "string" for name in needed):
        return ()
    return (RawCall("", spec.name, json.dumps(dict.fromkeys(needed, text))),)
