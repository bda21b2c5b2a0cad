"""The fleet that the settings name: the database that was given, else one of our own under the home folder."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from mulligan.store.embedded_postgres import EmbeddedPostgres
from mulligan.store.fleet.fleet_store import FleetStore, open_fleet_store
from mulligan.types.settings import Settings


@asynccontextmanager
async def open_fleet(
    settings: Settings, url: str | None = None, *, tell: Callable[[str], None] = lambda _: None
) -> AsyncGenerator[FleetStore]:
    """Its store, with both schemas up to date. Raises `ConfigurationError` or `StoreError`."""
    store = await open_fleet_store(await fleet_url(settings, url, tell=tell))
    try:
        yield store
    finally:
        await store.close()


async def fleet_url(settings: Settings, url: str | None, *, tell: Callable[[str], None] = lambda _: None) -> str:
    given = url or (settings.database_url.get_secret_value() if settings.database_url else None)
    if given:
        return given
    embedded = EmbeddedPostgres.of_home(settings.home)
    if embedded.pid is None:
        tell(f"starting a PostgreSQL of our own ({embedded.folder}); --database names another one")
    return await asyncio.to_thread(embedded.start)
