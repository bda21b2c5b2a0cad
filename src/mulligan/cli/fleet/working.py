"""`mulligan fleet work`: a worker."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.fleet.session import DatabaseOption, open_fleet_at, run
from mulligan.cli.options import JsonOption
from mulligan.cli.views.printing import print_json, tell
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.fleet.worker import WorkerOptions


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
    from mulligan.core.fleet.server_choice import server_address
    from mulligan.fleet.worker import WorkerOptions, default_name

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
    run(_work(options, database, as_json=json))


async def _work(options: "WorkerOptions", database: str | None, *, as_json: bool) -> None:
    from mulligan.app.configuration import load_configuration
    from mulligan.fleet.worker import FleetWorker, require_sandbox

    def report(message: str, **fields: str) -> None:
        if as_json:
            print_json({"worker": options.name, **fields, "text": message})
        else:
            tell(message)

    settings = load_configuration(None, {}).settings
    sandbox = await require_sandbox(settings, unsandboxed=options.unsandboxed)
    async with open_fleet_at(database) as store:
        report(f"{options.name} works for the fleet at {store.address}, sandbox: {sandbox}")
        await FleetWorker(store, settings, options, sandbox, report).run()
