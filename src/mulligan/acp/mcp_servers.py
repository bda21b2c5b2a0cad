"""MCP servers in an editor: those that it sends, and the question about those of the project. Imports the SDK."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from acp.helpers import text_block, tool_content
from acp.schema import HttpMcpServer, McpServerStdio, SseMcpServer, ToolCallUpdate

from mulligan.acp.questions import ALWAYS, YES, Questions, options
from mulligan.app.session import Session
from mulligan.workspace.sandbox.grants import trust_server


def server_tables(servers: Iterable[object]) -> dict[str, Mapping[str, Any]]:
    """By name. Servers that the user set up in their editor need no further trust, those that the project declares do;
    calls of their tools ask like those of any other server."""
    return {re.sub(r"[^\w.-]", "_", name): table for name, table in map(_table, servers) if table}


async def ask_for_trust(session: Session, questions: Questions, asked: set[str]) -> None:
    """About each MCP server that the project declares, also one that the editor passes on, once: `asked` has the
    fingerprints of those that were asked about."""
    from mulligan.app.tool_servers import declared_servers
    from mulligan.core.mcp.declarations import described
    from mulligan.mcp_client.sdk import sdk_installed

    if not sdk_installed():
        return  # the turn says so
    for each in declared_servers(session.configuration, session.trusted_servers).found:
        if each.state != "not trusted" or each.fingerprint in asked:
            continue
        asked.add(each.fingerprint)
        call = ToolCallUpdate(
            tool_call_id=f"trust-{each.server.name}",
            title=f"start the MCP server {each.server.name} of this project?",
            kind="execute",
            content=[tool_content(text_block(described(each)))],
        )
        answer = await questions.ask(call, options("In this session", "Don't start it", "Always, as it is now"))
        if answer == YES:
            session.trusted_servers.add(each.fingerprint)
        elif answer == ALWAYS:
            settings = session.settings
            trust_server(settings.home, settings.project, each.server.name, each.fingerprint)


def _table(server: object) -> tuple[str, Mapping[str, Any]]:
    match server:
        case McpServerStdio(name=name, command=command, args=args, env=env):
            return name, {"command": command, "args": args, "env": {each.name: each.value for each in env}}
        case HttpMcpServer(name=name, url=url, headers=headers):
            return name, {"url": url, "headers": {each.name: each.value for each in headers}}
        case SseMcpServer(name=name, url=url):
            # Reported as unusable, with the reason.
            return name, {"url": url, "type": "sse"}
        case _:
            return "", {}
