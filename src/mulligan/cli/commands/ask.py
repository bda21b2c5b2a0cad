"""`mulligan ask`: one question, one answer."""

from typing import Annotated

import typer

from mulligan.cli.options import (
    AgencyOption,
    AgentOption,
    BaseUrlOption,
    ChatOption,
    ContinueOption,
    DownloadYesOption,
    ImageOption,
    JsonOption,
    ModelOption,
    ProjectOption,
    ProtocolOption,
    ThinkingOption,
)
from mulligan.cli.turn_command import TurnOptions, run_turn


def ask(
    prompt: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What to ask; `-` reads it from standard input.")
    ] = "",
    *,
    project: ProjectOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    agent: AgentOption = None,
    protocol: ProtocolOption = None,
    agency: AgencyOption = None,
    thinking: ThinkingOption = None,
    chat: ChatOption = None,
    go_on: ContinueOption = False,
    image: ImageOption = None,
    yes: DownloadYesOption = False,
    json: JsonOption = False,
) -> None:
    """Ask a question about the project and print the answer.

    The model reads the project with tools and changes nothing. The answer goes to standard output, everything else to
    standard error. The chat is saved; its id is printed at the end, and --chat continues it.
    """
    options = TurnOptions(
        project=project,
        model=model,
        base_url=base_url,
        agent=agent,
        protocol=protocol,
        agency=agency,
        thinking=thinking,
        chat=chat,
        images=tuple(image or ()),
        yes=yes,
        json=json,
    )
    run_turn(prompt, options, go_on=go_on, what="question", example='mulligan ask "where is the turn loop?"')
