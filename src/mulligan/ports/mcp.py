"""Servers whose tools a model may find and call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from mulligan.types.mcp import Catalog, McpAnswer, McpTool


class ToolServers(Protocol):
    """All servers of a project that may be used. Each is started or connected on first use."""

    def known(self) -> Catalog:
        """What is known about them without asking any."""
        ...

    async def catalog(self) -> Catalog:
        """With the tools of all that answer."""
        ...

    async def call(self, tool: McpTool, arguments: Mapping[str, Any]) -> McpAnswer:
        """Raises `BackendError` if the server can't be started, is gone or does not answer."""
        ...
