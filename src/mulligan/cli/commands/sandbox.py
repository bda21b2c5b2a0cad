"""`mulligan sandbox`: how commands are confined here, and what this project may access."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.text import help_epilogs
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.types.sandbox import SandboxMechanism

sandbox = typer.Typer(
    help="Show how commands are confined, and give them more access.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@sandbox.callback()
def show(context: typer.Context, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Show how commands are confined here, and what this project may access.

    A model's commands see an empty home folder and no network, and can only change the project. `allow` gives one
    project more access; Mulligan stores that in its own folder, where no project can write.
    """
    if context.invoked_subcommand:
        return
    from mulligan.app.configuration import load_configuration
    from mulligan.workspace.sandbox import find_sandbox
    from mulligan.workspace.sandbox.grants import read_grants

    settings = load_configuration(project, {}).settings
    status = find_sandbox(settings.sandbox)
    opened = read_grants(settings.home, settings.project)
    fields: dict[str, str | bool | list[str]] = {
        "mechanism": status.mechanism,
        "missing": status.missing,
        "not_held": [*status.partial, *_not_held(status.mechanism)],
        "approvals": settings.approvals,
        "network": opened.network or settings.network or status.mechanism == "none",
        "read": [str(each) for each in (*opened.read, *settings.sandbox_read)],
        "write": [str(each) for each in (*opened.write, *settings.sandbox_write)],
    }
    if json:
        import json as encoding

        typer.echo(encoding.dumps(fields))
        return
    from mulligan.cli.views.tables import print_table

    rows = [(name.replace("_", " "), each) for name, value in fields.items() for each in _lines(value)]
    print_table(("sandbox", str(settings.project)), rows)


@sandbox.command(epilog=help_epilogs.SANDBOX_ALLOW)
def allow(
    *,
    network: Annotated[bool, typer.Option("--network", help="Let commands use the network.")] = False,
    read: Annotated[
        list[Path] | None,
        typer.Option("--read", metavar="PATH", help="Let commands read a hidden file or folder, such as .env."),
    ] = None,
    write: Annotated[
        list[Path] | None, typer.Option("--write", metavar="DIR", help="Let commands write to another folder.")
    ] = None,
    project: ProjectOption = None,
) -> None:
    """Give this project's commands more access, from now on."""
    from mulligan.app.configuration import load_configuration
    from mulligan.types.sandbox import ExtraAccess
    from mulligan.workspace.sandbox.grants import remember

    if not (network or read or write):
        raise ConfigurationError("say what to allow: --network, --read PATH or --write DIR")
    settings = load_configuration(project, {}).settings
    asked = ExtraAccess(network=network, read=_real(read, settings.project), write=_real(write, settings.project))
    for path in (*asked.read, *asked.write):
        if not path.exists():
            raise ConfigurationError(f"{path} does not exist")
    for path in asked.write:
        _refuse_wide(path, settings.home)
    now = remember(settings.home, settings.project, asked)
    opened = ["the network"] if now.network else []
    opened += [f"{path} (read)" for path in now.read] + [f"{path} (write)" for path in now.write]
    typer.echo(f"allowed for commands in {settings.project}: {', '.join(opened)}")


@sandbox.command(epilog=help_epilogs.SANDBOX_FORGET)
def forget(*, project: ProjectOption = None) -> None:
    """Revoke all access that was given to this project."""
    from mulligan.app.configuration import load_configuration
    from mulligan.workspace.sandbox.grants import forget as close

    settings = load_configuration(project, {}).settings
    was_open = close(settings.home, settings.project)
    typer.echo(f"{'revoked all extra access' if was_open else 'there was no extra access'} for {settings.project}")


def _refuse_wide(path: Path, home: Path) -> None:
    """Refuse a folder that contains the user's home or Mulligan's folder, or belongs to a repository: writing there
    would defeat the sandbox."""
    if not path.is_dir():
        raise ConfigurationError(f"{path} is not a folder: --write takes folders")
    if any(each.resolve().is_relative_to(path) for each in (Path.home(), home)) or path.is_relative_to(home):
        raise ConfigurationError(f"{path} contains your home or Mulligan's own folder: name a folder inside it")
    if ".git" in path.parts:
        raise ConfigurationError(
            f"{path} belongs to a repository: Mulligan asks you when a command wants to write there"
        )


def _real(paths: list[Path] | None, project: Path) -> tuple[Path, ...]:
    return tuple((project / each.expanduser()).resolve() for each in paths or ())


def _not_held(mechanism: "SandboxMechanism") -> list[str]:
    """What the sandbox guarantees, in the words of the table of promises."""
    if mechanism == "none":
        return ["no guarantees: commands run with your rights, and each needs your approval"]
    from mulligan.core.sandbox.promises import PROMISES

    return [promise.says for promise in PROMISES if getattr(promise, mechanism).level == "not held"]


def _lines(value: str | bool | list[str]) -> list[str]:
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return value if isinstance(value, list) else [value] if value else []
