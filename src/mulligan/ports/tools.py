"""A tool, as the loop sees it."""

from collections.abc import Mapping
from typing import Any, Protocol

from mulligan.types.tool_calls import Outcome, ToolSpec


class Tool(Protocol):
    """A schema and a thin executor."""

    @property
    def spec(self) -> ToolSpec: ...

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        """Carry out the call. Raises `CallRejected` if the model can fix it."""
        ...
