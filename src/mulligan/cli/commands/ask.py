"""`mulligan ask`: one question, one answer."""

from typing import Annotated

import typer

from mulligan.cli.turn_command import TURN, TurnOptions, run_turn, takes


@takes(*TURN, "json")
def ask(
    prompt: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What to ask; `-` reads it from standard input.")
    ] = "",
    *,
    options: TurnOptions,
) -> None:
    """Ask a question about the project and print the answer.

    The model reads the project with tools and changes nothing. The answer goes to standard output, everything else to
    standard error. The chat is saved; its id is printed at the end, and --chat continues it.
    """
    run_turn(prompt, options, what="question", example='mulligan ask "where is the turn loop?"')
