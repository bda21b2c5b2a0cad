"""Shared by the fleet commands: which fleet to use, and its texts."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.views.printing import tell

if TYPE_CHECKING:
    from mulligan.store.fleet.fleet_store import FleetStore

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
