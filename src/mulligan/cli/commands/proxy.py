"""`mulligan proxy`: our guards in front of other agents."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.text import help_epilogs

if TYPE_CHECKING:
    from socket import socket

    from mulligan.app.configuration import Configuration
    from mulligan.core.proxy.switches import SwitchedOff
    from mulligan.proxy.access import Access

PORT = 8484

proxy = typer.Typer(rich_markup_mode=None)

HostOption = Annotated[
    str, typer.Option("--host", metavar="NAME", help="Listen here. Beyond this machine, a token is required.")
]
PortOption = Annotated[
    int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Listen on this port; 0 picks a free one.")
]


@proxy.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    *,
    upstream: Annotated[
        str | None,
        typer.Option(
            "--upstream",
            metavar="URL",
            help="The model server, such as http://127.0.0.1:11434/v1. By default, one found here.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Always use this model, whatever the agent asks for."),
    ] = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = PORT,
    off: Annotated[
        list[str] | None,
        typer.Option(
            "--off",
            metavar="[CLIENT:]GUARD",
            help="Turn off a guard, for all agents or for one: loops, goose:names. Repeatable.",
        ),
    ] = None,
    shorten: Annotated[
        bool, typer.Option("--shorten", help="Hide old tool results if a prompt is too long, instead of refusing it.")
    ] = False,
    allow_hosts: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another host name that clients may use."),
    ] = None,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="Make a new token; the old one stops working.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each request.")] = False,
) -> None:
    """Put Mulligan's guards in front of other agents.

    Runs until Ctrl-C. Agents talk to it like to an OpenAI-compatible or an Anthropic server. It repairs calls written
    as text, broken arguments, empty replies and broken streams, and ends loops with a reason. Valid traffic passes byte
    for byte. Its page shows what it did. It stores nothing of a conversation.
    """
    if context.invoked_subcommand is not None:
        return
    import asyncio

    from mulligan.app.configuration import load_configuration
    from mulligan.core.proxy.switches import read_switches
    from mulligan.proxy.access import Access
    from mulligan.runtime.serving import listening as network
    from mulligan.runtime.serving.token import kept_digest, make_token
    from mulligan.types.errors import ConfigurationError

    try:
        switched_off = read_switches(off or ())
    except ValueError as error:
        raise ConfigurationError(f"--off: {error}") from error
    configuration = load_configuration(None, {"model": model, "base_url": upstream})
    home = configuration.settings.home
    listening = network.listen(host, port)
    asked_for = not network.is_loopback(listening)
    token = make_token(home) if new_token or (asked_for and kept_digest(home) is None) else None
    access = Access(kept_digest(home) if asked_for else None, names=(host, *(allow_hosts or ())))
    asyncio.run(_serve(configuration, listening, access, switched_off, shorten=shorten, as_json=json, token=token))


async def _serve(
    configuration: "Configuration",
    listening: "socket",
    access: "Access",
    switched_off: "SwitchedOff",
    *,
    shorten: bool,
    as_json: bool,
    token: str | None,
) -> None:
    from mulligan.proxy.process import open_proxy, serve
    from mulligan.runtime.serving import listening as network

    settings = configuration.settings
    async with open_proxy(
        settings,
        tell=_tell,
        access=access,
        switched_off=switched_off,
        shorten=shorten,
        log=_say if as_json else None,
    ) as app:
        address = network.address(listening)

        def ready() -> None:
            words = f"Mulligan's proxy is at {address}v1, in front of {app.upstream.choice.base_url}"
            (_tell if as_json else _say)(words)
            if token:
                _tell(f"Agents send this token as their API key. It is not shown again: {token}")

        await serve(app, listening, settings, ready)


@proxy.command(epilog=help_epilogs.PROXY_SETUP)
def setup(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help="opencode, goose, claude-code, codex, qwen-code, aider, cline or continue."
        ),
    ],
    *,
    host: Annotated[str, typer.Option("--host", metavar="NAME", help="The proxy's host.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", help="The proxy's port.")] = PORT,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="The model name that the agent sends.")
    ] = "local",
    write: Annotated[
        bool, typer.Option("--write", help="Write the settings, after asking. Keeps existing settings.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Show or write an agent's settings for the proxy."""
    from mulligan.proxy.agent_setup import setup_of, write_settings
    from mulligan.types.errors import ConfigurationError

    wanted = setup_of(agent, f"http://{host}:{port}", model)
    _say(wanted.instructions())
    if not write:
        return
    if wanted.file is None:
        raise ConfigurationError(f"{agent} has no settings file to write: put the lines above where it reads them")
    file = Path.home() / wanted.file
    if not yes and not (sys.stdin.isatty() and typer.confirm(f"Write this to {file}?", default=False)):
        raise ConfigurationError(f"nothing was written to {file}; --yes does it without asking")
    write_settings(file, wanted)
    _say(f"Written: {file}")


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def _tell(words: str) -> None:
    sys.stderr.write(words + "\n")
    sys.stderr.flush()
