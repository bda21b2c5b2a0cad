"""`mulligan fleet submit`: jobs from the command line, a file or standard input."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mulligan.cli.fleet.session import DatabaseOption, open_fleet_at, run
from mulligan.cli.options import JsonOption
from mulligan.cli.views.printing import print_json, tell
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.types.fleet import JobSpec

STDIN = "standard input"
ProfileName = Literal["strict", "fast", "smoke", "yolo"]


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
    tries: Annotated[int, typer.Option("--tries", min=1, help="How often to try before the job fails.")] = 3,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Submit a job, or many from a file or standard input.

    Prints their ids. A line of a file has the same fields as the options: repository, goal, ref, issue (the text),
    verify (a list), profile, model, priority, labels (a list), time_limit, max_tries. Options are the defaults.
    """
    from mulligan.core.fleet.submissions import job_of, read_jobs

    options: dict[str, Any] = {
        "ref": ref, "issue": _issue_text(issue), "verify": verify or (), "profile": profile, "model": model,
        "priority": priority, "labels": label or (), "time_limit": time_limit, "max_tries": tries,
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
    run(_submit(database, _located(specs), file, json=json))


async def _submit(database: str | None, specs: "list[JobSpec]", file: Path | None, *, json: bool) -> None:
    """Prints each id once its job is queued: what breaks off later leaves these jobs in the queue."""
    submitted = 0
    try:
        async with open_fleet_at(database) as store:
            async for ids in store.jobs.submit_batches(specs):
                submitted += len(ids)
                for job_id in ids:
                    if json:
                        print_json({"id": job_id})
                    else:
                        sys.stdout.write(f"{job_id}\n")
                sys.stdout.flush()
    finally:
        if 0 < submitted < len(specs):
            rest = f"grep '[^[:space:]]' {shlex.quote(str(file)) if file else 'FILE'} | tail -n +{submitted + 1}"
            tell(
                f"{submitted} of {len(specs)} jobs were submitted, with the ids above. To submit the rest, use the "
                f"same options: {rest} | mulligan fleet submit -"
            )


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

    found = {repository: _place(repository) for repository in {spec.repository for spec in specs}}
    elsewhere = sorted(address for address in found.values() if address.startswith("/") and not Path(address).exists())
    if elsewhere:
        more = f" and {len(elsewhere) - 1} more are" if len(elsewhere) > 1 else " is"
        tell(f"{elsewhere[0]}{more} not on this machine: workers must have it")
    return [
        spec if address == spec.repository else job_of({**vars(spec), "repository": address}, where=repr(address))
        for spec, address in ((each, found[each.repository]) for each in specs)
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
