"""`mulligan serve`: the page and the API."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mulligan.cli.options import BaseUrlOption, ModelOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mulligan.app.configuration import Configuration

PORT = 8383


def serve(
    *,
    host: Annotated[
        str,
        typer.Option("--host", metavar="NAME", help="Listen here. Beyond this machine, a token is required."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Listen on this port; 0 picks a free one.")
    ] = PORT,
    projects: Annotated[
        list[Path] | None,
        typer.Option("-C", metavar="DIR", help="Serve the project in DIR instead of here. Repeatable."),
    ] = None,
    allow_hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Another host name that browsers may use. Repeatable.",
        ),
    ] = None,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="Make a new token; the old one stops working.")
    ] = False,
    fleet: Annotated[
        str | None,
        typer.Option(
            "--fleet",
            metavar="URL",
            help="Show the fleet in this PostgreSQL. By default, that of MULLIGAN_DATABASE_URL, else our own.",
        ),
    ] = None,
    fleet_token: Annotated[
        Literal["look", "submit", "work"] | None,
        typer.Option(
            "--fleet-token",
            help="Create a token that may only look at the fleet; also submit jobs; or also manage model servers.",
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
) -> None:
    """Serve the page and the API, until Ctrl-C.

    On this machine, no authentication is needed. Any other --host requires a token, which is shown once, when it is
    created; only its hash is stored. Ctrl-C and SIGTERM abort running turns, and their chats say so.
    """
    import asyncio

    from mulligan.app.configuration import load_configuration
    from mulligan.runtime.serving import listening as network
    from mulligan.runtime.serving.token import TokenGate, kept_digest, kept_fleet_roles, make_token
    from mulligan.server import process
    from mulligan.server.access.middleware import AccessPolicy

    flags = {"model": model, "base_url": base_url}
    configurations = [load_configuration(folder, flags) for folder in projects or [None]]
    home = configurations[0].settings.home
    listening = network.listen(host, port)
    asked_for = not network.is_loopback(listening)
    token = make_token(home) if new_token or (asked_for and kept_digest(home) is None) else None
    for_fleet = make_token(home, fleet_token) if fleet_token else None
    gate = TokenGate(kept_digest(home), fleet=kept_fleet_roles(home)) if asked_for else TokenGate()
    guard = AccessPolicy(gate, names=(host, *(allow_hosts or ())))
    address = network.address(listening)

    def ready() -> None:
        _say(f"Mulligan is at {address}")
        if token:
            _say(f"Log in with this token. It is not shown again: {token}")
        if for_fleet:
            _say(f"Programs that {fleet_token} send this token to /api/fleet; it is not shown again: {for_fleet}")
        if open_browser:
            _open(address)

    asyncio.run(process.serve(_each_once(configurations), listening, guard, ready, fleet=fleet))


def _each_once(configurations: "Sequence[Configuration]") -> "list[Configuration]":
    return list({each.settings.project: each for each in configurations}.values())


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def _open(address: str) -> None:
    """In a separate thread that nobody waits for: some browser commands return only when the browser is closed."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
