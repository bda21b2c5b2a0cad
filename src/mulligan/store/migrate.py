"""Migrates a database. Migrations are numbered SQL files that never change once released. They are the same for both
databases, except for statements marked `-- only: sqlite` or `-- only: postgresql`."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from mulligan.store.database import Database, Dialect, Queries, Row, TableMissing
from mulligan.types.errors import ConfigurationError
from mulligan.types.frozen import frozen

FOLDER = Path(__file__).parent / "migrations"


@frozen
class Migration:
    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


async def migrate(database: Database, migrations: Sequence[Migration], *, now: float) -> None:
    """Apply missing migrations, in order, all or none. Costs one query if the database is up to date."""
    try:
        missing = outstanding(migrations, await database.fetch_all(_APPLIED), database.address)
    except TableMissing:
        missing = list(migrations)
    if not missing:
        return
    async with database.schema_change() as queries:
        await queries.execute(_CREATE_TABLE)
        # Another process may have done it while this one waited.
        for migration in outstanding(migrations, await queries.fetch_all(_APPLIED), database.address):
            await _apply(queries, migration, database.dialect, now=now)


def load_migrations() -> list[Migration]:
    """The migrations of this program, by number."""
    return [
        Migration(number=int(path.name[:4]), name=path.stem, sql=path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    ]


def outstanding(known: Sequence[Migration], applied: Sequence[Row], address: str) -> list[Migration]:
    """Migrations still to be applied. Raises `ConfigurationError` if the database has others than this program."""
    by_number = {migration.number: migration for migration in known}
    for row in applied:
        migration = by_number.pop(row["number"], None)
        if migration is None:
            raise ConfigurationError(
                f"the database {address} was made by a newer Mulligan (it has {row['name']}): "
                "upgrade Mulligan, or use another database"
            )
        if migration.sha256 != row["sha256"]:
            raise ConfigurationError(
                f"the database {address} was made with another text of {row['name']} than this Mulligan has: "
                "install the Mulligan that made it, or use another database"
            )
    return list(by_number.values())


async def _apply(queries: Queries, migration: Migration, dialect: Dialect, *, now: float) -> None:
    for statement in _statements(migration.sql):
        only = re.search(r"^-- only: (\w+)$", statement, re.MULTILINE)
        if only is None or only[1] == dialect:
            await queries.execute(statement)
    await queries.execute(
        "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES (:number, :name, :sha256, :now)",
        number=migration.number,
        name=migration.name,
        sha256=migration.sha256,
        now=now,
    )


def _statements(sql: str) -> list[str]:
    """A statement ends with a semicolon at the end of a line."""
    return [statement for statement in re.split(r";[ \t]*(?:\n|$)", sql) if statement.strip()]


_APPLIED = "SELECT number, name, sha256 FROM schema_migrations ORDER BY number"

_CREATE_TABLE = """
    CREATE TABLE IF NOT EXISTS schema_migrations (
        number BIGINT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        applied_at DOUBLE PRECISION NOT NULL
    )
"""
