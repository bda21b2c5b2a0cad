"""`mulligan fleet`: many fix runs, on many machines."""

import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from mulligan.cli.fleet_servers import database as database_command
from mulligan.cli.fleet_servers import servers, workers
from mulligan.cli.fleet_session import DatabaseOption, open_fleet_at
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list, tell
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.store.fleet.fleet_store import FleetStore
    from mulligan.types.fleet import FleetJob, JobSpec, JobState

Result = TypeVar("Result")
STDIN = "standard input"
LOOKED_AT = 1000
"""Jobs, for the newest of a checkout."""
ProfileName = Literal["strict", "fast", "smoke", "yolo"]
StateName = Literal["queued", "running", "verified", "unverified", "failed", "cancelled"]
JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="Its id, or the start of it. By default, the newest.")]
JobsArgument = Annotated[list[str], typer.Argument(metavar="JOB…", help="Their ids, or the start of them.")]
LabelOption = Annotated[str | None, typer.Option("--label", metavar="NAME", help="Only jobs with this label.")]

fleet = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Fix many repositories, with workers on one machine or many.

    A job is a fix run: a repository, a goal, and the commands that judge it. Jobs wait in PostgreSQL; without
    --database Mulligan starts its own. Workers take them. If a worker dies, another one continues its jobs.
    """,
)
fleet.add_typer(servers, name="servers", epilog=help_epilogs.FLEET_SERVERS)
fleet.command("workers", epilog=help_epilogs.FLEET_WORKERS)(workers)
fleet.command("database", epilog=help_epilogs.FLEET_DATABASE)(database_command)


@fleet.command(epilog=help_epilogs.FLEET_SUBMIT)
def submit(
    repository: Annotated[
        str, typer.Argument(metavar="REPOSITORY", help="A git URL or a path; `-` reads jobs from standard input.")
    ] = "",
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What to fix.")] = "",
    *,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="Jobs, one JSON object per line.", dir_okay=False)
    ] = None,
    ref: Annotated[str, typer.Option("--ref", metavar="REF", help="A branch, tag or commit. By default, HEAD.")] = "",
    issue: Annotated[
        Path | None, typer.Option("--issue", metavar="FILE", help="A file that describes the problem.", dir_okay=False)
    ] = None,
    verify: Annotated[
        list[str] | None,
        typer.Option("--verify", metavar="CMD", help="A command that judges the result. Repeatable."),
    ] = None,
    profile: Annotated[ProfileName, typer.Option("--profile", help="As in `mulligan fix`.")] = "fast",
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model to use.")] = None,
    priority: Annotated[
        int, typer.Option("--priority", min=-9, max=9, help="Jobs with a higher number start first.")
    ] = 0,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="NAME", help="Jobs with different labels take turns. Repeatable."),
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="How long one try may take.")
    ] = 3600.0,
    takes: Annotated[int, typer.Option("--takes", min=1, help="How often to try before the job fails.")] = 3,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Submit a job, or many from a file or standard input.

    Prints their ids. A line of a file has the same fields as the options: repository, goal, ref, issue (the text),
    verify (a list), profile, model, priority, labels (a list), time_limit, most_takes. Options are the defaults.
    """
    from mulligan.core.fleet.submissions import job_of, read_jobs

    options: dict[str, Any] = {
        "ref": ref, "issue": _issue_text(issue), "verify": verify or (), "profile": profile, "model": model,
        "priority": priority, "labels": label or (), "time_limit": time_limit, "most_takes": takes,
    }  # fmt: skip
    if file or repository == "-":
        if goal or (file and repository):
            raise ConfigurationError("name either a repository and a goal, or a file with jobs")
        specs = _read_file(file, options) if file else list(read_jobs(sys.stdin, source=STDIN, defaults=options))
        if not specs:
            raise ConfigurationError(f"there are no jobs in {file or STDIN}")
    elif not repository:
        raise ConfigurationError('name a repository and a goal: mulligan fleet submit ../project "make the tests pass"')
    else:
        specs = [job_of({"repository": repository, "goal": goal, **options}, where="the job")]
    ids = _run(_submit(database, _located(specs)))
    for job_id in ids:
        if json:
            print_json({"id": job_id})
        else:
            sys.stdout.write(f"{job_id}\n")


