"""Stores an index between runs, in one SQLite file per project. A damaged file is replaced by a new one."""

import contextlib
import fcntl
import hashlib
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

from mulligan.syntax.registry import grammars

VERSION = 6
"""Version of the tables and of what is read from files. A cache with another version or other grammars is discarded."""
LOCK_SECONDS = 10.0
"""Seconds to wait for another process that writes."""
PAGES_KB = 8_000
"""How much of the file SQLite keeps in memory."""
CHECKPOINT_PAGES = 8_000
"""Pages in the write-ahead log before a checkpoint: few enough to keep the file small, and enough that the first scan
of a large project does not wait for the disk."""

_TABLES = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
    ctime INTEGER NOT NULL, hash TEXT NOT NULL, grammar TEXT, language TEXT, lines INTEGER NOT NULL, doc TEXT NOT NULL,
    skipped TEXT
);
CREATE TABLE texts (
    file INTEGER PRIMARY KEY, imports TEXT NOT NULL, names TEXT NOT NULL
);
CREATE TABLE symbols (
    file INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL,
    parent TEXT NOT NULL, is_declaration INTEGER NOT NULL, PRIMARY KEY (file, place)
) WITHOUT ROWID;
CREATE TABLE links (
    source INTEGER NOT NULL, target INTEGER NOT NULL, weight INTEGER NOT NULL,
    names TEXT NOT NULL, PRIMARY KEY (source, target)
) WITHOUT ROWID;
CREATE TABLE uses (
    target INTEGER NOT NULL, name TEXT NOT NULL, files INTEGER NOT NULL, PRIMARY KEY (target, name)
) WITHOUT ROWID;
CREATE INDEX uses_by_files ON uses (files);
CREATE TABLE externals (
    source INTEGER PRIMARY KEY, modules TEXT NOT NULL
);
CREATE TABLE relinked (file INTEGER PRIMARY KEY);
CREATE TABLE computed (name TEXT PRIMARY KEY, digest TEXT NOT NULL, body NOT NULL);
"""


class StaleIndex(Exception):
    """Another process has written another state of the project to the cache."""


class Cache:
    """One connection, used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, lock: Path | None = None) -> None:
        """`lock` is a file that the process reading the project locks; None if no other process can see the cache."""
        self.connection = connection
        self._lock = lock

    @contextmanager
    def only_reader(self) -> Generator[bool]:
        """Try to lock out other processes that read the project, and yield whether that worked. The lock ends with the
        process, however that ends."""
        if self._lock is None:
            yield True
            return
        with self._lock.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            except OSError:  # a file system without locks
                pass
            yield True

    @contextmanager
    def writing(self) -> Generator[None]:
        """One transaction: all or nothing, and no other process writes meanwhile."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return self.connection.execute(query, values).fetchall()

    def computed(self, name: str, digest: str) -> str | None:
        """The text stored under this name for exactly this state of the project."""
        found = self.connection.execute("SELECT body FROM computed WHERE name = ? AND digest = ?", (name, digest))
        row = found.fetchone()
        return row[0] if row else None

    def packed(self, names: Sequence[str], digest: str) -> dict[str, bytes]:
        """Like `computed`, for packed numbers under several names. Empty unless all of them are stored."""
        marks = ", ".join("?" * len(names))
        query = f"SELECT name, body FROM computed WHERE digest = ? AND name IN ({marks})"  # noqa: S608 - marks alone
        found: dict[str, bytes] = dict(self.connection.execute(query, (digest, *names)))
        return found if len(found) == len(names) else {}

    def others_wrote(self) -> int:
        """A number that changes when another connection has written."""
        return self.connection.execute("PRAGMA data_version").fetchone()[0]

    def keep(self, name: str, digest: str, body: str | bytes) -> None:
        self.connection.execute("INSERT OR REPLACE INTO computed VALUES (?, ?, ?)", (name, digest, body))

    def index_names(self) -> None:
        """Index the symbols by name. For all at once, that takes a tenth of the time it takes one by one."""
        self.connection.execute(
            "CREATE INDEX IF NOT EXISTS symbols_by_name ON symbols (name, kind, parent, is_declaration, line)"
        )

    def close(self) -> None:
        self.connection.close()


def open_cache(folder: Path, root: Path) -> Cache:
    """The project's cache, created again if it is missing, damaged or of another version.

    If no file can be created, the cache is in memory.
    """
    path = cache_file(folder, root)
    for _ in range(2):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return _open(str(path), path.with_suffix(".db-lock"))
        except (sqlite3.Error, OSError) as error:
            if is_busy(error):
                break
            discard(path)
    return in_memory()


def open_kept(folder: Path, root: Path) -> Cache | None:
    """The cache file that another connection is writing, for reading. None if there is no file."""
    path = cache_file(folder, root)
    try:
        return _open(str(path)) if path.exists() else None
    except (sqlite3.Error, OSError):
        return None


def in_memory() -> Cache:
    return _open(":memory:")


def cache_file(folder: Path, root: Path) -> Path:
    name = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return folder / f"{root.name or 'root'}-{name}.db"


def discard(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink()


def is_busy(error: Exception) -> bool:
    """Whether the error only means that another process has locked the database."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _open(name: str, lock: Path | None = None) -> Cache:
    connection = sqlite3.connect(name, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA cache_size=-{PAGES_KB}")
        connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        _ensure_tables(connection)
    except BaseException:
        connection.close()
        raise
    return Cache(connection, lock)


def _ensure_tables(connection: sqlite3.Connection) -> None:
    wanted = VERSION << 24 | crc32(" ".join(grammars()).encode()) & 0xFF_FFFF
    if _version(connection) == wanted:
        return
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have done it meanwhile.
    if (version := _version(connection)) != wanted:
        if version or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise sqlite3.DatabaseError("another version")
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={wanted}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]
