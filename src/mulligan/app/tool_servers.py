"""The MCP servers of a project: which are declared, which may be used, and their tools in a turn."""

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from posixpath import join, normpath
from typing import TYPE_CHECKING

from mulligan.app.configuration import MCP_FILES, Configuration
from mulligan.core.mcp.catalog import FIND, USE
from mulligan.core.mcp.declarations import (
    ENTRIES,
    editor_server,
    fingerprint,
    hidden_by,
    named_files,
    read_servers,
    servers_of_json,
    with_variables,
)
from mulligan.runtime.regular_files import read_regular, read_regular_text
from mulligan.types.mcp import DeclaredServer, McpServer, McpServerState
from mulligan.workspace.sandbox.grants import read_trusted

if TYPE_CHECKING:
    from mulligan.app.project_tools import Consent
    from mulligan.app.session import Session
    from mulligan.loop.plan import TurnPlan
    from mulligan.mcp_client.servers import ConnectedServers
    from mulligan.ports.callbacks import Emit
    from mulligan.types.frames import Frame

MAX_PROGRAM_BYTES = 20_000_000
"""Largest program, in bytes, that is recognized by its content. A larger one is recognized by its times."""
MAX_FOLDERS = 5
"""Named folders in which the other names are looked up too: `uv --directory tools run server.py`."""
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
    passed = [editor_server(each, servers, os.environ, project) for each in sent]
    pairs = [*((each, each) for each in own), *passed, *((each, each) for each in servers)]
    hidden = hidden_by([server for server, _ in pairs])
    trusted = read_trusted(settings.home, settings.project)
    found = [
        _found(server, settings.project, trusted, trusted_now, declared=declared, hidden=hidden.get(index))
        for index, (server, declared) in enumerate(pairs)
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
    state: McpServerState = "ready"
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
    """What shows that one of the project's files that a declaration names has changed, by path."""
    if server.personal:
        return {}
    names = named_files(with_variables(server, os.environ, str(project)))
    below = partial(_below, f"{project}/")
    folders = [each for name in names if (each := below(name)) and _is(stat.S_ISDIR, project / each)]
    candidates = [(".", names), *((folder, (*names, *ENTRIES)) for folder in folders[:MAX_FOLDERS])]
    files = {each for folder, named in candidates for name in named if (each := below(join(folder, name)))}
    return {each: _seen(project / each) for each in files if _is(stat.S_ISREG, project / each)}


def _below(root: str, name: str) -> str | None:
    """A path from the project, whether or not something is there. None if it leads out, or is the project itself."""
    path = normpath(join(root, name))
    return path.removeprefix(root) if path.startswith(root) else None


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):  # nothing is there, or it can't be a path: too long, or with a NUL
        return False


def _seen(file: Path) -> str:
    """The hash of a file; of one that can't be read, or is too large, what changes with its content."""
    try:
        return hashlib.sha256(read_regular(file, limit=MAX_PROGRAM_BYTES)).hexdigest()
    except FileNotFoundError:
        return ""
    except OSError:
        info = file.stat()
        return f"{info.st_ino} {info.st_size} {info.st_mtime_ns} {info.st_ctime_ns}"


def open_servers(
    configuration: Configuration,
    ready: Collection[DeclaredServer],
    taken: Collection[str],
    trusted_now: Collection[str] = (),
) -> "ConnectedServers":
    """Starts nothing before it is needed. `trusted_now`: see `declared_servers`."""
    from mulligan.mcp_client.servers import ConnectedServers

    settings = configuration.settings
    filled = [replace(each, server=with_variables(each.server, os.environ, str(settings.project))) for each in ready]
    logs = settings.home / "logs" / "mcp"
    return ConnectedServers(
        filled,
        folder=settings.project,
        home=settings.home,
        logs=logs,
        taken={*taken, FIND, USE},
        refuse_start=partial(_refuse_start, configuration, trusted_now),
    )


def _refuse_start(configuration: Configuration, trusted_now: Collection[str], server: DeclaredServer) -> str:
    """Why a server may not be started any more: files may have changed since it was ready, or the user's mind."""
    if server.server.personal:
        return ""
    now = declared_servers(configuration, trusted_now).ready
    if (server.server.name, server.fingerprint) in {(each.server.name, each.fingerprint) for each in now}:
        return ""
    name = server.server.name
    return f"it is not trusted as it is now. See what it runs, and allow it: mulligan mcp trust {name}"


def usable_servers(
    session: "Session", open_now: "ConnectedServers | None", taken: Collection[str]
) -> "ConnectedServers | None":
    """The usable servers, reusing open ones if they are the same; tells the user about the others. None if there
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
    return open_servers(session.configuration, declared.ready, taken, session.trusted_servers)


def with_server_tools(
    session: "Session", plan: "TurnPlan", servers: "ConnectedServers", consent: "Consent"
) -> "TurnPlan":
    """The plan with the two tools that reach those of servers."""
    from mulligan.tools.find_tools import FindTools
    from mulligan.tools.use_tool import UseTool

    leading = (FindTools(servers), UseTool(servers, consent.approve, session.permissions))
    return replace(plan, tools=tuple(sorted((*plan.tools, *leading), key=lambda tool: tool.spec.name)))


def learn_in_background(servers: "ConnectedServers", emit: "Emit") -> "Emit":
    """Ask servers for their tools, if unknown, while the model answers, never before its first request is out."""

    def emit_and_learn(frame: "Frame") -> None:
        emit(frame)
        if frame.type in ANSWERING:
            servers.learn_in_background()

    return emit_and_learn
