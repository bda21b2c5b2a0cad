"""The command line: which commands there are, and how errors leave."""

import sys
from typing import Annotated

import typer

from mulligan import __version__
from mulligan.cli import epilogs
from mulligan.cli.agents import agents
from mulligan.cli.ask import ask
from mulligan.cli.changes import changes
from mulligan.cli.chat import chat
from mulligan.cli.chats import chats
from mulligan.cli.checkpoints import checkpoints
from mulligan.cli.code import code
from mulligan.cli.delegate import delegate
from mulligan.cli.doctor import doctor
from mulligan.cli.drill import drill
from mulligan.cli.fix import fix
from mulligan.cli.models import models
from mulligan.cli.overview import overview
from mulligan.cli.probe import probe
from mulligan.cli.restore import restore
from mulligan.cli.runs import runs
from mulligan.cli.sandbox import sandbox
from mulligan.cli.sections import Sectioned
from mulligan.cli.serve import serve
from mulligan.cli.worktrees import worktrees
from mulligan.types.errors import BackendError, ConfigurationError, ModelError, MulliganError
from mulligan.types.turns import EXIT_CODES

OUR_FAULT, USAGE = 1, 2

app = typer.Typer(
    cls=Sectioned,
    name="mulligan",
    help="A self-hosted coding agent, hardened for weak and local models.",
    epilog=epilogs.MULLIGAN,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=epilogs.ASK)(ask)
app.command(epilog=epilogs.CHAT)(chat)
app.command(epilog=epilogs.CODE)(code)
app.command(epilog=epilogs.FIX)(fix)
app.command(epilog=epilogs.DELEGATE)(delegate)
app.command(epilog=epilogs.RESTORE)(restore)
app.command(epilog=epilogs.OVERVIEW)(overview)
app.command(epilog=epilogs.SERVE)(serve)
app.command(epilog=epilogs.AGENTS)(agents)
app.command(epilog=epilogs.DOCTOR)(doctor)
app.command(epilog=epilogs.DRILL)(drill)
app.add_typer(changes, name="changes", epilog=epilogs.CHANGES)
app.add_typer(chats, name="chats", epilog=epilogs.CHATS)
app.add_typer(checkpoints, name="checkpoints", epilog=epilogs.CHECKPOINTS)
app.add_typer(worktrees, name="worktrees", epilog=epilogs.WORKTREES)
app.add_typer(runs, name="runs", epilog=epilogs.RUNS)
models.command(epilog=epilogs.MODELS_PROBE)(probe)
app.add_typer(models, name="models", epilog=epilogs.MODELS)
app.add_typer(sandbox, name="sandbox", epilog=epilogs.SANDBOX)


def run() -> None:
    """Run the command line. Errors become one line and an exit code, never a traceback."""
    try:
        app()
    except MulliganError as error:
        _leave(str(error), _exit_code(error))
    except KeyboardInterrupt:
        sys.exit(EXIT_CODES["aborted"])
    except BrokenPipeError:
        _leave_quietly()
    except Exception as error:  # noqa: BLE001 - the last door: whatever it is, a person gets a sentence
        _leave(
            f"this is a fault in Mulligan: {type(error).__name__}: {error} (details: {_log_crash(error)})", OUR_FAULT
        )


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Print the version and leave.")] = False,
) -> None:
    if version:
        typer.echo(f"mulligan {__version__}")
        raise typer.Exit


def _exit_code(error: MulliganError) -> int:
    if isinstance(error, ConfigurationError):
        return USAGE
    return EXIT_CODES["model_error"] if isinstance(error, ModelError | BackendError) else OUR_FAULT


def _leave(message: str, code: int) -> None:
    typer.echo(f"mulligan: {message}", err=True)
    sys.exit(code)


def _leave_quietly() -> None:
    """Whoever read our output has gone. Python would complain once more while it shuts down."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(OUR_FAULT)


def _log_crash(error: Exception) -> str:
    import os
    from pathlib import Path

    from mulligan.log import JsonLog

    home = Path(os.environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan").expanduser()
    log = JsonLog(home / "logs" / "mulligan.log")
    log("crash", command=sys.argv[1:], error=error)
    return str(log.file)
