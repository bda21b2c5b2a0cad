"""The servers of a project, together."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mulligan.core.mcp.catalog import named_tools
from mulligan.mcp_client.connection import Connection
from mulligan.mcp_client.listed_tools import ListedTools
from mulligan.types.errors import BackendError
from mulligan.types.mcp import Catalog, DeclaredServer, McpAnswer, McpTool
from mulligan.types.tool_calls import JsonObject

PAUSE = 60.0
"""Seconds before a server that failed is asked for its tools again."""


class ConnectedServers:
    """`ports.mcp.ToolServers` over real connections."""

    def __init__(
        self,
        servers: Sequence[DeclaredServer],
        *,
        folder: Path,
        home: Path,
        logs: Path,
        taken: Collection[str],
        refuse_start: Callable[[DeclaredServer], str] = lambda _server: "",
    ) -> None:
        """`servers` may all be used. `taken` are tool names that theirs may not have. `refuse_start` says, before each
        start, why a server may not be started; empty if it may."""
        self._kept = ListedTools(home)
        self._taken = taken
        self._fingerprints = {each.server.name: each.fingerprint for each in servers}
        self._connections = {
            each.server.name: Connection(
                each.server,
                folder=folder,
                stderr=logs / f"{each.server.name}.log",
                refuse_start=partial(refuse_start, each),
            )
            for each in servers
        }
        listed = {name: self._kept.read(fingerprint) for name, fingerprint in self._fingerprints.items()}
        self._listed: dict[str, list[JsonObject]] = {name: tools for name, tools in listed.items() if tools is not None}
        self._failed: dict[str, str] = {}
        self._asked: set[str] = set()
        self._learning: dict[str, asyncio.Task[str]] = {}
        self._try_again: dict[str, float] = {}
        self._catalog: Catalog | None = None

    def are(self, servers: Sequence[DeclaredServer]) -> bool:
        """Whether these are the same servers."""
        return self._fingerprints == {each.server.name: each.fingerprint for each in servers}

    def known(self) -> Catalog:
        if self._catalog is None:
            tools = named_tools({name: self._listed.get(name, ()) for name in self._connections}, self._taken)
            self._catalog = Catalog(tuple(self._connections), tools, tuple(self._failed.values()))
        return self._catalog

    async def catalog(self) -> Catalog:
        self.learn_in_background(again=True)
        await asyncio.gather(*map(asyncio.shield, self._learning.values()))
        return self.known()

    def learn_in_background(self, *, again: bool = False) -> None:
        """Start asking all servers whose tools are unknown; with `again`, also those that failed a while ago."""
        now = asyncio.get_running_loop().time()
        for name in self._connections:
            task = self._learning.get(name)
            waited = again and task is not None and task.done() and now >= self._try_again.get(name, now)
            if name not in self._listed and (task is None or waited):
                self._learning[name] = asyncio.create_task(self.learn(name))

    async def learn(self, name: str) -> str:
        """Ask a server for its tools. Returns what is wrong with it; empty if nothing is."""
        problem = ""
        try:
            self._listed[name] = await self._connections[name].list_tools()
            self._kept.write(self._fingerprints[name], self._listed[name])
            self._failed.pop(name, None)
        except BackendError as error:
            problem = self._failed[name] = str(error)
            self._try_again[name] = asyncio.get_running_loop().time() + PAUSE
        self._asked.add(name)
        self._catalog = None
        return problem

    async def call(self, tool: McpTool, arguments: Mapping[str, Any]) -> McpAnswer:
        if tool.server not in self._asked and (problem := await self.learn(tool.server)):
            # The stored list may be old: the server is asked once, on first use.
            raise BackendError(problem)
        return await self._connections[tool.server].call(tool.name, arguments)

    async def close(self) -> None:
        for task in self._learning.values():
            task.cancel()
        await asyncio.gather(*self._learning.values(), return_exceptions=True)
        await asyncio.gather(*(each.close() for each in self._connections.values()))
