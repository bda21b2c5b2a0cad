"""`mulligan fleet servers`, `workers` and `database`: what jobs run on."""

from typing import Annotated

import typer

from mulligan.cli.fleet.session import DatabaseOption, open_fleet_at, run
from mulligan.cli.listing_group import listing_group
from mulligan.cli.options import JsonOption
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list, tell
from mulligan.types.errors import ConfigurationError

servers = listing_group(
    """List, add and remove the model servers that workers share.

    Without a command, lists them. Each model call of a job takes a slot of a server; waiting labels get slots in turn.
    If the list is empty, every worker uses the model of its own settings.
    """
)
UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="The address that workers use, including /v1.")]


@servers.command("list", epilog=help_epilogs.FLEET_SERVERS_LIST)
def list_servers(*, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """List the model servers, and how busy they are."""

    async def listed():  # noqa: ANN202  as the store says
        async with open_fleet_at(database) as fleet:
            return await fleet.reading.servers()

    print_list(
        run(listed()),
        as_json=json,
        fields=lambda server: server.model_dump(),
        headings=("server", "models", "busy", "waiting", "state"),
        row=lambda server: (
            server.url,
            ", ".join(server.models) or "any",
            f"{server.busy} of {server.slots}",
            str(server.waiting),
            f"down, retrying in {server.down_for:.0f} s: {server.error}" if server.down_for else "up",
        ),
        none="the list is empty: each worker uses the model of its own settings",
    )


@servers.command("add", epilog=help_epilogs.FLEET_SERVERS_ADD)
def add_server(
    url: UrlArgument,
    *,
    slots: Annotated[int, typer.Option("--slots", min=1, help="How many calls it answers at once.")] = 1,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="NAME", help="A model that it has. Repeatable."),
    ] = None,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Add a model server, or change its slots and models."""
    from mulligan.core.fleet.server_choice import server_address

    url = server_address(url)

    async def add() -> None:
        async with open_fleet_at(database) as fleet:
            await fleet.servers.register(url, models=model or (), slots=slots)

    run(add())
    if json:
        print_json({"url": url, "slots": slots, "models": model or []})
    else:
        tell(f"{url} has {slots} slot{'s' if slots > 1 else ''}")


@servers.command("remove", epilog=help_epilogs.FLEET_SERVERS_REMOVE)
def remove_server(url: UrlArgument, *, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Remove a model server from the list. Running calls are not interrupted."""
    url = url.rstrip("/")

    async def remove() -> bool:
        async with open_fleet_at(database) as fleet:
            return await fleet.servers.remove(url)

    if not run(remove()):
        raise ConfigurationError(f"{url} is not on the list: `mulligan fleet servers` shows it")
    if json:
        print_json({"url": url, "removed": True})
    else:
        tell(f"removed {url} from the list")


def workers(*, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """List the workers, and their last heartbeat."""
    from mulligan.cli.text.sentences import format_time

    async def listed():  # noqa: ANN202  as the store says
        async with open_fleet_at(database) as fleet:
            return await fleet.reading.workers()

    print_list(
        run(listed()),
        as_json=json,
        fields=lambda worker: worker.model_dump(),
        headings=("worker", "busy", "labels", "sandbox", "last heartbeat"),
        row=lambda worker: (
            worker.name,
            f"{worker.busy} of {worker.slots}",
            ", ".join(worker.labels) or "all",
            worker.sandbox,
            format_time(worker.seen_at, with_seconds=True) + (", silent" if worker.silent else ""),
        ),
        none="there are no workers: mulligan fleet work starts one",
    )


def database(
    *,
    stop: Annotated[bool, typer.Option("--stop", help="Stop our own PostgreSQL. Its jobs stay.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="With --stop, delete it with all jobs.")] = False,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Migrate the fleet's database, and say where it is.

    Every other command does this too, and several may at once. Without a database URL, starts our own PostgreSQL, which
    runs until it is stopped.
    """
    from mulligan.app.configuration import load_configuration
    from mulligan.store.embedded_postgres import EmbeddedPostgres

    if stop:
        if database:
            raise ConfigurationError("--stop is for our own PostgreSQL, but --database names another one")
        embedded = EmbeddedPostgres.of_home(load_configuration(None, {}).settings.home)
        ran = embedded.stop()
        if delete:
            embedded.delete()
        if json:
            print_json({"stopped": ran, "deleted": delete, "folder": str(embedded.folder)})
            return
        tell("PostgreSQL has stopped" if ran else "PostgreSQL did not run")
        if delete:
            tell(f"{embedded.folder} is deleted")
        return
    if delete:
        raise ConfigurationError("--delete needs --stop")

    async def location() -> str:
        async with open_fleet_at(database) as fleet:
            return fleet.address

    found = run(location())
    if json:
        print_json({"database": found})
    else:
        print(found)  # noqa: T201  the result
