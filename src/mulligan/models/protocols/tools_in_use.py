"""Remembers what a conversation was told of its tools."""

from mulligan.types.model_io import ModelRequest, SystemText
from mulligan.types.tool_calls import ToolSpec


class ToolsInUse:
    """The last request of a turn offers no tools. Where they are described in the system text they stay described all
    the same, or the server would have to read the whole conversation again to write the last words."""

    def __init__(self) -> None:
        self._system = ""
        self._tools: tuple[ToolSpec, ...] = ()

    def described_in(self, request: ModelRequest) -> tuple[ToolSpec, ...]:
        """The request's own tools, else those of the conversation's request before."""
        first = request.messages[0] if request.messages else None
        system = first.text if isinstance(first, SystemText) else ""
        if request.tools:
            self._system, self._tools = system, request.tools
        return self._tools if system == self._system else ()
