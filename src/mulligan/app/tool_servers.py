"""The MCP servers of a project: which are declared, which may be used, and their tools in a turn."""

import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.configuration import MCP_FILES, Configuration
from mulligan.core.mcp.catalog import FIND, USE
from mulligan.core.mcp.declarations import (
    fingerprint,
    hidden_by,
    passed_on,
    read_servers,
    servers_of_json,
    with_variables,
)
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.mcp import DeclaredServer, McpServer, ServerState
from mulligan.workspace.sandbox.grants import read_trusted

if TYPE_CHECKING:
    from mulligan.app.project_tools import Consent
    from mulligan.app.session import Session
    from mulligan.loop.plan import TurnPlan
    from mulligan.mcp_client.servers import ConnectedServers
    from mulligan.ports.outlets import Emit
    from mulligan.types.frames import Frame

LARGEST_FILE = 20_000_000
"""Largest program, in bytes, whose content is part of what is trusted."""
ANSWERING = frozenset({"prompt_progress", "reasoning_delta", "text_delta", "tool_call"})
"""Frames that show that the request is out."""


@dataclass(frozen=True, slots=True)
class DeclaredServers:
    """What a project and the user declare."""

    found: tuple[DeclaredServer, ...]
    problems: tuple[str, ...] = ()
    """Files that can't be read, a sentence each."""

    @property
    def ready(self) -> tuple[DeclaredServer, ...]:
        return tuple(each for each in self.found if each.state == "ready")


def declared_servers(configuration: Configuration, trusted_now: Collection[str] = ()) -> DeclaredServers:
    """All of them, in order of precedence: the user's own, then the project's by file. `trusted_now`: fingerprints that
    the user trusts in addition to the stored ones."""
    settings, project = configuration.settings, str(configuration.settings.project)
    servers = [*read_servers(configuration.project_mcp, configuration.project_file.name)]
    problems: list[str] = []
    for file, key in MCP_FILES.items():
        try:
            servers += servers_of_json(read_regular_text(settings.project / file), key, file)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            problems.append(f"{file} can't be read: {error}")
    own = read_servers(configuration.mcp, str(configuration.user_file), personal=True)
    sent = read_servers(configuration.editor_mcp, "your editor", personal=True, strict=False)
    passed = [passed_on(each, servers, os.environ, project) for each in sent]
    pairs = [*((each, each) for each in own), *passed, *((each, each) for each in servers)]
    hidden = hidden_by([server for server, _ in pairs])
    trusted = read_trusted(settings.home, settings.project)
    found = [
        _found(server, settings.project, trusted, trusted_now, declared=declared, hidden=hidden.get(place))
        for place, (server, declared) in enumerate(pairs)
    ]
    return DeclaredServers(tuple(found), tuple(problems))


def _found(
    server: McpServer,
    project: Path,
    trusted: Mapping[str, str],
    trusted_now: Collection[str],
    *,
    declared: McpServer,
    hidden: str | None,
) -> DeclaredServer:
    seen = fingerprint(declared, _contents(declared, project))
    problem = with_variables(server, os.environ, str(project)).problem
    state: ServerState = "ready"
    why = ""
    if hidden:
        state, why = "hidden", f"the one in {hidden} takes precedence"
    elif problem:
        state, why = "can't be used", problem
    elif not server.personal and trusted.get(server.name) != seen and seen not in trusted_now:
        state = "not trusted"
        why = "it has changed since you trusted it" if server.name in trusted else ""
    return DeclaredServer(server, state, seen, why)


def _contents(server: McpServer, project: Path) -> dict[str, str]:
    """The hashes of the project's files that a command names: changing one changes what is trusted."""
    if server.personal:
        return {}
    hashes: dict[str, str] = {}
    for word in server.command:
        file = project / word.replace("${workspaceFolder}", str(project))
        if file.is_relative_to(project) and file.is_file() and file.stat().st_size <= LARGEST_FILE:
            with file.open("rb") as opened:
                hashes[word] = hashlib.file_digest(opened, "sha256").hexdigest()
    return hashes


def open_servers(
    configuration: Configuration, ready: Collection[DeclaredServer], taken: Collection[str]
) -> "ConnectedServers":
    """Starts nothing before it is needed."""
    from mulligan.mcp_client.servers import ConnectedServers

    settings = configuration.settings
    filled = [replace(each, server=with_variables(each.server, os.environ, str(settings.project))) for each in ready]
    logs = settings.home / "logs" / "mcp"
    return ConnectedServers(filled, folder=settings.project, home=settings.home, logs=logs, taken={*taken, FIND, USE})


def usable_servers(
    session: "Session", open_now: "ConnectedServers | None", taken: Collection[str]
) -> "ConnectedServers | None":
    """Those that may be used, reusing open ones if they are the same; tells the user about the others. None if there
    are none."""
    from mulligan.mcp_client.sdk import sdk_installed, sdk_missing

    declared = declared_servers(session.configuration, session.trusted_servers)
    for problem in declared.problems:
        session.announce_once(problem)
    if waiting := [each.server.name for each in declared.found if each.state == "not trusted"]:
        session.announce_once(
            f"MCP servers of this project that you have not trusted are not started: {', '.join(waiting)} "
            f"(mulligan mcp trust {waiting[0]})"
        )
    for each in declared.found:
        if each.state == "can't be used":
            session.announce_once(f"the MCP server {each.server.name} can't be used: {each.why}")
    if not declared.ready:
        return None
    if open_now and open_now.are(declared.ready):
        return open_now
    if not sdk_installed():
        session.announce_once(str(sdk_missing()))
        return None
    return open_servers(session.configuration, declared.ready, taken)


def with_server_tools(
    session: "Session", plan: "TurnPlan", servers: "ConnectedServers", consent: "Consent"
) -> "TurnPlan":
    """The plan with the two tools that reach those of servers."""
    from mulligan.tools.find_tools import FindTools
    from mulligan.tools.use_tool import UseTool

    leading = (FindTools(servers), UseTool(servers, consent.approve, session.permissions))
    return replace(plan, tools=tuple(sorted((*plan.tools, *leading), key=lambda tool: tool.spec.name)))


def learning_beside(servers: "ConnectedServers", emit: "Emit") -> "Emit":
    """Ask servers for their tools, if unknown, while the model answers, never before its first request is out."""

    def told(frame: "Frame") -> None:
        emit(frame)
        if frame.type in ANSWERING:
            servers.learn_beside()

    return told
