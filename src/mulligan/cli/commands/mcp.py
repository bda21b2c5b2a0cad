"""`mulligan mcp`: Mulligan's tools for other agents, and the MCP servers whose tools Mulligan's own agents use."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.text import help_epilogs
from mulligan.types.errors import BackendError, ConfigurationError
from mulligan.types.turns import WAITING

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.tool_servers import DeclaredServers
    from mulligan.types.mcp import DeclaredServer, McpTool

mcp = typer.Typer(rich_markup_mode=None)

NamesArgument = Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Servers. By default, all.")]


@mcp.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    *,
    stage: Annotated[
        bool, typer.Option("--stage", help="Leave edits pending, for `mulligan changes`, instead of applying them.")
    ] = False,
    project: ProjectOption = None,
) -> None:
    """Offer Mulligan's tools to other agents, over MCP.

    An MCP client starts this and talks to it over standard input and output. It offers code search, safe edits,
    checkpoints and restore, and `fix` as a long task. At a terminal it shows how to set that up.

    The commands below are for the other direction: servers whose tools Mulligan's own agents use, declared in
    mulligan.toml, .mcp.json or .vscode/mcp.json.
    """
    if context.invoked_subcommand:
        return
    import asyncio
    import sys

    from mulligan.app.configuration import load_configuration
    from mulligan.mcp_client.sdk import sdk_installed, sdk_missing

    configuration = load_configuration(project, {})
    if sys.stdin.isatty():
        from mulligan.cli.views.printing import tell

        tell("An MCP client starts this command and talks to it. Its settings, in the format of most clients:")
        typer.echo(_client_settings(configuration.settings.project))
        tell("`mulligan mcp list` shows the servers whose tools Mulligan uses.")
        return
    if not sdk_installed():
        raise sdk_missing()
    from mulligan.mcp_server.serving import serve_stdio

    asyncio.run(serve_stdio(configuration, stage=stage))


@mcp.command("list", epilog=help_epilogs.MCP_LIST)
def list_servers(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List the MCP servers declared for this project.

    Shows where each is declared, what it runs, and whether it may be used. Starts none.
    """
    from mulligan.cli.views.printing import print_list, tell
    from mulligan.core.mcp.declarations import command_or_address

    configuration, declared = _declared(project)
    print_list(
        declared.found,
        as_json=json,
        fields=lambda each: {**_fields(each), "tools": _known_tools(configuration, each)},
        headings=("name", "state", "declared in", "runs", "tools", "what to know"),
        row=lambda each: (
            each.server.name,
            each.state,
            each.server.origin,
            command_or_address(each),
            "" if (known := _known_tools(configuration, each)) is None else str(known),
            each.why,
        ),
        none="no MCP server is declared: see [mcp.NAME] in mulligan.toml, .mcp.json and .vscode/mcp.json",
    )
    for problem in declared.problems:
        tell(problem)
    waiting = [each.server.name for each in declared.found if each.state == "not trusted"]
    if waiting and not json:
        tell(f"not started until you trust it: mulligan mcp trust {waiting[0]}")


