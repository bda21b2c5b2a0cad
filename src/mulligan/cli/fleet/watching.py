"""`mulligan fleet status`, `list`, `show` and `logs`: what there is to see."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mulligan.cli.fleet.session import DatabaseOption, find_job, open_fleet_at, run
from mulligan.cli.options import JsonOption
from mulligan.cli.views.printing import print_json, print_list, tell

if TYPE_CHECKING:
    from mulligan.types.fleet import FleetJob

StateName = Literal["queued", "running", "verified", "unverified", "failed", "cancelled"]
JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="Its id, or the start of it. By default, the newest.")]
LabelOption = Annotated[str | None, typer.Option("--label", metavar="NAME", help="Only jobs with this label.")]


def status(
    *,
    watch: Annotated[bool, typer.Option("--watch", help="Refresh until no job is left.")] = False,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show how many jobs are waiting, running and done.

    By label and model, with the throughput of the last ten minutes, and the time left at that pace.
    """
    import asyncio

    from mulligan.cli.text.fleet_tables import status_fields, status_rows, status_words
    from mulligan.cli.views.tables import print_table

    async def show() -> None:
        async with open_fleet_at(database) as store:
            while True:
                found = await store.reading.status()
                if json:
                    print_json(status_fields(found))
                else:
                    if watch and sys.stdout.isatty():
                        sys.stdout.write("\x1b[2J\x1b[H")
                    headings, rows = status_rows(found)
                    print_table(headings, rows)
                    sys.stdout.write(f"{status_words(found)}\n")
                if not watch or not found.of("queued", "running"):
                    return
                await asyncio.sleep(1.0)

    run(show())


def list_jobs(
    *,
    state: Annotated[StateName | None, typer.Option("--state", help="Only jobs in this state.")] = None,
    label: LabelOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="How many to list.")] = 50,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """List jobs, newest first."""
    from mulligan.cli.text.fleet_tables import JOB_HEADINGS, job_row

    async def listed() -> "list[FleetJob]":
        async with open_fleet_at(database) as store:
            return await store.reading.list(state=state, label=label, most=limit)

    print_list(
        run(listed()),
        as_json=json,
        fields=lambda job: job.model_dump(),
        headings=JOB_HEADINGS,
        row=job_row,
        none="there are no such jobs: mulligan fleet submit … submits one",
    )


def show(job: JobArgument = "", *, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Show a job's request, and how it ended."""
    from mulligan.cli.text.fleet_tables import job_lines
    from mulligan.cli.text.safe_text import lenient_stream

    async def found():  # noqa: ANN202  a pair of the store's
        async with open_fleet_at(database) as store:
            shown = await find_job(store, job)
            return shown, await store.reading.result(shown.id)

    shown, result = run(found())
    if json:
        print_json({**shown.model_dump(), "result": result.model_dump() if result else None})
        return
    lenient_stream(sys.stdout).writelines(f"{line}\n" for line in job_lines(shown, result))


def logs(
    job: JobArgument = "",
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow until the job has ended.")] = False,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show a job's progress, as `mulligan fix` does."""
    import asyncio

    from mulligan.cli.views.fleet_log_view import show_frames

    async def show() -> None:
        async with open_fleet_at(database) as store:
            found, after = await find_job(store, job), 0
            while True:
                ended = found.ended_at is not None
                while pieces := await store.reading.log(found.id, after=after):
                    after = pieces[-1].id
                    show_frames(pieces, as_json=json)
                if ended and not json:
                    tell(f"mulligan fleet show {found.id} has the report; mulligan fleet fetch {found.id} the changes")
                if ended or not follow:
                    return
                await asyncio.sleep(0.5)
                found = await store.reading.find(found.id)

    run(show())
