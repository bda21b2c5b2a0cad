"""`mulligan sandbox`: how commands are confined here, and what was opened for this project."""

from pathlib import Path
from typing import Annotated

import typer

from mulligan.cli import epilogs
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.types.errors import ConfigurationError

sandbox = typer.Typer(
    help="How commands are confined, and what is open for this project.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@sandbox.callback()
def show(context: typer.Context, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Show how commands are confined here, and what was opened for this project.

    Commands of a model see an empty home folder and no network, and can only change the project. `allow` opens more for
    one project; Mulligan remembers it in its own folder, where no project can write.
    """
    if context.invoked_subcommand:
        return
    from mulligan.configuration import load_configuration
    from mulligan.workspace.sandbox import find_sandbox
    from mulligan.workspace.sandbox.grants import read_grants

    settings = load_configuration(project, {}).settings
    status = find_sandbox(settings.sandbox)
    opened = read_grants(settings.home, settings.project)
    told: dict[str, str | bool | list[str]] = {
        "way": status.way,
        "missing": status.missing,
        "not_held": list(status.partial),
        "approvals": settings.approvals,
        "network": opened.network or settings.network,
        "read": [str(each) for each in (*opened.read, *settings.sandbox_read)],
        "write": [str(each) for each in (*opened.write, *settings.sandbox_write)],
    }
    if json:
        import json as encoding

        typer.echo(encoding.dumps(told))
        return
    from mulligan.cli.tables import print_table

    rows = [(name.replace("_", " "), _shown(value)) for name, value in told.items() if value != ""]
    print_table(("sandbox", str(settings.project)), rows)


@sandbox.command(epilog=epilogs.SANDBOX_ALLOW)
def allow(
    *,
    network: Annotated[bool, typer.Option("--network", help="Let commands use the network.")] = False,
    read: Annotated[
        list[Path] | None,
        typer.Option("--read", metavar="PATH", help="Show them a file or folder that is hidden, such as .env."),
    ] = None,
    write: Annotated[
        list[Path] | None, typer.Option("--write", metavar="DIR", help="Let them write to a folder elsewhere.")
    ] = None,
    project: ProjectOption = None,
) -> None:
    """Open something for the commands of this project, from now on."""
    from mulligan.configuration import load_configuration
    from mulligan.types.sandbox import Openings
    from mulligan.workspace.sandbox.grants import remember

    if not (network or read or write):
        raise ConfigurationError("say what to open: --network, --read PATH or --write DIR")
    settings = load_configuration(project, {}).settings
    asked = Openings(network=network, read=_real(read, settings.project), write=_real(write, settings.project))
    for place in (*asked.read, *asked.write):
        if not place.exists():
            raise ConfigurationError(f"{place} does not exist")
    now = remember(settings.home, settings.project, asked)
    opened = ["the network"] if now.network else []
    opened += [f"{place} (read)" for place in now.read] + [f"{place} (write)" for place in now.write]
    typer.echo(f"open for commands in {settings.project}: {', '.join(opened)}")


@sandbox.command(epilog=epilogs.SANDBOX_FORGET)
def forget(*, project: ProjectOption = None) -> None:
    """Close again what was opened for this project."""
    from mulligan.configuration import load_configuration
    from mulligan.workspace.sandbox.grants import forget as close

    settings = load_configuration(project, {}).settings
    was_open = close(settings.home, settings.project)
    typer.echo(f"nothing {'is open any more' if was_open else 'was open'} for {settings.project}")


def _real(places: list[Path] | None, project: Path) -> tuple[Path, ...]:
    return tuple((project / each.expanduser()).resolve() for each in places or ())


def _shown(value: str | bool | list[str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (", ".join(value) or "-") if isinstance(value, list) else value
