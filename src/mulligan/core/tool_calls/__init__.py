"""Tool calls as models write them: read, fixed where that loses nothing, and refused with words that help."""

from mulligan.core.tool_calls.read import read_calls

__all__ = ["read_calls"]
