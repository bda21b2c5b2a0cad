"""Fixtures: a real PostgreSQL server, started once by each test process that asks for one and empty for each test.

To make the tables takes 150 ms of the processor, to delete what a test has put into them 5.

Another folder's conftest can use them: `from tests.store.postgres_server import postgres_server, postgres_url`.
"""

import itertools
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mulligan.store.database import Database, open_database
from mulligan.store.store import open_store

NUMBERS_FROM_ONE = """
    SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)
    FROM pg_sequences WHERE schemaname = :schema
"""


@dataclass(frozen=True)
class PostgresServer:
    socket_folder: Path
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    with_tables: list[str] = field(default_factory=list[str])
    """Schemas that a test has left, with all tables and nothing in them."""

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.socket_folder}"

    def url_of(self, schema: str) -> str:
        return f"{self.url('postgres')}&search_path={schema}"


@pytest.fixture(scope="session")
def postgres_server() -> Generator[PostgresServer]:
    with subprocess.Popen(
        [sys.executable, Path(__file__).with_name("postgres_keeper.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Ctrl-C must not reach the server before the tests are done with it.
        start_new_session=True,
    ) as keeper:
        assert keeper.stdout is not None
        socket_folder = keeper.stdout.readline().strip()
        assert socket_folder, "no PostgreSQL server: the captured output says why"
        yield PostgresServer(Path(socket_folder))
        # Leaving the block closes the pipe, which ends the server, and waits for that.
    assert keeper.returncode == 0


@pytest.fixture
async def postgres_url(postgres_server: PostgresServer) -> AsyncGenerator[str]:
    async with empty_database(postgres_server) as url:
        yield url


@pytest.fixture
async def migrated_url(postgres_server: PostgresServer) -> AsyncGenerator[str]:
    async with migrated_database(postgres_server) as url:
        yield url


@asynccontextmanager
async def empty_database(postgres_server: PostgresServer) -> AsyncGenerator[str]:
    """The URL of a database with nothing in it: a schema of its own, made in 1 ms where a database takes 100."""
    schema = f"test_{next(postgres_server.numbers)}"
    async with _administrator(postgres_server) as server:
        await server.execute(f"CREATE SCHEMA {schema}")
        yield postgres_server.url_of(schema)
        await server.execute(f"DROP SCHEMA {schema} CASCADE")


@asynccontextmanager
async def migrated_database(postgres_server: PostgresServer) -> AsyncGenerator[str]:
    """The same as the store would make it, for what opens a store before it does anything else."""
    async with _administrator(postgres_server) as server:
        if postgres_server.with_tables:
            schema = postgres_server.with_tables.pop()
        else:
            schema = f"test_{next(postgres_server.numbers)}"
            await server.execute(f"CREATE SCHEMA {schema}")
            await (await open_store(postgres_server.url_of(schema))).close()
        yield postgres_server.url_of(schema)
        await _delete_all(server, schema)
        postgres_server.with_tables.append(schema)


@asynccontextmanager
async def _administrator(postgres_server: PostgresServer) -> AsyncGenerator[Database]:
    server = await open_database(postgres_server.url("postgres"))
    yield server
    await server.close()


async def _delete_all(server: Database, schema: str) -> None:
    named = await server.fetch_all("SELECT tablename FROM pg_tables WHERE schemaname = :schema", schema=schema)
    names = {row["tablename"] for row in named} - {"schema_migrations"}
    async with server.transaction() as queries:
        # Else each row is looked for in all tables that refer to its own.
        await queries.execute("SET LOCAL session_replication_role = replica")
        for name in names:
            await queries.execute(f"DELETE FROM {schema}.{name}")  # noqa: S608  our own names
        await queries.fetch_all(NUMBERS_FROM_ONE, schema=schema)