@mcp.command(epilog=help_epilogs.MCP_CHECK)
def check(names: NamesArgument = None, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Start MCP servers, and show their tools."""
    import asyncio

    configuration, declared = _declared(project)
    ready = [each for each in _chosen(declared, names) if each.state == "ready"]
    refused = [each for each in _chosen(declared, names) if each.state != "ready" and names]
    if refused:
        raise ConfigurationError(f"{refused[0].server.name} is {refused[0].state}. {refused[0].why}".strip())
    if not ready:
        raise ConfigurationError("no MCP server may be used: `mulligan mcp list` shows them")
    tools, problems = asyncio.run(_asked(configuration, ready))
    from mulligan.cli.text.safe_text import one_line
    from mulligan.cli.views.printing import print_list, tell

    print_list(
        tools,
        as_json=json,
        fields=lambda each: {"server": each.server, "tool": each.shown, "asks": not each.reads_only},
        headings=("server", "tool", "needs approval", "what it does"),
        row=lambda each: (
            each.server,
            each.shown,
            "no" if each.reads_only else "yes",
            one_line(each.description, 80),
        ),
        none="no tools",
    )
    for problem in problems:
        tell(problem)
    if problems:
        raise BackendError(f"{len(problems)} of {len(ready)} MCP servers can't be used")


@mcp.command(epilog=help_epilogs.MCP_TRUST)
def trust(
    names: NamesArgument = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Trust them without asking.")] = False,
    project: ProjectOption = None,
) -> None:
    """Let Mulligan start MCP servers that the project declares.

    Shows what would run, and asks. Trust applies only to this declaration: if the project changes it, or a project file
    that it runs, Mulligan asks again.
    """
    from mulligan.cli.views.printing import tell
    from mulligan.core.mcp.declarations import described
    from mulligan.workspace.sandbox.grants import trust_server

    configuration, declared = _declared(project)
    settings = configuration.settings
    waiting = [each for each in _chosen(declared, names) if each.state == "not trusted"]
    if not waiting:
        tell("nothing to trust: `mulligan mcp list` shows the servers and their state")
        return
    for each in waiting:
        typer.echo(described(each))
        if not yes and not _agreed(each.server.name):
            tell(f"{each.server.name} is not trusted, and not started")
            raise typer.Exit(WAITING)
        trust_server(settings.home, settings.project, each.server.name, each.fingerprint)
        tell(f"{each.server.name} is trusted; `mulligan mcp check {each.server.name}` starts it and shows its tools")


@mcp.command(epilog=help_epilogs.MCP_DISTRUST)
def distrust(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Servers of the project.")],
    *,
    project: ProjectOption = None,
) -> None:
    """Revoke trust: Mulligan no longer starts the servers."""
    from mulligan.app.configuration import load_configuration
    from mulligan.workspace.sandbox.grants import read_trusted, trust_server

    settings = load_configuration(project, {}).settings
    for name in names:
        was = name in read_trusted(settings.home, settings.project)
        trust_server(settings.home, settings.project, name, None)
        typer.echo(f"{name} {'is no longer trusted' if was else 'was not trusted'}")


def _declared(project: Path | None) -> "tuple[Configuration, DeclaredServers]":
    from mulligan.app.configuration import load_configuration
    from mulligan.app.tool_servers import declared_servers

    configuration = load_configuration(project, {})
    return configuration, declared_servers(configuration)


def _chosen(declared: "DeclaredServers", names: list[str] | None) -> "list[DeclaredServer]":
    """Raises `ConfigurationError` for an unknown name."""
    counting = {each.server.name: each for each in declared.found if each.state != "hidden"}
    for name in names or ():
        if name not in counting:
            known = ", ".join(counting) or "none"
            raise ConfigurationError(f"no MCP server {name} is declared for this project; there are: {known}")
    return [each for name, each in counting.items() if not names or name in names]


async def _asked(configuration: "Configuration", ready: "list[DeclaredServer]") -> "tuple[list[McpTool], list[str]]":
    from mulligan.app.open_session import open_session
    from mulligan.app.tool_servers import open_servers

    async with open_session(configuration) as session:
        taken = session.project_tools(configuration.settings.project).names
    servers = open_servers(configuration, ready, taken)
    try:
        import asyncio

        problems = await asyncio.gather(*(servers.learn(each.server.name) for each in ready))
        return list(servers.known().tools), [problem for problem in problems if problem]
    finally:
        await servers.close()


def _fields(each: "DeclaredServer") -> dict[str, object]:
    server = each.server
    return {
        "name": server.name,
        "state": each.state,
        "why": each.why,
        "origin": server.origin,
        "command": list(server.command),
        "url": server.url,
        "fingerprint": each.fingerprint,
    }


def _known_tools(configuration: "Configuration", each: "DeclaredServer") -> int | None:
    """How many tools it listed last time."""
    from mulligan.mcp_client.listed_tools import ListedTools

    listed = ListedTools(configuration.settings.home).read(each.fingerprint)
    return None if listed is None else len(listed)


def _agreed(name: str) -> bool:
    import asyncio

    from mulligan.cli.turn_command import at_terminal

    if not at_terminal():
        return False
    from mulligan.cli.interactive.choice import choose

    return asyncio.run(choose(f"trust {name}?", {"y": "yes", "n": "no"}, default="n")) == "y"


def _client_settings(project: Path) -> str:
    import json
    import shutil

    command = shutil.which("mulligan") or "mulligan"
    return json.dumps({"mcpServers": {"mulligan": {"command": command, "args": ["mcp", "-C", str(project)]}}}, indent=2)