@fleet.command(epilog=help_epilogs.FLEET_WORK)
def work(
    *,
    slots: Annotated[int, typer.Option("--slots", min=1, help="How many jobs to work on at once.")] = 1,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="NAME", help="Take only jobs with this label. Repeatable."),
    ] = None,
    server: Annotated[
        list[str] | None, typer.Option("--server", metavar="URL", help="Use only this model server of the list.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="The worker's name. By default, host and process.")] = None,
    memory: Annotated[float, typer.Option("--memory", metavar="GB", min=0.1, help="Memory limit of a command.")] = 4.0,
    processes: Annotated[int, typer.Option("--processes", min=4, help="Process limit of a command.")] = 512,
    cache: Annotated[
        float, typer.Option("--cache", metavar="GB", min=0, help="Size limit of the cache of repositories.")
    ] = 20.0,
    until_empty: Annotated[bool, typer.Option("--until-empty", help="End when no job is left.")] = False,
    network: Annotated[bool, typer.Option("--network", help="Let commands of jobs use the network.")] = False,
    unsandboxed: Annotated[
        bool,
        typer.Option("--unsandboxed", help="Run commands of any repository with your rights if there is no sandbox."),
    ] = False,
    heartbeat: Annotated[float, typer.Option("--heartbeat", min=0.2, help="Seconds between heartbeats.")] = 5.0,
    silence: Annotated[
        float, typer.Option("--silence", min=1, help="Seconds without a heartbeat until others take over.")
    ] = 20.0,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Work on jobs until stopped.

    Ctrl-C returns running jobs to the fleet, and another worker continues them. Commands run in the sandbox; without
    one, the worker takes no jobs. It uses the models of `mulligan fleet servers`, or of your settings.
    """
    from mulligan.app.configuration import load_configuration
    from mulligan.core.fleet.server_choice import server_address
    from mulligan.fleet.worker import FleetWorker, WorkerOptions, default_name, find_sandbox

    if silence < 2 * heartbeat:
        raise ConfigurationError("--silence must be at least twice --heartbeat, or live workers lose their jobs")
    options = WorkerOptions(
        name=name or default_name(),
        slots=slots,
        labels=tuple(label or ()),
        servers=tuple(server_address(each) for each in server or ()),
        cache_bytes=int(cache * 1e9),
        memory=int(memory * 1e9),
        processes=processes,
        heartbeat=heartbeat,
        silence=silence,
        network=network,
        unsandboxed=unsandboxed,
        until_empty=until_empty,
    )

    def say(words: str, **fields: str) -> None:
        if json:
            print_json({"worker": options.name, **fields, "text": words})
        else:
            tell(words)

    async def run() -> None:
        settings = load_configuration(None, {}).settings
        sandbox = await find_sandbox(settings, unsandboxed=unsandboxed)
        async with open_fleet_at(database) as store:
            say(f"{options.name} works for the fleet at {store.place}, sandbox: {sandbox}")
            await FleetWorker(store, settings, options, sandbox, say).run()

    _run(run())


@fleet.command(epilog=help_epilogs.FLEET_STATUS)
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

    _run(show())


@fleet.command("list", epilog=help_epilogs.FLEET_LIST)
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
        _run(listed()),
        as_json=json,
        fields=lambda job: job.model_dump(),
        headings=JOB_HEADINGS,
        row=job_row,
        none="there are no such jobs: mulligan fleet submit … submits one",
    )


@fleet.command(epilog=help_epilogs.FLEET_SHOW)
def show(job: JobArgument = "", *, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Show a job's request, and how it ended."""
    from mulligan.cli.text.fleet_tables import job_lines
    from mulligan.cli.text.safe_text import lenient_stream

    async def found():  # noqa: ANN202  a pair of the store's
        async with open_fleet_at(database) as store:
            shown = await _found(store, job)
            return shown, await store.reading.result(shown.id)

    shown, result = _run(found())
    if json:
        print_json({**shown.model_dump(), "result": result.model_dump() if result else None})
        return
    lenient_stream(sys.stdout).writelines(f"{line}\n" for line in job_lines(shown, result))


@fleet.command(epilog=help_epilogs.FLEET_LOGS)
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
            found, after = await _found(store, job), 0
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

    _run(show())


@fleet.command(epilog=help_epilogs.FLEET_CANCEL)
def cancel(jobs: JobsArgument, *, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Cancel jobs. A running job ends within seconds; one that has ended stays as it is."""

    async def cancel_all() -> "list[tuple[str, JobState]]":
        async with open_fleet_at(database) as store:
            ids = [(await store.reading.find(each)).id for each in jobs]
            return [(job_id, await store.jobs.cancel(job_id)) for job_id in ids]

    for job_id, state in _run(cancel_all()):
        if json:
            print_json({"id": job_id, "state": state})
        else:
            tell(f"{job_id} {'is being cancelled' if state == 'running' else f'is {state}'}")


@fleet.command(epilog=help_epilogs.FLEET_RETRY)
def retry(jobs: JobsArgument, *, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Queue ended jobs again. Their earlier results are discarded."""

    async def retry_all() -> list[str]:
        async with open_fleet_at(database) as store:
            ids = [(await store.reading.find(each)).id for each in jobs]
            for job_id in ids:
                if not await store.jobs.retry(job_id):
                    raise ConfigurationError(f"job {job_id} has not ended: mulligan fleet cancel {job_id} ends it")
            return ids

    for job_id in _run(retry_all()):
        if json:
            print_json({"id": job_id, "state": "queued"})
        else:
            tell(f"{job_id} is queued")


@fleet.command(epilog=help_epilogs.FLEET_FETCH)
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

    words, fields = _run(fetched())
    if json:
        print_json(fields)
    elif words:
        tell(words)


@fleet.command(epilog=help_epilogs.FLEET_PRUNE)
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

    count = _run(deleted())
    gone = RepositoryCache.of_home(load_configuration(None, {}).settings.home).prune(days=older_than)
    size = sum(each.size for each in gone)
    if json:
        print_json({"deleted": count, "repositories": len(gone), "freed_bytes": size})
        return
    tell(f"{count} job{'s' if count != 1 else ''} deleted")
    if gone:
        tell(f"{len(gone)} cached repositor{'ies' if len(gone) != 1 else 'y'} deleted, {format_size(size)}")


async def _submit(database: str | None, specs: "list[JobSpec]") -> list[str]:
    async with open_fleet_at(database) as store:
        return await store.jobs.submit(specs)


async def _found(store: "FleetStore", prefix: str) -> "FleetJob":
    """The named job, or the newest."""
    if prefix:
        return await store.reading.find(prefix)
    newest = await store.reading.list(most=1)
    if not newest:
        raise ConfigurationError("there are no jobs yet: mulligan fleet submit … submits one")
    return newest[0]


async def _newest_here(store: "FleetStore", project: Path | None) -> "FleetJob":
    from mulligan.app.configuration import load_configuration
    from mulligan.app.fleet_results import newest_of

    folder = load_configuration(project, {}).settings.project
    found = await newest_of(folder, await store.reading.list(most=LOOKED_AT))
    if found is None:
        raise ConfigurationError(f"no job of {folder} has ended: `mulligan fleet list` has the ids of others")
    return found


def _read_file(file: Path, options: dict[str, Any]) -> "list[JobSpec]":
    from mulligan.core.fleet.submissions import read_jobs

    try:
        with file.open(encoding="utf-8") as lines:
            return list(read_jobs(lines, source=str(file), defaults=options))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} can't be read: {error}") from error


def _issue_text(file: Path | None) -> str:
    from mulligan.runtime.regular_files import read_regular_text

    if file is None:
        return ""
    try:
        return read_regular_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--issue {file} can't be read: {error}") from error


def _located(specs: "list[JobSpec]") -> "list[JobSpec]":
    """With absolute paths for local folders: workers run in other folders. Raises `ConfigurationError`."""
    from mulligan.core.fleet.submissions import job_of

    places = {repository: _place(repository) for repository in {spec.repository for spec in specs}}
    elsewhere = sorted(place for place in places.values() if place.startswith("/") and not Path(place).exists())
    if elsewhere:
        more = f" and {len(elsewhere) - 1} more are" if len(elsewhere) > 1 else " is"
        tell(f"{elsewhere[0]}{more} not on this machine: workers must have it")
    return [
        spec if place == spec.repository else job_of({**dict(spec), "repository": place}, where=repr(place))
        for spec, place in ((each, places[each.repository]) for each in specs)
    ]


def _place(repository: str) -> str:
    from mulligan.core.fleet.submissions import is_url

    folder = Path(repository).expanduser()
    if not folder.exists():
        if not is_url(repository) and not folder.is_absolute():
            raise ConfigurationError(f"{repository} does not exist here: give a git URL, or the path of a repository")
        return repository if is_url(repository) else str(folder)
    folder = folder.resolve()
    if not any((folder / name).exists() for name in (".git", "HEAD")):
        above = next((each for each in folder.parents if (each / ".git").exists()), None)
        advice = f"name {above}, which it is a part of" if above else "`git init` and a commit make it one"
        raise ConfigurationError(f"{folder} is not a git repository: {advice}")
    return str(folder)


def _run(work: "Coroutine[Any, Any, Result]") -> Result:
    import asyncio

    return asyncio.run(work)
