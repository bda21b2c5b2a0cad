"""`mulligan doctor`: what works, what is missing, and how to fix it."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.options import JsonOption, ProjectOption

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.cli.commands.doctor_checks import DoctorCheck
    from mulligan.types.errors import MulliganError
    from mulligan.types.profiles import FoundServer
    from mulligan.types.settings import Settings

    FindServers = Callable[[Settings], Awaitable[Sequence[FoundServer]]]

MUST_BE_SET = 2


OfflineOption = Annotated[
    bool,
    typer.Option(
        "--offline", help="Refuse every connection beyond this network, and check that nothing has to be downloaded."
    ),
]


def doctor(*, project: ProjectOption = None, offline: OfflineOption = False, json: JsonOption = False) -> None:
    """Check what Mulligan needs, and say what is missing.

    Checks Python, git, the sandbox, ripgrep, the terminal, settings, instructions for models, MCP servers, the
    database, model servers and embedded models, and says how to fix problems. Makes no model call.

    With --offline it also checks that Mulligan works without internet access: everything it would download is here and
    complete, and no check contacts more than this machine and the servers that you named in your own network.
    """
    import asyncio

    checks = asyncio.run(examine(project, servers_in_reach, offline=offline))
    if json:
        for check in checks:
            typer.echo(check.model_dump_json())
    else:
        _print(checks)
    raise typer.Exit(MUST_BE_SET if any(check.verdict == "problem" for check in checks) else 0)


async def examine(project: Path | None, find_servers: "FindServers", *, offline: bool = False) -> "list[DoctorCheck]":
    """All checks, in display order. If the configuration does not load, checks that need it are skipped."""
    from mulligan.app.configuration import load_configuration
    from mulligan.cli.commands import doctor_checks
    from mulligan.types.errors import ConfigurationError

    whatever = [doctor_checks.check_python(), doctor_checks.check_ripgrep(Path.cwd()), doctor_checks.check_terminal()]
    try:
        configuration = load_configuration(project, {})
    except ConfigurationError as error:
        broken = doctor_checks.DoctorCheck(
            name="configuration", verdict="problem", found="can't be used", advice=str(error)
        )
        return [*whatever, broken]
    if not offline:
        return await _examine(configuration, find_servers, whatever)
    from mulligan.cli.commands.doctor_offline import check_connections, hosts_set
    from mulligan.runtime.connection_watch import connections_watched

    with connections_watched(hosts_set(configuration.settings)) as seen:
        checks = await _examine(configuration, find_servers, whatever, offline=True)
    return [*checks, check_connections(seen)]


async def _examine(
    configuration: "Configuration",
    find_servers: "FindServers",
    whatever: "Sequence[DoctorCheck]",
    *,
    offline: bool = False,
) -> "list[DoctorCheck]":
    """The checks that need settings, after the machine's own checks."""
    from mulligan.app.configuration import FILE_NAME
    from mulligan.cli.commands import doctor_checks, doctor_offline
    from mulligan.models.embedded.catalog import load_catalog
    from mulligan.models.embedded.download import ModelFiles
    from mulligan.models.embedded.engine import engine_version
    from mulligan.models.embedded.machine import Machine
    from mulligan.types.errors import ConfigurationError, ModelError

    settings = configuration.settings
    try:
        servers = await find_servers(settings)
    except (ModelError, ConfigurationError) as error:
        servers = error
    needed, catalog, files = engine_needed(settings.model, servers), load_catalog(), ModelFiles(settings.home)
    checks = [
        doctor_checks.check_machine(Machine(), settings.home),
        *whatever,
        await doctor_checks.check_git(settings.project),
        doctor_checks.check_sandbox(settings),
        doctor_checks.check_configuration((settings.project / FILE_NAME, settings.home / FILE_NAME)),
        doctor_checks.check_rules(settings),
        await doctor_checks.check_instructions(settings),
        doctor_checks.check_mcp(configuration),
        await doctor_checks.check_database(settings),
        doctor_checks.check_server(settings, servers),
        doctor_checks.check_key(settings),
        doctor_checks.check_embedded(engine_version(), needed=needed, offline=offline),
    ]
    if not offline:
        return [*checks, doctor_checks.check_models(catalog, files)]
    models = await doctor_offline.check_model_files(settings, catalog, files, needed=needed)
    return [*checks, models, doctor_offline.check_grammars(), doctor_offline.check_page()]


def engine_needed(model: str | None, servers: "Sequence[FoundServer] | MulliganError") -> bool:
    """Whether an embedded model would answer: it was chosen, or there is no server."""
    return (model or "").startswith("embedded:") or servers == []


async def servers_in_reach(settings: "Settings") -> "Sequence[FoundServer]":
    """The configured server, else those running on this machine. Raises `ModelError` if the configured one is down."""
    if settings.base_url is None:
        from mulligan.models.known.discovery import discover

        return list(await discover()) if settings.discovery else []
    from mulligan.models.wire.openai_chat import list_models
    from mulligan.types.profiles import FoundServer

    key = settings.api_key.get_secret_value() if settings.api_key else None
    models = await list_models(settings.base_url, key)
    return [FoundServer(base_url=settings.base_url, kind="openai", models=tuple(models))]


def _print(checks: "Sequence[DoctorCheck]") -> None:
    from mulligan.cli.views.tables import print_table

    rows = [(check.name, check.verdict, check.found, check.advice) for check in checks]
    print_table(("check", "state", "found", "what to do"), rows)
    problems = sum(check.verdict == "problem" for check in checks)
    typer.echo(
        f"fix {problems} problem{'s' if problems > 1 else ''} first" if problems else "Mulligan can work", err=True
    )
