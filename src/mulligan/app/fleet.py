"""The configured fleet: the given database, else our own under the home folder."""

import asyncio
import importlib.util
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from mulligan.store.embedded_postgres import EmbeddedPostgres
from mulligan.store.fleet.fleet_store import FleetStore, is_postgres, open_fleet_store
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


def has_fleet(settings: Settings) -> bool:
    """Whether there is a fleet to show without asking: the configured database, if the fleet extra is installed; or our
    own, if it was created before. Opens and starts nothing."""
    url = settings.database_url.get_secret_value() if settings.database_url else ""
    if url:
        return is_postgres(url) and importlib.util.find_spec("procrastinate") is not None
    return EmbeddedPostgres.of_home(settings.home).data.exists()


async def fleet_url(settings: Settings, url: str | None, *, tell: Callable[[str], None] = lambda _: None) -> str:
    given = url or (settings.database_url.get_secret_value() if settings.database_url else None)
    if given:
        return given
    embedded = EmbeddedPostgres.of_home(settings.home)
    if embedded.pid is None:
        tell(f"starting our own PostgreSQL ({embedded.folder}); --database names another one")
    return await asyncio.to_thread(embedded.start)
