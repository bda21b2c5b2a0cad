"""The fleet that a server shows, if there is one. Opens and starts nothing before somebody looks."""

import asyncio
from typing import TYPE_CHECKING

from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.store.fleet.fleet_store import FleetStore


class ServedFleet:
    def __init__(self, settings: Settings, url: str | None) -> None:
        self._settings = settings
        self._url = url
        self._opening = asyncio.Lock()
        self._store: FleetStore | None = None

    @property
    def configured(self) -> bool:
        from mulligan.app.fleet import has_fleet

        return self._url is not None or has_fleet(self._settings)

    async def store(self) -> "FleetStore":
        """Opened on first use. Raises `ConfigurationError` or `StoreError`; the next call tries again."""
        from mulligan.app.fleet import fleet_url
        from mulligan.store.fleet.fleet_store import open_fleet_store

        async with self._opening:
            if self._store is None:
                self._store = await open_fleet_store(await fleet_url(self._settings, self._url))
            return self._store

    async def close(self) -> None:
        if self._store:
            await self._store.close()
