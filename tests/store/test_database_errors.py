"""A database that fails says which one it is, what is wrong and what to do."""

import sqlite3
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mulligan.store.database import Database, open_database
from mulligan.store.postgres import address_of, numbered
from mulligan.store.store import open_store
from mulligan.types.errors import ConfigurationError, StoreError
from tests.store.postgres_server import PostgresServer

CREATE = "CREATE TABLE t (a TEXT)"


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncGenerator[Database]:
    database = await open_database(tmp_path / "mulligan.db")
    await database.execute(CREATE)
    yield database
    await database.close()


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "mulligan.db"
    path.write_text("Dear diary, " * 100)
    with pytest.raises(StoreError, match=rf"{path} failed: it is not a SQLite database: move it away"):
        await open_store(path)
    assert path.read_text().startswith("Dear diary")


async def test_a_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "mulligan.db"
    store = await open_store(path)
    await store.chats.create(project="/p", agent="default", title="t")
    await store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError, match=rf"{path} failed: it is damaged: restore a copy"):
        await open_store(path)


async def test_a_path_that_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=rf"{tmp_path} failed: it can't be opened: check that it is a file"):
        await open_store(tmp_path)


async def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match=r"mulligan.db can't be made: .*; check the folder, or set MULLIGAN_HOME"):
        await open_store(tmp_path / "home" / "deeper" / "mulligan.db")


async def test_a_database_that_can_not_be_written(sqlite: Database) -> None:
    await sqlite.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="it can't be written: check the permissions"):
        await sqlite.execute("INSERT INTO t VALUES ('a')")


async def test_a_full_disk(sqlite: Database) -> None:
    await sqlite.execute("PRAGMA max_page_count = 3")
    with pytest.raises(StoreError, match="the disk is full: free some space"):
        await sqlite.execute("INSERT INTO t VALUES (:a)", a="a" * 100_000)
    assert await sqlite.fetch_all("SELECT a FROM t") == []


async def test_a_database_that_another_process_keeps_locked(sqlite: Database, tmp_path: Path) -> None:
    await sqlite.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(tmp_path / "mulligan.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process kept it locked: wait for that one, or stop it"):
        async with sqlite.transaction():
            pytest.fail("the transaction began")
    other.execute("ROLLBACK")
    other.close()
    async with sqlite.transaction() as queries:
        await queries.execute("INSERT INTO t VALUES ('a')")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        pytest.param("postgresql://ada:geheim@127.0.0.1:1/m", "127.0.0.1:1/m can't be reached: is the", id="no server"),
        pytest.param("postgresql://ada:geheim@/m?host=/nowhere", "/nowhere/m can't be reached", id="no socket"),
    ],
)
async def test_a_server_that_is_not_there(address: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as raised:
        await open_store(address)
    assert "geheim" not in str(raised.value)


async def test_a_wrong_password(postgres_server: PostgresServer, postgres_url: str) -> None:
    admin = await open_database(postgres_url)
    await admin.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    with pytest.raises(StoreError, match="it refused the user or the password: check them") as raised:
        await open_store(postgres_server.url("postgres", user="guarded:geheim"))
    assert "geheim" not in str(raised.value)
    await admin.execute("DROP ROLE guarded")
    await admin.close()


async def test_a_postgres_database_that_was_not_created(postgres_server: PostgresServer) -> None:
    with pytest.raises(StoreError, match="/nonesuch failed: there is no such database: create it first"):
        await open_store(postgres_server.url("nonesuch"))


async def test_a_read_only_server(postgres_url: str) -> None:
    with pytest.raises(StoreError, match="it is read-only: use the address of the primary"):
        await open_store(f"{postgres_url}&default_transaction_read_only=on")


async def test_a_user_without_rights(postgres_url: str) -> None:
    admin = await open_database(postgres_url)
    await admin.execute("CREATE ROLE guest LOGIN")
    await admin.execute(f"GRANT USAGE ON SCHEMA {postgres_url.rpartition('=')[2]} TO guest")
    with pytest.raises(StoreError, match="the user lacks the right: grant it"):
        await open_store(postgres_url.replace("postgres@", "guest@"))
    await admin.execute("DROP OWNED BY guest")
    await admin.execute("DROP ROLE guest")
    await admin.close()


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("postgresql://ada:gehe#im@host/m", id="a bare # in the password"),
        pytest.param("postgresql://ada:1234#5@host/m", id="digits before a bare #"),
        pytest.param("postgresql://ada:gehe/im@host/m", id="a bare / in the password"),
        pytest.param("postgresql://ada:gehe?im@host/m", id="a bare ? in the password"),
        pytest.param("postgresql://ada:gehe[im@host/m", id="a bare [ in the password"),
        pytest.param("postgresql://host:geheim/m", id="a port that is no number"),
    ],
)
async def test_a_url_that_could_show_a_password_is_refused_unseen(url: str) -> None:
    with pytest.raises(ConfigurationError, match="percent-encoded") as raised:
        await open_store(url)
    assert not any(piece in str(raised.value) for piece in ("gehe", "1234", "ada"))
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    ("url", "place"),
    [
        pytest.param("postgresql://ada:geheim@db.example:5433/mulligan", "db.example:5433/mulligan", id="all of it"),
        pytest.param("postgres://db.example/mulligan", "db.example/mulligan", id="no user, no port"),
        pytest.param("postgresql:///mulligan", "localhost/mulligan", id="no host"),
        pytest.param("postgresql://u@/m?host=/run/pg&password=geheim", "/run/pg/m", id="a socket's folder"),
        pytest.param("postgresql://u:a%40b@[::1]:5432/m", "[::1]:5432/m", id="IPv6"),
        pytest.param("postgresql://u:p@a:1,b:2/m", "a:1,b:2/m", id="two hosts"),
        pytest.param("postgresql://u:p@q@host/m", "host/m", id="a bare @ in the password"),
        pytest.param("postgresql://host", "host", id="no database"),
    ],
)
def test_a_postgres_database_is_named_without_user_and_password(url: str, place: str) -> None:
    assert address_of(url) == place


@pytest.mark.parametrize("url", ["mysql://host/m", "sqlite:///m.db", "https://host/m"])
async def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="must begin with postgresql://"):
        await open_store(url)


@pytest.mark.parametrize(
    ("sql", "statement", "names"),
    [
        pytest.param("SELECT 1", "SELECT 1", (), id="no names"),
        pytest.param("a = :a AND b=:b", "a = $1 AND b=$2", ("a", "b"), id="each name a number"),
        pytest.param("(:b, :a, :b)", "($1, $2, $1)", ("b", "a"), id="the same name twice"),
        pytest.param(":now::text, :sha256", "$1::text, $2", ("now", "sha256"), id="a cast is no name"),
    ],
)
def test_names_become_numbers_for_postgres(sql: str, statement: str, names: tuple[str, ...]) -> None:
    assert numbered(sql) == (statement, names)
