"""The store: a repository for each kind of thing, on one database."""

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.store.changes import SqlChangeRepository
from mulligan.store.chat_copies import SqlChatCopyRepository
from mulligan.store.chats import SqlChatRepository
from mulligan.store.checkpoints import SqlCheckpointRepository
from mulligan.store.database import Database, StoreSize, open_database
from mulligan.store.images import SqlImageRepository
from mulligan.store.messages import SqlMessageRepository
from mulligan.store.migrate import load_migrations, migrate
from mulligan.store.process_owner import this_process
from mulligan.store.queued import SqlQueueRepository
from mulligan.store.restores import SqlRestoreRepository
from mulligan.store.runs import SqlRunRepository
from mulligan.store.sessions import SqlSessionRepository
from mulligan.store.worktrees import SqlWorkTreeRepository

if TYPE_CHECKING:
    from mulligan.store.search import SqlSearchRepository


async def open_store(address: Path | str, *, clock: Callable[[], float] = time.time) -> "SqlStore":
    """Open a SQLite file (a path) or a PostgreSQL database (a URL); create or migrate it if necessary.

    Raises `StoreError` if it fails, `ConfigurationError` if the database needs another version of Mulligan.
    """
    database = await open_database(address)
    try:
        await migrate(database, load_migrations(), now=clock())
    except BaseException:
        await database.close()
        raise
    return SqlStore(database, clock=clock)


class SqlStore:
    """All repositories. `clock` returns the seconds since the epoch."""

    def __init__(self, database: Database, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._owner = owner = this_process()
        self.chats = SqlChatRepository(database, owner, clock)
        self.copies = SqlChatCopyRepository(database, owner, clock)
        self.queued = SqlQueueRepository(database, owner, clock)
        self.messages = SqlMessageRepository(database, owner, clock)
        self.images = SqlImageRepository(database, owner, clock)
        self.changes = SqlChangeRepository(database, owner, clock)
        self.checkpoints = SqlCheckpointRepository(database, owner, clock)
        self.restores = SqlRestoreRepository(database, owner, clock)
        self.sessions = SqlSessionRepository(database, owner, clock)
        self.worktrees = SqlWorkTreeRepository(database, owner, clock)
        self.runs = SqlRunRepository(database, owner, clock)

    @cached_property
    def search(self) -> "SqlSearchRepository":
        """Loaded late: no turn searches, and splitting words takes a while to import."""
        from mulligan.store.search import SqlSearchRepository

        return SqlSearchRepository(self._database, self._owner, self._clock)

    async def size(self) -> StoreSize:
        """Size of the database."""
        return await self._database.size()

    async def compact(self) -> None:
        """Return unused space to the disk. Other processes wait meanwhile."""
        await self._database.compact()

    async def close(self) -> None:
        await self._database.close()
