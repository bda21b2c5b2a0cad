"""Errors as opencode writes them, to its server's clients and in the output of its command alike."""

from mulligan.runtime.lenient_json import as_object, as_text
from mulligan.types.agents import AgentDone
from mulligan.types.tool_calls import JsonObject


def ending_of(error: JsonObject) -> AgentDone:
    """How a turn ended that ended with this error."""
    name = as_text(error.get("name"))
    if name == "MessageAbortedError":
        return AgentDone("cancelled")
    return AgentDone("failed", as_text(as_object(error.get("data")).get("message")) or name)
