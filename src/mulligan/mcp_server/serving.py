"""Serves one client over standard input and output. Importing this loads the SDK.

Calls are read like those of a model, since a model wrote them: repaired if that loses nothing, refused with a helpful
message. The user's rules and hooks apply; nobody can be asked. A tool's output is masked.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from mulligan import __version__
from mulligan.app.configuration import Configuration
from mulligan.app.open_session import open_session
from mulligan.app.project_tools import Consent
from mulligan.app.session import Session
from mulligan.core.safe_text import one_line
from mulligan.core.tool_calls.read import read_call
from mulligan.loop.tool_phase import run_call
from mulligan.mcp_server.checkpoint_tools import CreateCheckpoint, ListCheckpoints, RestoreCheckpoint
from mulligan.mcp_server.edit_tools import ClientEdits
from mulligan.mcp_server.fix_tool import FIX_SPEC, Fix
from mulligan.mcp_server.standard_input import InputLines
from mulligan.ports.tools import Tool as OwnTool
from mulligan.runtime.memory_tuning import tune_gc_for_server
from mulligan.types.errors import CallRejected, MulliganError
from mulligan.types.tool_calls import Failed, Outcome, RawCall, RejectedCall, ToolSpec

if TYPE_CHECKING:
    from anyio import AsyncFile

Context = ServerRequestContext[Any, Any]

ABOUT = (
    "Mulligan's tools for the project it was started in: code search over an index, edits that are placed safely and "
    "can be taken back, checkpoints, and `fix`, which works on a goal until tests verify it."
)
CHANGES = frozenset({"edit_file", "create_file", "delete_file", "restore_checkpoint", "fix"})


async def serve_stdio(configuration: Configuration, *, stage: bool) -> None:
    """Until the client disconnects. With `stage`, edits stay pending."""
    async with open_session(configuration, tell=_tell) as session:
        served = _Served(session, stage=stage)
        server = Server(
            "mulligan",
            version=__version__,
            instructions=ABOUT,
            on_list_tools=served.list_tools,
            on_call_tool=served.call_tool,
        )
        tune_gc_for_server()
        try:
            lines = cast("AsyncFile[str]", InputLines())
            async with stdio_server(stdin=lines) as (arriving, leaving):
                await server.run(arriving, leaving, server.create_initialization_options())
        finally:
            await served.close()


class _Served:
    """What a client may call."""

    def __init__(self, session: Session, *, stage: bool) -> None:
        self._session = session
        self._edits = ClientEdits(session, stage=stage)
        tools: list[OwnTool] = [
            *session.project_tools(session.settings.project).code_tools.values(),
            *self._edits.tools,
            CreateCheckpoint(session),
            ListCheckpoints(session),
            RestoreCheckpoint(session),
        ]
        self._tools: Mapping[str, OwnTool] = {tool.spec.name: tool for tool in tools}
        self._specs = sorted([*(tool.spec for tool in tools), FIX_SPEC], key=lambda spec: spec.name)

    async def list_tools(self, _context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[_described(spec) for spec in self._specs])

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        call = read_call(RawCall("", params.name, json.dumps(params.arguments or {})), self._specs)
        if isinstance(call, RejectedCall):
            return _result(call.message, failed=True)
        self._name_client(context)
        tool = self._tools.get(call.name) or Fix(self._session, _Steps(context).report)
        tools = self._session.project_tools(self._session.settings.project)
        (guarded,) = tools.guarded((tool,), Consent(), chat_id=self._edits.chat_id, agent=self._edits.client)
        ran = await run_call(call, _Telling(guarded), self._session.mask, self._session.log)
        return _result(ran.outcome.content, failed=isinstance(ran.outcome, Failed))

    async def close(self) -> None:
        await self._edits.close()

    def _name_client(self, context: Context) -> None:
        """Changes and checkpoints name their client."""
        client = context.session.client_params
        if client and client.client_info:
            self._edits.client = one_line(client.client_info.name, 60) or self._edits.client


@dataclass(frozen=True, slots=True)
class _Telling:
    """A tool whose errors are reported to the client: a folder that is not a repository, an unreachable model."""

    tool: OwnTool

    @property
    def spec(self) -> ToolSpec:
        return self.tool.spec

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        try:
            return await self.tool.run(arguments)
        except CallRejected:
            raise
        except MulliganError as error:
            raise CallRejected("exec_error", str(error)) from error


class _Steps:
    """Progress of one call. The total is unknown, so only steps are counted."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._count = 0

    async def report(self, words: str) -> None:
        self._count += 1
        await self._context.session.report_progress(self._count, message=one_line(words, 300))


def _described(spec: ToolSpec) -> Tool:
    hints = ToolAnnotations(
        read_only_hint=spec.name not in CHANGES and spec.name != "create_checkpoint",
        destructive_hint=spec.name in CHANGES,
        open_world_hint=spec.name == "fix",
    )
    return Tool(name=spec.name, description=spec.description, input_schema=spec.parameters, annotations=hints)


def _result(text: str, *, failed: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)


def _tell(words: str) -> None:
    """Standard output belongs to the client."""
    sys.stderr.write(f"{words}\n")
