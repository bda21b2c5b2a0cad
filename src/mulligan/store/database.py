"""The database interface. SQL is written once, with `:name` parameters, for SQLite and PostgreSQL."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol

from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.frozen import frozen

Value = str | int | float | None

Dialect = Literal["sqlite", "postgresql"]
"""Only search needs different SQL for each."""


async def open_database(address: Path | str) -> "Database":
    """A SQLite file if the address is a path, else the PostgreSQL server that the URL names."""
    url = address if isinstance(address, str) else ""
    if url.startswith(("postgresql://", "postgres://")):
        from mulligan.store.postgres import open_postgres

        return await open_postgres(url)
    if "://" in url:
        raise ConfigurationError("the database URL must begin with postgresql://; for SQLite, leave it out")

    from mulligan.store.sqlite import open_sqlite

    return await open_sqlite(Path(address))


@frozen
class StoreSize:
    """Bytes on disk."""

    whole: int
    unused: int
    """Free space left by deletions."""


class Row(Protocol):
    """A row whose values are read by column name."""

    def __getitem__(self, column: str, /) -> Any: ...


class Queries(Protocol):
    """Runs statements. Raises `StoreError`, which names the database and says what to do."""

    async def fetch_all(self, sql: str, /, **values: Value) -> Sequence[Row]: ...

    async def fetch_one(self, sql: str, /, **values: Value) -> Row | None:
        rows = await self.fetch_all(sql, **values)
        return rows[0] if rows else None

    async def execute(self, sql: str, /, **values: Value) -> None:
        await self.fetch_all(sql, **values)


class Database(Queries, Protocol):
    """Outside of `transaction`, every statement is its own transaction."""

    dialect: Dialect

    @property
    def address(self) -> str:
        """Its location, to show to the user: the file, or host and name. Never contains a password."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Queries]:
        """Commits when the block ends, rolls back if it raises."""
        ...

    def schema_change(self) -> AbstractAsyncContextManager[Queries]:
        """A transaction during which no other process is in a schema change."""
        ...

    async def size(self) -> StoreSize: ...

    async def compact(self) -> None:
        """Return unused space to the disk."""
        ...

    async def close(self) -> None: ...


class TableMissing(StoreError):
    """A statement named a table that does not exist: nothing was migrated yet."""


class StoreUnreachable(StoreError):
    """The database can't be reached now: it may be restarting. Worth another try."""
