"""MCP servers that an editor sends with a session, as a person's own file would declare them. Imports the SDK."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from acp.schema import HttpMcpServer, McpServerStdio, SseMcpServer


def server_tables(servers: Iterable[object]) -> dict[str, Mapping[str, Any]]:
    """By name. They are those that the person set up in their editor, so they need no further trust; calls of their
    tools are asked about like those of any other server."""
    return {re.sub(r"[^\w.-]", "_", name): table for name, table in map(_table, servers) if table}


def _table(server: object) -> tuple[str, Mapping[str, Any]]:
    match server:
        case McpServerStdio(name=name, command=command, args=args, env=env):
            return name, {"command": command, "args": args, "env": {each.name: each.value for each in env}}
        case HttpMcpServer(name=name, url=url, headers=headers):
            return name, {"url": url, "headers": {each.name: each.value for each in headers}}
        case SseMcpServer(name=name, url=url):
            # Told as what can't be used, with why.
            return name, {"url": url, "type": "sse"}
        case _:
            return "", {}
