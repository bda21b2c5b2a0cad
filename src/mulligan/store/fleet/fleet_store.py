"""The store of a fleet, and its schema: our tables and the queue's, in one database."""

import time
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from mulligan.store.database import Database, Queries, open_database
from mulligan.store.fleet.jobs import FleetJobs
from mulligan.store.fleet.reading import FleetReading
from mulligan.store.fleet.servers import FleetServers
from mulligan.store.fleet.workers import FleetWorkers
from mulligan.store.migrate import load_migrations, migrate
from mulligan.types.errors import ConfigurationError

MISSING = "fleets need more than is installed: pip install 'mulligan[fleet]'"


async def open_fleet_store(url: str) -> "FleetStore":
    """Open it, and migrate both schemas. Any number of workers may do so at the same time.

    Raises `StoreError` if it fails, `ConfigurationError` if something must be installed or the URL is wrong.
    """
    if not is_postgres(url):
        raise ConfigurationError("a fleet needs PostgreSQL: its URL begins with postgresql://")
    database = await open_database(url)
    try:
        await migrate(database, load_migrations(), now=time.time())
        await _migrate_queue(database)
    except BaseException:
        await database.close()
        raise
    return FleetStore(database, url)


def is_postgres(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))


class FleetStore:
    def __init__(self, database: Database, url: str) -> None:
        self._database = database
        self.url = url
        """May contain a password."""
        self.jobs = FleetJobs(database)
        self.reading = FleetReading(database)
        self.servers = FleetServers(database)
        self.workers = FleetWorkers(database)

    @property
    def address(self) -> str:
        return self._database.address

    async def close(self) -> None:
        await self._database.close()


async def _migrate_queue(database: Database) -> None:
    """Apply the queue's own migrations, by name. A new database gets the current schema, which includes them all."""
    known = _queue_migrations()
    try:
        rows = await database.fetch_all("SELECT to_regclass('fleet_queue_migrations') IS NOT NULL AS made")
        if rows[0]["made"] and not await _outstanding(database, known):
            return
    except IndexError:
        pass
    async with database.schema_change() as queries:
        await queries.execute("CREATE TABLE IF NOT EXISTS fleet_queue_migrations (name TEXT NOT NULL PRIMARY KEY)")
        missing = await _outstanding(queries, known)
        fresh = await queries.fetch_one("SELECT to_regclass('procrastinate_jobs') IS NULL AS fresh")
        if fresh and fresh["fresh"]:
            await queries.execute((resources.files("procrastinate.sql") / "schema.sql").read_text(encoding="utf-8"))
        else:
            for name in missing:
                await queries.execute(known[name].read_text(encoding="utf-8"))
        for name in missing:
            await queries.execute("INSERT INTO fleet_queue_migrations (name) VALUES (:name)", name=name)


async def _outstanding(queries: Queries, known: Mapping[str, Path]) -> list[str]:
    applied = {row["name"] for row in await queries.fetch_all("SELECT name FROM fleet_queue_migrations")}
    return [name for name in known if name not in applied]


def _queue_migrations() -> dict[str, Path]:
    """By name, in order."""
    try:
        from procrastinate.schema import migrations_path
    except ImportError as error:
        raise ConfigurationError(MISSING) from error
    return {path.name: path for path in sorted(migrations_path.glob("*.sql"))}
