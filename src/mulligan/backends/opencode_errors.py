"""opencode's errors, from its server and in the output of its command."""

from mulligan.runtime.lenient_json import as_object, as_text
from mulligan.types.agents import AgentDone
from mulligan.types.tool_calls import JsonObject


def ending_of(error: JsonObject) -> AgentDone:
    """How a turn with this error ended."""
    name = as_text(error.get("name"))
    if name == "MessageAbortedError":
        return AgentDone("cancelled")
    return AgentDone("failed", as_text(as_object(error.get("data")).get("message")) or name)
