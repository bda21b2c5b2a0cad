"""The store: everything that is kept, behind the ports `Store` and `ChangeStore`. Each method is one transaction."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mulligan.ports import Swept
from mulligan.store import changes, chats, messages, replies, sweeper
from mulligan.store.database import Database, open_database
from mulligan.store.migrate import load_migrations, migrate
from mulligan.store.owner import this_process
from mulligan.types.changes import ChangeStatus, FileImage, FileWrite, PendingChange
from mulligan.types.messages import Chat, Message, Metadata, Part, Role, Status, TurnMeta, UserMeta


async def open_store(address: Path | str, *, clock: Callable[[], float] = time.time) -> "SqlStore":
    """Open, and make or bring up to date, a SQLite file (a path) or a PostgreSQL database (a URL).

    Raises `StoreError` if it fails, `ConfigurationError` if this program is not the one for it.
    """
    database = await open_database(address)
    try:
        await migrate(database, load_migrations(), now=clock())
    except BaseException:
        await database.close()
        raise
    return SqlStore(database, clock=clock)


class SqlStore:
    """The `Store` and the `ChangeStore` of this process. `clock` gives the seconds since the epoch."""

    def __init__(self, database: Database, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._owner = this_process()

    async def create_chat(self, *, project: str, agent: str, title: str) -> Chat:
        return await chats.create(self._database, project=project, agent=agent, title=title, now=self._clock())

    async def find_chat(self, prefix: str) -> Chat:
        return await chats.find(self._database, prefix)

    async def list_chats(self, *, project: str | None = None) -> list[Chat]:
        return await chats.list_all(self._database, project=project)

    async def set_agent(self, chat_id: str, agent: str) -> None:
        await chats.set_agent(self._database, chat_id, agent)

    async def messages(self, chat_id: str) -> list[Message]:
        return await messages.of_chat(self._database, chat_id)

    async def add_message(
        self,
        chat_id: str,
        *,
        role: Role,
        metadata: Metadata,
        parts: Sequence[Part] = (),
        step: int | None = None,
    ) -> Message:
        async with self._database.transaction() as queries:
            return await messages.append(
                queries,
                chat_id,
                role=role,
                status="complete",
                metadata=metadata,
                parts=parts,
                step=step,
                now=self._clock(),
            )

    async def open_turn(self, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta) -> Message:
        async with self._database.transaction() as queries:
            return await replies.open_turn(queries, chat_id, prompt, user, turn, owner=self._owner, now=self._clock())

    async def save_parts(self, message_id: str, first: int, parts: Sequence[Part]) -> None:
        async with self._database.transaction() as queries:
            await replies.save_parts(queries, message_id, first, parts, now=self._clock())

    async def beat(self, message_id: str) -> None:
        await replies.beat(self._database, message_id, now=self._clock())

    async def close_reply(self, message_id: str, status: Status, metadata: TurnMeta) -> None:
        await replies.close_reply(self._database, message_id, status, metadata)

    async def sweep(self) -> list[Swept]:
        return await sweeper.sweep(self._database, host=self._owner.host, now=self._clock())

    async def add_change(
        self,
        *,
        project: str,
        path: str,
        before: FileImage | None,
        after: FileImage | None,
        chat_id: str | None = None,
        message_id: str | None = None,
    ) -> PendingChange:
        async with self._database.transaction() as queries:
            return await changes.add(
                queries,
                project=project,
                path=path,
                before=before,
                after=after,
                chat_id=chat_id,
                message_id=message_id,
                now=self._clock(),
            )

    async def find_change(self, project: str, prefix: str) -> PendingChange:
        return await changes.find(self._database, project, prefix)

    async def changes(
        self, project: str, *, statuses: Sequence[ChangeStatus] = (), chat_id: str | None = None
    ) -> list[PendingChange]:
        return await changes.of_project(self._database, project, statuses=statuses, chat_id=chat_id)

    async def set_change_status(self, change_id: str, status: ChangeStatus, *, expected: ChangeStatus) -> bool:
        return await changes.set_status(self._database, change_id, status, expected=expected, now=self._clock())

    async def begin_write(self, change_id: str, write: FileWrite, *, expected: ChangeStatus) -> bool:
        return await changes.begin_write(
            self._database, change_id, write, expected=expected, owner=self._owner, now=self._clock()
        )

    async def end_write(self, change_id: str, status: ChangeStatus) -> None:
        async with self._database.transaction() as queries:
            await changes.end_write(queries, change_id, status, owner=self._owner, now=self._clock())

    async def left_writes(self, project: str) -> list[PendingChange]:
        return await changes.left_writes(self._database, project, host=self._owner.host, now=self._clock())

    async def close(self) -> None:
        await self._database.close()
