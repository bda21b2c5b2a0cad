"""`mulligan fleet cancel`, `retry` and `prune`: what becomes of jobs."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.fleet.session import DatabaseOption, open_fleet_at, run
from mulligan.cli.options import JsonOption
from mulligan.cli.views.printing import print_json, tell
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.types.fleet import JobState

JobsArgument = Annotated[list[str], typer.Argument(metavar="JOB…", help="Their ids, or the start of them.")]


def cancel(jobs: JobsArgument, *, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Cancel jobs. A running job ends within seconds; one that has ended stays as it is."""

    async def cancel_all() -> "list[tuple[str, JobState]]":
        async with open_fleet_at(database) as store:
            ids = [(await store.reading.find(each)).id for each in jobs]
            return [(job_id, await store.jobs.cancel(job_id)) for job_id in ids]

    for job_id, state in run(cancel_all()):
        if json:
            print_json({"id": job_id, "state": state})
        else:
            tell(f"{job_id} {'is being cancelled' if state == 'running' else f'is {state}'}")


def retry(jobs: JobsArgument, *, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Queue ended jobs again. Their earlier results are discarded."""

    async def retry_all() -> list[str]:
        async with open_fleet_at(database) as store:
            ids = [(await store.reading.find(each)).id for each in jobs]
            for job_id in ids:
                if not await store.jobs.retry(job_id):
                    raise ConfigurationError(f"job {job_id} has not ended: mulligan fleet cancel {job_id} ends it")
            return ids

    for job_id in run(retry_all()):
        if json:
            print_json({"id": job_id, "state": "queued"})
        else:
            tell(f"{job_id} is queued")


def prune(
    *,
    older_than: Annotated[
        float, typer.Option("--days", min=0, help="Delete jobs that ended at least this many days ago.")
    ] = 30.0,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Delete old jobs, their results, and unused repositories.

    Deletes jobs that ended long ago, and repositories that no job here used since. The repositories are this machine's
    cache: a worker fetches them again when it needs them. Never deletes one that a job uses now.
    """
    from mulligan.app.configuration import load_configuration
    from mulligan.core.byte_sizes import format_size
    from mulligan.workspace.repository_cache import RepositoryCache

    async def deleted() -> int:
        async with open_fleet_at(database) as store:
            return await store.jobs.prune(older_than=older_than * 86_400)

    count = run(deleted())
    gone = RepositoryCache.of_home(load_configuration(None, {}).settings.home).prune(days=older_than)
    size = sum(each.size for each in gone)
    if json:
        print_json({"deleted": count, "repositories": len(gone), "freed_bytes": size})
        return
    tell(f"{count} job{'s' if count != 1 else ''} deleted")
    if gone:
        tell(f"{len(gone)} cached repositor{'ies' if len(gone) != 1 else 'y'} deleted, {format_size(size)}")
