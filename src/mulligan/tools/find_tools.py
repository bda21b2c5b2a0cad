"""Find tools of MCP servers by words."""

from collections.abc import Mapping
from typing import Any

from mulligan.core.mcp.catalog import FIND, found_text, summary
from mulligan.ports.mcp import ToolServers
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import Outcome, Succeeded


class FindToolsArguments(Record):
    query: str = field(default="", description="Words of the name or the description, such as: create issue.")


class FindTools:
    def __init__(self, servers: ToolServers) -> None:
        self._servers = servers
        description = "Find more tools, of other servers, and how to call them. There are:\n" + summary(servers.known())
        # Servers have their own limits for starting.
        self.spec = tool_spec(FIND, description, FindToolsArguments, time_limit=None)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(FindToolsArguments, arguments)
        return Succeeded(found_text(await self._servers.catalog(), asked.query))
