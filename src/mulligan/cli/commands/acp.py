"""`mulligan acp`: Mulligan in an editor."""

from typing import Annotated, Literal

import typer

from mulligan.cli.options import (
    AgencyOption,
    BaseUrlOption,
    ModelOption,
    NetworkOption,
    ProtocolOption,
    ThinkingOption,
)
from mulligan.cli.turn_command import SETTINGS

ModeName = Literal["ask", "edit", "fix"]
"""The same as in `acp/session`, which takes a second to import."""


def acp(
    *,
    mode: Annotated[
        ModeName, typer.Option("--mode", help="The mode of new sessions; the editor can switch it.")
    ] = "edit",
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    protocol: ProtocolOption = None,
    agency: AgencyOption = None,
    thinking: ThinkingOption = None,
    network: NetworkOption = None,
) -> None:
    """Work in an editor that speaks the Agent Client Protocol.

    Editors start this command and talk to it over standard input and output; docs/editors.md has the settings for
    Zed, JetBrains, Neovim and Emacs. The editor names the project's folder. The command ends when the editor closes the
    input.
    """
    import asyncio
    import sys

    from mulligan.acp.process import serve

    if sys.stdin.isatty():
        typer.echo("mulligan acp is started by an editor, and waits for its messages. Ctrl-C ends it.", err=True)
    values = (model, base_url, protocol, agency, thinking, network)
    raise typer.Exit(asyncio.run(serve(dict(zip(SETTINGS, values, strict=True)), mode)))
