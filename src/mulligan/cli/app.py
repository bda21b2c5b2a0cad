"""The command line: which commands there are, and how errors leave."""

import sys
from typing import Annotated

import typer

from mulligan import __version__
from mulligan.cli.commands.acp import acp
from mulligan.cli.commands.agents import agents
from mulligan.cli.commands.ask import ask
from mulligan.cli.commands.changes import changes
from mulligan.cli.commands.chat import chat
from mulligan.cli.commands.chats import chats
from mulligan.cli.commands.checkpoints import checkpoints
from mulligan.cli.commands.code import code
from mulligan.cli.commands.commit import commit
from mulligan.cli.commands.delegate import delegate
from mulligan.cli.commands.doctor import doctor
from mulligan.cli.commands.drill import drill
from mulligan.cli.commands.fix import fix
from mulligan.cli.commands.init import init
from mulligan.cli.commands.mcp import mcp
from mulligan.cli.commands.models import models
from mulligan.cli.commands.overview import overview
from mulligan.cli.commands.permissions import permissions
from mulligan.cli.commands.probe import probe
from mulligan.cli.commands.proxy import proxy
from mulligan.cli.commands.restore import restore
from mulligan.cli.commands.review import review
from mulligan.cli.commands.runs import runs
from mulligan.cli.commands.sandbox import sandbox
from mulligan.cli.commands.serve import serve
from mulligan.cli.commands.worktrees import worktrees
from mulligan.cli.text import help_epilogs
from mulligan.cli.text.help_sections import Sectioned
from mulligan.types.errors import BackendError, ConfigurationError, DownloadNotAllowed, ModelError, MulliganError
from mulligan.types.turns import STOPS, WAITING

OUR_FAULT, USAGE = 1, 2

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
app.command(epilog=help_epilogs.ASK)(ask)
app.command(epilog=help_epilogs.CHAT)(chat)
app.command(epilog=help_epilogs.CODE)(code)
app.command(epilog=help_epilogs.FIX)(fix)
app.command(epilog=help_epilogs.DELEGATE)(delegate)
app.command(epilog=help_epilogs.COMMIT)(commit)
app.command(epilog=help_epilogs.REVIEW)(review)
app.command(epilog=help_epilogs.RESTORE)(restore)
app.command(epilog=help_epilogs.OVERVIEW)(overview)
app.command(epilog=help_epilogs.INIT)(init)
app.command(epilog=help_epilogs.SERVE)(serve)
app.command(epilog=help_epilogs.ACP)(acp)
app.command(epilog=help_epilogs.AGENTS)(agents)
app.command(epilog=help_epilogs.DOCTOR)(doctor)
app.command(epilog=help_epilogs.DRILL)(drill)
app.add_typer(proxy, name="proxy", epilog=help_epilogs.PROXY)
app.add_typer(changes, name="changes", epilog=help_epilogs.CHANGES)
app.add_typer(chats, name="chats", epilog=help_epilogs.CHATS)
app.add_typer(checkpoints, name="checkpoints", epilog=help_epilogs.CHECKPOINTS)
app.add_typer(worktrees, name="worktrees", epilog=help_epilogs.WORKTREES)
app.add_typer(runs, name="runs", epilog=help_epilogs.RUNS)
models.command(epilog=help_epilogs.MODELS_PROBE)(probe)
app.add_typer(models, name="models", epilog=help_epilogs.MODELS)
app.add_typer(permissions, name="permissions", epilog=help_epilogs.PERMISSIONS)
app.add_typer(sandbox, name="sandbox", epilog=help_epilogs.SANDBOX)
app.add_typer(mcp, name="mcp", epilog=help_epilogs.MCP)


def run() -> None:
    """Run the command line. Errors become one line and an exit code, never a traceback."""
    try:
        app()
    except MulliganError as error:
        _leave(str(error), _exit_code(error))
    except KeyboardInterrupt:
        sys.exit(STOPS["aborted"].exit_code)
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
    if isinstance(error, DownloadNotAllowed):
        return WAITING
    if isinstance(error, ConfigurationError):
        return USAGE
    return STOPS["model_error"].exit_code if isinstance(error, ModelError | BackendError) else OUR_FAULT


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

    from mulligan.runtime.log import JsonLog

    home = Path(os.environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan").expanduser()
    log = JsonLog(home / "logs" / "mulligan.log")
    log("crash", command=sys.argv[1:], error=error)
    return str(log.file)
