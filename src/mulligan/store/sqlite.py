"""SQLite: one connection in WAL mode, one transaction at a time."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import aiosqlite

from mulligan.store.database import Database, Dialect, Queries, Row, StoreSize, TableMissing, Value
from mulligan.types.errors import StoreError

BUSY_TIMEOUT = 15.0
"""Seconds to wait while another process writes."""


async def open_sqlite(path: Path) -> "SqliteDatabase":
    """Open the file. It and its folder are created if they are missing."""
    with _translated(str(path)):
        # Not by aiosqlite: if it fails to connect, it leaves a thread that dies noisily.
        made = await asyncio.to_thread(_connect, path)
        connection = aiosqlite.Connection(lambda: made, iter_chunk_size=64)
        # A command that dies without closing its store must end, not wait for this thread forever.
        connection._thread.daemon = True  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]  # there is no other way
        await connection
    return SqliteDatabase(connection, str(path))


class SqliteQueries(Queries):
    """Statements on the connection, within its current transaction."""

    def __init__(self, connection: aiosqlite.Connection, address: str) -> None:
        self._connection = connection
        self._address = address

    async def fetch_all(self, sql: str, /, **values: Value) -> Sequence[Row]:
        with _translated(self._address):
            return list(await self._connection.execute_fetchall(sql, values))


class SqliteDatabase(Database):
    """The lock keeps single statements out of a transaction that another task has open on the only connection."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: aiosqlite.Connection, address: str) -> None:
        self._connection = connection
        self._queries = SqliteQueries(connection, address)
        self._lock = asyncio.Lock()
        self._address = address

    @property
    def address(self) -> str:
        return self._address

    async def fetch_all(self, sql: str, /, **values: Value) -> Sequence[Row]:
        async with self._lock:
            return await self._queries.fetch_all(sql, **values)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Queries]:
        async with self._lock:
            try:
                # IMMEDIATE: a transaction that reads first and writes later could not wait for another writer.
                await self._queries.execute("BEGIN IMMEDIATE")
                yield self._queries
                with _translated(self._address):
                    await self._connection.commit()
            except BaseException:
                # Statements run in the order they were queued, so this holds for a cancelled one too, which still
                # runs in its thread. Without an open transaction it does nothing.
                with _translated(self._address):
                    await self._connection.rollback()
                raise

    def schema_change(self) -> AbstractAsyncContextManager[Queries]:
        return self.transaction()

    async def size(self) -> StoreSize:
        pages: dict[str, int] = {}
        for name in ("page_size", "page_count", "freelist_count"):
            row = await self.fetch_one(f"PRAGMA {name}")
            pages[name] = int(row[name]) if row else 0
        return StoreSize(pages["page_size"] * pages["page_count"], pages["page_size"] * pages["freelist_count"])

    async def compact(self) -> None:
        await self.execute("VACUUM")
        await self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def close(self) -> None:
        async with self._lock:
            with _translated(self._address):
                await self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    _make_private(path)
    # No implicit transactions. The connection is handed over to the one thread that uses it from then on.
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        _switch_to_wal(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Chats contain the user's code: only the user can read files that are created here."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Two processes that switch a new file at the same time get "locked" immediately: SQLite does not wait then."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


ADVICE = {
    "SQLITE_FULL": "the disk is full: free some space and try again",
    "SQLITE_READONLY": "it can't be written: check the permissions of the file and its folder",
    "SQLITE_BUSY": "another process kept it locked: wait for that one, or stop it",
    "SQLITE_LOCKED": "another process kept it locked: wait for that one, or stop it",
    "SQLITE_NOTADB": "it is not a SQLite database: move it away, or set MULLIGAN_HOME to another folder",
    "SQLITE_CORRUPT": "it is damaged: restore a copy, or move it away to start afresh",
    "SQLITE_CANTOPEN": "it can't be opened: check that it is a file and that its folder can be written",
    "SQLITE_IOERR": "the disk failed to read or write it: check the disk and the space left on it",
    "SQLITE_PERM": "it can't be used: check the permissions of the file and its folder",
}


@contextmanager
def _translated(address: str) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if "no such table" in str(error):
            raise TableMissing(f"the database {address} lacks a table: {error}") from error
        # The name may be an extended one: SQLITE_IOERR_WRITE.
        name = str(getattr(error, "sqlite_errorname", ""))
        advice = next((words for prefix, words in ADVICE.items() if name.startswith(prefix)), None)
        raise StoreError(f"the database {address} failed: {advice or 'it refused a statement'} ({error})") from error
    except OSError as error:
        raise StoreError(
            f"the database {address} can't be made: {error.strerror}; check the folder, or set MULLIGAN_HOME to another"
        ) from error
