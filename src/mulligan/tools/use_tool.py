"""Call a tool of an MCP server, as far as the rules and the user allow."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mulligan.core.mcp.catalog import USE
from mulligan.core.mcp.permission import judge_tool, shown_call
from mulligan.core.secrets import refuse_masks
from mulligan.core.tool_calls.reached import read_reached
from mulligan.core.tool_calls.read import read_call
from mulligan.ports.commands import Approve
from mulligan.ports.mcp import ToolServers
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.errors import BackendError, CallRejected
from mulligan.types.mcp import McpTool
from mulligan.types.permissions import Permissions
from mulligan.types.tool_calls import Failed, JsonObject, Outcome, RejectedCall, Succeeded, ToolCall, ToolSpec


class UseToolArguments(Record):
    tool: str = field(min_length=1, description="Its name, as find_tools shows it.")
    arguments: JsonObject = field(default_factory=dict, description="The tool's own arguments.")


class UseTool:
    def __init__(self, servers: ToolServers, approve: Approve, rules: Callable[[], Permissions]) -> None:
        """The rules are read each time, since the user may add to them during the turn."""
        self._servers = servers
        self._approve = approve
        self._rules = rules
        # A call has its server's limit, and the user may take their time to allow it.
        self._spec = tool_spec(USE, "Call a tool that find_tools lists.", UseToolArguments, time_limit=None)

    @property
    def spec(self) -> ToolSpec:
        """With the tools known so far."""
        return replace(self._spec, reached=self._servers.known().specs)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(UseToolArguments, arguments)
        tool, given = await self._meant(asked)
        call = shown_call(tool, given)
        refuse_masks(call)
        await self._permit(tool, call)
        try:
            answer = await self._servers.call(tool, given)
        except BackendError as error:
            return Failed("exec_error", str(error))
        if answer.failed:
            return Failed("exec_error", answer.content)
        return Succeeded(answer.content, may_have_changed=not tool.reads_only)

    async def _meant(self, asked: UseToolArguments) -> tuple[McpTool, JsonObject]:
        """What was unknown when the call was parsed is parsed now. Raises `CallRejected`."""
        catalog = self._servers.known()
        if not catalog.find(asked.tool):
            catalog = await self._servers.catalog()
        call = ToolCall("", USE, {"tool": asked.tool, "arguments": asked.arguments})
        read = read_reached(call, catalog.specs, read_call)
        if isinstance(read, RejectedCall):
            raise CallRejected(read.kind, "\n".join([read.message, *catalog.failed]))
        tool = catalog.find(read.arguments["tool"])
        if tool is None:
            raise CallRejected("tool_not_found", f"There is no tool named {asked.tool}.")
        return tool, read.arguments["arguments"]

    async def _permit(self, tool: McpTool, call: str) -> None:
        verdict = judge_tool(tool, self._rules())
        if verdict.decision == "allow":
            return
        if verdict.decision == "deny":
            raise CallRejected("permission_denied", f"{tool.shown} was not called. {verdict.reason}")
        answer = await self._approve(call, verdict)
        if not answer.granted:
            reply = f" The user said: {answer.reason}" if answer.reason else ""
            raise CallRejected(
                "permission_denied",
                f"{tool.shown} was not called: it needs the user's approval and did not get it.{reply} "
                "Go on without it, or in another way.",
            )
