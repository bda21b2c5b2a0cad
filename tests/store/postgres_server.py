"""Fixtures: a real PostgreSQL server, started once by each test process that asks for one and empty for each test.

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

from mulligan.store.database import open_database


@dataclass(frozen=True)
class PostgresServer:
    socket_folder: Path
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.socket_folder}"


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


@asynccontextmanager
async def empty_database(postgres_server: PostgresServer) -> AsyncGenerator[str]:
    """The URL of a database with nothing in it: a schema of its own, made in 1 ms where a database takes 100."""
    schema = f"test_{next(postgres_server.numbers)}"
    server = await open_database(postgres_server.url("postgres"))
    await server.execute(f"CREATE SCHEMA {schema}")
    yield f"{postgres_server.url('postgres')}&search_path={schema}"
    await server.execute(f"DROP SCHEMA {schema} CASCADE")
    await server.close()
