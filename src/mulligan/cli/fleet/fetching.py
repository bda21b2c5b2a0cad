"""`mulligan fleet fetch`: a job's result in a checkout."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.fleet.session import DatabaseOption, open_fleet_at, run
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.views.printing import print_json, tell
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.store.fleet.fleet_store import FleetStore
    from mulligan.types.fleet import FleetJob

LOOKED_AT = 1000
"""Jobs, for the newest of a checkout."""


def fetch(
    job: Annotated[
        str, typer.Argument(metavar="JOB", help="Its id, or the start of it. By default, the newest of this checkout.")
    ] = "",
    *,
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="As a commit on a new branch.")] = "",
    patch: Annotated[bool, typer.Option("--patch", help="To standard output, for git apply.")] = False,
    project: ProjectOption = None,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Fetch the result of a job.

    By default as pending changes of this checkout; or as a new branch, or as a patch.
    """
    import base64

    from mulligan.app.fleet_results import fetch_branch, stage_result
    from mulligan.cli.session import open_session_at

    if branch and patch:
        raise ConfigurationError("--branch and --patch exclude each other: choose one")

    async def fetched() -> tuple[str, dict[str, object]]:
        """In words, and as fields."""
        async with open_fleet_at(database) as store:
            found = await (store.reading.find(job) if job else _newest_here(store, project))
            result = await store.reading.result(found.id)
        if result is None or not result.patch:
            raise ConfigurationError(f"job {found.id} has no result to fetch: it is {found.state}, or changed nothing")
        if patch:
            if not json:
                sys.stdout.buffer.write(base64.b64decode(result.patch))
            return "", {"id": found.id, "patch_base64": result.patch}
        async with open_session_at(project) as session:
            if branch:
                commit = await fetch_branch(session, found, result, branch)
                return f"branch {branch} is at {commit}", {"id": found.id, "branch": branch, "commit": commit}
            changes = await stage_result(session, found, result)
            words = f"{changes} pending change{'s' if changes != 1 else ''}: mulligan changes shows and applies them"
            return words, {"id": found.id, "changes": changes}

    words, fields = run(fetched())
    if json:
        print_json(fields)
    elif words:
        tell(words)


async def _newest_here(store: "FleetStore", project: Path | None) -> "FleetJob":
    from mulligan.app.configuration import load_configuration
    from mulligan.app.fleet_results import newest_of

    folder = load_configuration(project, {}).settings.project
    found = await newest_of(folder, await store.reading.list(most=LOOKED_AT))
    if found is None:
        raise ConfigurationError(f"no job of {folder} has ended: `mulligan fleet list` has the ids of others")
    return found
