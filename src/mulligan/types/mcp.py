"""MCP (Model Context Protocol) servers: how to reach them, and the tools that they offer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mulligan.types.tool_calls import JsonObject, ToolSpec

McpServerState = Literal["ready", "not trusted", "can't be used", "hidden"]
"""`hidden`: another file declares a server of the same name, and that one counts."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server declared in a file: a program to start, or an address."""

    name: str
    origin: str
    """The file that declares it."""
    personal: bool = False
    """Whether the user's own file declares it; then it needs no trust."""
    command: tuple[str, ...] = ()
    """The program and its arguments; empty for an address."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout: float = 60.0
    """Seconds that a call may take."""
    problem: str = ""
    """Why it can't be used, for the user."""


@dataclass(frozen=True, slots=True)
class DeclaredServer:
    """A declared server, and whether it may be used."""

    server: McpServer
    state: McpServerState
    fingerprint: str
    """Hash of its declaration and of the project's files that it names: what the user trusts."""
    why: str = ""
    """Details of the state: the problem, or which file hides it."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of a server."""

    server: str
    name: str
    """The server's name for it."""
    shown: str
    """The model's name for it, unique among all tools."""
    description: str
    parameters: JsonObject
    """Its schema, simplified."""
    reads_only: bool = False
    """Whether the server says that it changes nothing and accesses nothing outside."""


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """A server's answer to a call."""

    content: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Catalog:
    """The known servers and their tools."""

    servers: tuple[str, ...]
    """Names of all servers that may be used."""
    tools: tuple[McpTool, ...] = ()
    """Tools of the servers whose tools are known."""
    failed: tuple[str, ...] = ()
    """Why the tools of the others are not known, a sentence each."""

    def find(self, shown: str) -> McpTool | None:
        return next((tool for tool in self.tools if tool.shown == shown), None)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(tool.shown, tool.description, tool.parameters) for tool in self.tools)
