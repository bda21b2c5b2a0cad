"""Servers that speak MCP, the Model Context Protocol: how one is reached, and the tools that it offers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mulligan.types.tool_calls import JsonObject, ToolSpec

ServerState = Literal["ready", "not trusted", "can't be used", "hidden"]
"""`hidden`: another file declares a server of the same name, and that one counts."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server as a file declares it: a program to start, or an address."""

    name: str
    origin: str
    """The file that declares it."""
    personal: bool = False
    """It stands in the user's own file, and needs no trust."""
    command: tuple[str, ...] = ()
    """The program and its arguments; empty for an address."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout: float = 60.0
    """Seconds that a call may take."""
    problem: str = ""
    """Why it can't be used, in words for the user."""


@dataclass(frozen=True, slots=True)
class DeclaredServer:
    """A declared server, and whether it may be used."""

    server: McpServer
    state: ServerState
    fingerprint: str
    """Of its declaration and of the project's files that it names: what the user trusts."""
    why: str = ""
    """What the state doesn't say: the problem, or who hides it."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of a server."""

    server: str
    name: str
    """As the server calls it."""
    shown: str
    """As the model calls it: unique among all tools there are."""
    description: str
    parameters: JsonObject
    """Its schema, made simple."""
    reads_only: bool = False
    """The server says that it changes nothing, and reaches nothing outside."""


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """What a server answered to a call."""

    content: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Catalog:
    """What is known of servers and their tools."""

    servers: tuple[str, ...]
    """All that may be used, by name."""
    tools: tuple[McpTool, ...] = ()
    """Of those whose tools are known by now."""
    failed: tuple[str, ...] = ()
    """Why the tools of others are not known, a sentence each."""

    def find(self, shown: str) -> McpTool | None:
        return next((tool for tool in self.tools if tool.shown == shown), None)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(tool.shown, tool.description, tool.parameters) for tool in self.tools)
