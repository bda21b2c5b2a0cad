"""Shared by the fleet commands: which fleet to use, and which job is meant."""

from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from mulligan.cli.views.printing import tell
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.store.fleet.fleet_store import FleetStore
    from mulligan.types.fleet import FleetJob

Result = TypeVar("Result")

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="The fleet's PostgreSQL, postgresql://…; by default MULLIGAN_DATABASE_URL, else our own.",
    ),
]


@asynccontextmanager
async def open_fleet_at(database: str | None) -> "AsyncGenerator[FleetStore, None]":
    from mulligan.app.configuration import load_configuration
    from mulligan.app.fleet import open_fleet

    async with open_fleet(load_configuration(None, {}).settings, database, tell=tell) as store:
        yield store


async def find_job(store: "FleetStore", prefix: str) -> "FleetJob":
    """The named job, or the newest."""
    if prefix:
        return await store.reading.find(prefix)
    newest = await store.reading.list(most=1)
    if not newest:
        raise ConfigurationError("there are no jobs yet: mulligan fleet submit … submits one")
    return newest[0]


def run(work: "Coroutine[Any, Any, Result]") -> Result:
    import asyncio

    return asyncio.run(work)
