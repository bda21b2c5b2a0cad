"""Tool calls as models write them: parsed, repaired if nothing is lost, or refused with a helpful message."""

from mulligan.core.tool_calls.read import read_calls

__all__ = ["read_calls"]
