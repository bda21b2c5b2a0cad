"""`mulligan code`: a goal, and the changes that reach it."""

from typing import Annotated

import typer

from mulligan.cli.turn_command import TURN, TurnOptions, run_turn, takes

YesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Apply changes immediately, and run commands that need approval.")
]


@takes(*TURN, "network", "json", yes=YesOption)
def code(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What to change; `-` reads it from standard input.")] = "",
    *,
    options: TurnOptions,
) -> None:
    """Let the model change the project, and approve what it did.

    The model reads, edits and runs commands. Its edits are pending first. At the end you see them as a diff and choose
    which to apply; without a terminal they stay pending for `mulligan changes`. Commands run in a sandbox. Those that
    need more access ask you first, and some never run.
    """
    example = 'mulligan code "rename load_config to read_config"'
    run_turn(goal, options, what="goal", example=example, edits=True)
