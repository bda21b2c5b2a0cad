"""The little that is asked of a database. SQL is written once, with `:name` parameters, for SQLite and PostgreSQL."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol

from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.frozen import frozen

Value = str | int | float | None

Dialect = Literal["sqlite", "postgresql"]
"""Search has no common language: what differs is written once for each."""


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
    """Bytes on the disk."""

    whole: int
    unused: int
    """Left by what was deleted."""


class Row(Protocol):
    """A row whose values are read by column name."""

    def __getitem__(self, column: str, /) -> Any: ...


class Queries(Protocol):
    """Runs statements. Raises `StoreError`, with the database named and what to do about it."""

    async def fetch_all(self, sql: str, /, **values: Value) -> Sequence[Row]: ...

    async def fetch_one(self, sql: str, /, **values: Value) -> Row | None:
        rows = await self.fetch_all(sql, **values)
        return rows[0] if rows else None

    async def execute(self, sql: str, /, **values: Value) -> None:
        await self.fetch_all(sql, **values)


class Database(Queries, Protocol):
    """Outside `transaction` every statement stands alone."""

    dialect: Dialect

    @property
    def address(self) -> str:
        """Where it is, in words for the user: the file, or host and name. Never a password."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Queries]:
        """All of it happens or, if the block raises, none."""
        ...

    def schema_change(self) -> AbstractAsyncContextManager[Queries]:
        """A transaction that waits until no other process is in one of this sort."""
        ...

    async def size(self) -> StoreSize: ...

    async def compact(self) -> None:
        """Give the unused part back to the disk."""
        ...

    async def close(self) -> None: ...


class TableMissing(StoreError):
    """A statement named a table that does not exist: nothing was migrated yet."""


class StoreUnreachable(StoreError):
    """The database is not there now: it may be restarting. Worth another try."""
