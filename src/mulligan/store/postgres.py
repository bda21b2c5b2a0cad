"""PostgreSQL: a small pool of connections."""

import re
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg  # pyright: ignore[reportMissingTypeStubs]  # it ships none

from mulligan.store.database import (
    Database,
    Dialect,
    Queries,
    Row,
    StoreSize,
    StoreUnreachable,
    TableMissing,
    Value,
)
from mulligan.types.errors import ConfigurationError, StoreError

SCHEMA_LOCK = 0x6D756C6C6967616E
"""The advisory lock of a schema change: "mulligan" in ASCII."""

CONNECT_TIMEOUT = 10.0
STATEMENT_TIMEOUT = 60.0


async def open_postgres(url: str) -> "PostgresDatabase":
    """Connect to the server that the URL names."""
    address = address_of(url)
    with _translated(address):
        pool = await asyncpg.create_pool(  # pyright: ignore[reportUnknownMemberType]  # it ships no types
            url, min_size=1, max_size=4, timeout=CONNECT_TIMEOUT, command_timeout=STATEMENT_TIMEOUT
        )
    return PostgresDatabase(pool, address)


def address_of(url: str) -> str:
    """Host and database name of a URL, to show to the user.

    A password with a bare `#`, `/` or `?` would be mistaken for a host or a database; such a URL is refused.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ConfigurationError(_UNREADABLE_URL) from None
    hosts = parts.netloc.rpartition("@")[2]
    if parts.fragment or "@" in parts.path + parts.query or not re.fullmatch(_HOSTS, hosts):
        raise ConfigurationError(_UNREADABLE_URL)
    hosts = hosts or parse_qs(parts.query).get("host", ["localhost"])[0]
    return f"{hosts}/{parts.path.strip('/')}".rstrip("/")


_HOSTS = r"(?:(?:\[[^\]@]*\]|[^:,@\[\]]*)(?::\d+)?(?:,|$))*"

_UNREADABLE_URL = (
    "the database URL can't be read; it should look like postgresql://user:password@host:5432/name, with special "
    "characters of the password percent-encoded (# as %23, / as %2F, ? as %3F, @ as %40)"
)


class PostgresQueries(Queries):
    """Statements on one connection, or each on any connection of a pool."""

    def __init__(self, connection: Any, address: str) -> None:
        self._connection = connection
        self._address = address

    async def execute(self, sql: str, /, **values: Value) -> None:
        statement, names = numbered(sql)
        with _translated(self._address):
            await self._connection.execute(statement, *(values[name] for name in names))

    async def fetch_all(self, sql: str, /, **values: Value) -> Sequence[Row]:
        statement, names = numbered(sql)
        with _translated(self._address):
            return await self._connection.fetch(statement, *(values[name] for name in names))


class PostgresDatabase(PostgresQueries, Database):
    dialect: Dialect = "postgresql"

    def __init__(self, pool: Any, address: str) -> None:
        super().__init__(pool, address)
        self._pool = pool

    @property
    def address(self) -> str:
        return self._address

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Queries]:
        with _translated(self._address):
            async with self._pool.acquire(timeout=CONNECT_TIMEOUT) as connection, connection.transaction():
                yield PostgresQueries(connection, self._address)

    @asynccontextmanager
    async def schema_change(self) -> AsyncGenerator[Queries]:
        async with self.transaction() as queries:
            await queries.execute("SELECT pg_advisory_xact_lock(:key)", key=SCHEMA_LOCK)
            yield queries

    async def size(self) -> StoreSize:
        row = await self.fetch_one("SELECT pg_database_size(current_database()) AS whole")
        return StoreSize(int(row["whole"]) if row else 0, 0)

    async def compact(self) -> None:
        """PostgreSQL does it by itself."""

    async def close(self) -> None:
        with _translated(self._address):
            await self._pool.close()


@cache
def numbered(sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement with `$1`, `$2`, … in place of its `:name`s, and the names in that order."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return re.sub(r"(?<![:\w]):([a-z_][a-z0-9_]*)", number, sql), tuple(names)


ADVICE = {
    "28": "it refused the user or the password: check them in the database URL",
    "3D000": "there is no such database: create it first, with createdb",
    "42501": "the user lacks the right: grant it, or use another user",
    "25006": "it is read-only: use the address of the primary server",
    "53100": "its disk is full: free some space and try again",
    "53300": "it has too many connections: close some, or raise max_connections",
    "57P03": "it is starting or stopping: try again in a moment",
}
"""What to do, by SQLSTATE or its prefix."""

PASSING = ("08", "53300", "57P")
"""Prefixes of the SQLSTATEs of a server that may be available again in a moment."""


@contextmanager
def _translated(address: str) -> Generator[None]:
    try:
        yield
    except asyncpg.UndefinedTableError as error:
        raise TableMissing(f"the database {address} lacks a table: {error}") from error
    except asyncpg.PostgresError as error:
        state = str(getattr(error, "sqlstate", None) or "")
        advice = next((words for prefix, words in ADVICE.items() if state.startswith(prefix)), None)
        kind = StoreUnreachable if state.startswith(PASSING) else StoreError
        raise kind(f"the database {address} failed: {advice or 'it refused a statement'} ({error})") from error
    except asyncpg.InterfaceError as error:
        raise StoreUnreachable(f"the database {address} can't be used: {error}") from error
    except OSError as error:
        raise StoreUnreachable(
            f"the database {address} can't be reached: is the server running, and is the address right? "
            f"({str(error) or 'no answer in time'})"
        ) from error
