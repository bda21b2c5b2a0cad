"""The command line: which commands there are, which of them to import, and how to report errors."""

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

from mulligan import __version__
from mulligan.cli.text import help_epilogs
from mulligan.cli.text.help_sections import SECTIONS, Sectioned
from mulligan.types.errors import BackendError, ConfigurationError, DownloadNotAllowed, ModelError, MulliganError
from mulligan.types.turns import STOPS, WAITING

OUR_FAULT, USAGE = 1, 2
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)
"""Each is a function or a group of the same name, in a file of that name."""


def make_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands."""
    app = typer.Typer(
        cls=Sectioned,
        name="mulligan",
        help="A self-hosted coding agent, hardened for weak and local models.",
        epilog=help_epilogs.MULLIGAN,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(main)
    for name in names:
        command = getattr(import_module(f"mulligan.cli.commands.{name}"), name)
        epilog = getattr(help_epilogs, name.upper(), "")
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, epilog=epilog)
        else:
            app.command(name, epilog=epilog)(command)
    return app


def run() -> None:
    """Run the command line. Errors become one line and an exit code, never a traceback.

    Imports only the command that was named.
    """
    named = sys.argv[1:2]
    try:
        make_app(named if set(named) & set(COMMANDS) else COMMANDS)()
    except MulliganError as error:
        _leave(str(error), _exit_code(error))
    except KeyboardInterrupt:
        sys.exit(STOPS["aborted"].exit_code)
    except BrokenPipeError:
        _leave_quietly()
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets a sentence
        _leave(
            f"this is an error in Mulligan: {type(error).__name__}: {error} (details: {_log_crash(error)})", OUR_FAULT
        )


def main(
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"mulligan {__version__}")
        raise typer.Exit


def _exit_code(error: MulliganError) -> int:
    if isinstance(error, DownloadNotAllowed):
        return WAITING
    if isinstance(error, ConfigurationError):
        return USAGE
    return STOPS["model_error"].exit_code if isinstance(error, ModelError | BackendError) else OUR_FAULT


def _leave(message: str, code: int) -> None:
    typer.echo(f"mulligan: {message}", err=True)
    sys.exit(code)


def _leave_quietly() -> None:
    """The reader of our output is gone. Keeps Python from complaining again at shutdown."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(OUR_FAULT)


def _log_crash(error: Exception) -> str:
    import os
    from pathlib import Path

    from mulligan.runtime.log import JsonLog

    home = Path(os.environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan").expanduser()
    log = JsonLog(home / "logs" / "mulligan.log")
    log("crash", command=sys.argv[1:], error=error)
    return str(log.file)
