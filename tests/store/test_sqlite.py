"""The SQLite file: how it is opened, and who may write to it when."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mulligan.store.database import Database, open_database
from mulligan.types.errors import StoreError

CREATE = "CREATE TABLE t (a TEXT)"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    database = await open_database(tmp_path / "mulligan.db")
    await database.execute(CREATE)
    yield database
    await database.close()


async def contents(database: Database) -> list[str]:
    return [row["a"] for row in await database.fetch_all("SELECT a FROM t ORDER BY a")]


async def test_a_sqlite_database_waits_for_other_writers_and_keeps_what_was_written(database: Database) -> None:
    wanted = {
        "busy_timeout": ("timeout", 15_000),
        "journal_mode": ("journal_mode", "wal"),
        "foreign_keys": ("foreign_keys", 1),
        "synchronous": ("synchronous", 1),
    }
    for pragma, (column, value) in wanted.items():
        row = await database.fetch_one(f"PRAGMA {pragma}")
        assert row is not None
        assert row[column] == value


async def test_what_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    database = await open_database(tmp_path / "home" / "mulligan.db")
    await database.execute(CREATE)
    await database.close()
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "home" / "mulligan.db").stat().st_mode & 0o777 == 0o600


async def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o755)
    await (await open_database(tmp_path / "home" / "mulligan.db")).close()
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o755


async def test_opening_waits_for_another_process_that_is_making_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mulligan.db"
    maker = sqlite3.connect(path, isolation_level=None)
    maker.execute(CREATE)
    maker.execute("BEGIN IMMEDIATE")
    opening = asyncio.create_task(open_database(path))
    done, _ = await asyncio.wait({opening}, timeout=0.1)
    assert not done
    maker.execute("ROLLBACK")
    maker.close()
    await (await opening).close()


async def test_a_transaction_keeps_other_writers_out_from_its_beginning(database: Database, tmp_path: Path) -> None:
    other = await open_database(tmp_path / "mulligan.db")
    await other.execute("PRAGMA busy_timeout = 0")
    async with database.transaction() as queries:
        await queries.fetch_all("SELECT a FROM t")
        with pytest.raises(StoreError, match="kept it locked"):
            await other.execute("INSERT INTO t VALUES ('other')")
        await queries.execute("INSERT INTO t VALUES ('own')")
    assert await contents(other) == ["own"]
    await other.close()


async def test_readers_do_not_wait_for_a_writer(database: Database, tmp_path: Path) -> None:
    other = await open_database(tmp_path / "mulligan.db")
    async with database.transaction() as queries:
        await queries.execute("INSERT INTO t VALUES ('not yet')")
        assert await contents(other) == []
    await other.close()


async def test_a_lone_statement_waits_for_the_transaction_of_another_task(database: Database) -> None:
    lone: list[asyncio.Task[list[str]]] = []

    async def write_alone() -> list[str]:
        await database.execute("INSERT INTO t VALUES ('alone')")
        return await contents(database)

    async def write_and_fail() -> None:
        async with database.transaction() as queries:
            await queries.execute("INSERT INTO t VALUES ('undone')")
            lone.extend([asyncio.create_task(contents(database)), asyncio.create_task(write_alone())])
            await queries.execute("SELECT 1")  # while this runs, the two begin
            await queries.execute("INSERT INTO nonesuch VALUES ('fails')")

    with pytest.raises(StoreError, match="nonesuch"):
        await write_and_fail()
    assert await asyncio.gather(*lone) == [[], ["alone"]]
