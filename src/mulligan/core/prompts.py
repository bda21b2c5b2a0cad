"""Mulligan's own texts to the model: the system prompt, transient notes, and a replacement for a missing last reply."""

from collections.abc import Sequence
from typing import Any, cast

from mulligan.types.agents import AgentSpec
from mulligan.types.messages import Part, Text, ToolCallPart, ToolResultPart
from mulligan.types.tool_calls import JsonObject
from mulligan.types.turns import STOPS, StopReason

CONTINUE_PROMPT = "Continue from where you stopped."

UNCHANGED_NOTE = (
    "[You made this same call before and nothing has changed since: the result is the same. "
    "Do not repeat it. Use what you know, or do something else.]"
)


def system_prompt(agent: AgentSpec, project_name: str, instructions: str = "") -> str:
    """Short, and equal in every step: small models read 30 tokens a second, and servers cache the beginning."""
    where = f"The project is the folder `{project_name}`. All paths are relative to it."
    return "\n\n".join(filter(None, (agent.prompt.strip(), where, instructions)))


def wrap_up_note(reason: StopReason) -> str:
    """Sent with tools off when a guard ends the turn."""
    return (
        f"Stop here: {STOPS[reason].told_to_model}. You can't call tools any more. "
        "Write your last reply for the user, in plain text: what you found out, what you tried, what is left to do. "
        "Say openly what you could not find."
    )


def fallback_reply(parts: Sequence[Part], reason: StopReason) -> str:
    """A plain list for the user if the model could not write its last reply."""
    results = {part.call_id: part for part in parts if isinstance(part, ToolResultPart)}
    lines = [
        f"The model gave no summary, so this is Mulligan's own list. The turn stopped: {STOPS[reason].told_to_model}."
    ]
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    if calls:
        lines += ["", "What was tried:"]
        shown = dict.fromkeys(describe_outcome(call, results.get(call.call_id)) for call in calls)
        lines += [f"- {line}" for line in list(shown)[:_MAX_LISTED]]
        if len(shown) > _MAX_LISTED:
            lines.append(f"- … and {len(shown) - _MAX_LISTED} more")
    texts = [part.text.strip() for part in parts if isinstance(part, Text) and part.text.strip()]
    if texts:
        lines += ["", "What the model last said:", _shorten(texts[-1], 600)]
    lines += ["", "What is left: the question is not answered. Ask again in other words, or with another model."]
    return "\n".join(lines)


_MAX_LISTED = 20


def describe_outcome(call: ToolCallPart, result: ToolResultPart | None) -> str:
    """A call and its result on one line."""
    shown = describe_call(call.name, call.arguments)
    if result is None:
        return f"{shown}: no result"
    if result.failure:
        return f"{shown}: failed ({result.failure}), {_shorten(_first_line(result.content), 120)}"
    return f"{shown}: worked"


def describe_call(name: str, arguments: JsonObject) -> str:
    """A call on one line: `view_file src/a.py 1 200`."""
    values = " ".join(_shorten(_plain(value), 60) for value in arguments.values() if value is not None)
    return f"{name} {values}".strip()


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(each) for each in cast("list[Any]", value))
    return str(value)


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]


def _shorten(text: str, limit: int) -> str:
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"
