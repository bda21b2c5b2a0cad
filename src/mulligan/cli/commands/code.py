"""`mulligan code`: a goal, and the changes that reach it."""

from typing import Annotated

import typer

from mulligan.cli.options import (
    AgencyOption,
    AgentOption,
    BaseUrlOption,
    ChatOption,
    ContinueOption,
    ImageOption,
    JsonOption,
    ModelOption,
    NetworkOption,
    ProjectOption,
    ProtocolOption,
    ThinkingOption,
)
from mulligan.cli.turn_command import TurnOptions, run_turn


def code(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What to change; `-` reads it from standard input.")] = "",
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
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Apply changes as they come, and run commands that would need your yes."),
    ] = False,
    network: NetworkOption = None,
    json: JsonOption = False,
) -> None:
    """Let the model change the project, and approve what it did.

    The model reads, edits and runs commands. Edits are staged first. At the end you see them as a diff and say which
    are applied; without a terminal they wait for `mulligan changes`. Commands run in a sandbox: what leaves it needs
    your yes, some never run.
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
        network=network,
        json=json,
    )
    example = 'mulligan code "rename load_config to read_config"'
    run_turn(goal, options, go_on=go_on, what="goal", example=example, edits=True)
