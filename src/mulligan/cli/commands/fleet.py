"""`mulligan fleet`: many fix runs, on many machines."""

import typer

from mulligan.cli.fleet.changing import cancel, prune, retry
from mulligan.cli.fleet.fetching import fetch
from mulligan.cli.fleet.servers import database, servers, workers
from mulligan.cli.fleet.submitting import submit
from mulligan.cli.fleet.watching import list_jobs, logs, show, status
from mulligan.cli.fleet.working import work
from mulligan.cli.text import help_epilogs

fleet = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Fix many repositories, with workers on one machine or many.

    A job is a fix run: a repository, a goal, and the commands that judge it. Jobs wait in PostgreSQL; without
    --database Mulligan starts its own. Workers take them. If a worker dies, another one continues its jobs.
    """,
)
fleet.add_typer(servers, name="servers", epilog=help_epilogs.FLEET_SERVERS)
for command in (workers, database, submit, work, status, list_jobs, show, logs, cancel, retry, fetch, prune):
    name = command.__name__.removesuffix("_jobs")
    fleet.command(name, epilog=getattr(help_epilogs, f"FLEET_{name.upper()}"))(command)
