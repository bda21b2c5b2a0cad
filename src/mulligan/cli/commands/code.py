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
        typer.Option("--yes", "-y", help="Apply changes immediately, and run commands that need approval."),
    ] = False,
    network: NetworkOption = None,
    json: JsonOption = False,
) -> None:
    """Let the model change the project, and approve what it did.

    The model reads, edits and runs commands. Its edits are pending first. At the end you see them as a diff and choose
    which to apply; without a terminal they stay pending for `mulligan changes`. Commands run in a sandbox. Those that
    need more access ask you first, and some never run.
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
