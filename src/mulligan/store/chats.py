"""Chats: listing, renaming, pinning and deleting them, and the counter that numbers each chat's messages."""

from mulligan.store.database import Queries, Value
from mulligan.store.ids import new_id
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import find_by_prefix, insert, read_row
from mulligan.store.serialization import storable
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat

KEPT_DELETED = 7 * 24 * 3600
"""Seconds for which a deleted chat can be restored."""


class SqlChatRepository(SqlRepository):
    async def create(
        self, *, project: str, agent: str, title: str, run_id: str | None = None, chat_id: str | None = None
    ) -> Chat:
        """`chat_id` is given if the id was announced before the chat is stored."""
        now = self._clock()
        chat = Chat(
            id=chat_id or new_id(),
            project=storable(project),
            title=storable(title),
            agent=storable(agent),
            created_at=now,
            updated_at=now,
            run_id=run_id,
        )
        await insert(self._database, "chats", next_seq=1, **chat.model_dump())
        return chat

    async def find(self, prefix: str) -> Chat:
        """The chat whose id starts with the prefix. Raises `ConfigurationError` for none or several."""
        where = ": `mulligan chats` lists them"
        row = await find_by_prefix(self._database, "chats", prefix, what="chat", where=where, only="deleted_at IS NULL")
        return read_row(Chat, row)

    async def set_agent(self, chat_id: str, agent: str) -> None:
        await self._set(chat_id, "agent", storable(agent))

    async def rename(self, chat_id: str, title: str) -> None:
        await self._set(chat_id, "title", storable(title))

    async def pin(self, chat_id: str, *, pinned: bool) -> None:
        await self._set(chat_id, "pinned_at", self._clock() if pinned else None)

    async def delete(self, chat_id: str) -> None:
        """Hide it. Everything stays until it is purged, so that `restore_deleted` can restore it."""
        await self._set(chat_id, "deleted_at", self._clock())

    async def restore_deleted(self, chat_id: str) -> Chat:
        """Raises `ConfigurationError` if it was not deleted or is already purged."""
        row = await self._database.fetch_one(
            "UPDATE chats SET deleted_at = NULL WHERE id = :chat_id AND deleted_at IS NOT NULL RETURNING *",
            chat_id=chat_id,
        )
        if row is None:
            raise ConfigurationError(f"there is no deleted chat {chat_id!r}: it was restored or purged")
        return read_row(Chat, row)

    async def purge(self) -> int:
        """Delete permanently what was hidden long enough ago. Pending changes stay, without a chat."""
        rows = await self._database.fetch_all(
            "DELETE FROM chats WHERE deleted_at < :before RETURNING id", before=self._clock() - KEPT_DELETED
        )
        return len(rows)

    async def list(self, *, project: str | None = None, deleted: bool = False) -> list[Chat]:
        """The most recently used first; or the deleted ones, the last deleted first."""
        which, order = ("IS NOT NULL", "deleted_at") if deleted else ("IS NULL", "updated_at")
        of_project = "" if project is None else " AND project = :project"
        rows = await self._database.fetch_all(
            f"SELECT * FROM chats WHERE deleted_at {which}{of_project} ORDER BY {order} DESC, id",  # noqa: S608 - our own words
            **({} if project is None else {"project": storable(project)}),
        )
        return [read_row(Chat, row) for row in rows]

    async def _set(self, chat_id: str, column: str, value: Value) -> None:
        changed = await self._database.fetch_one(
            f"UPDATE chats SET {column} = :value WHERE id = :chat_id AND deleted_at IS NULL RETURNING id",  # noqa: S608 - our own names
            chat_id=chat_id,
            value=value,
        )
        if changed is None:
            raise no_such_chat(chat_id)


async def lock_chat(queries: Queries, chat_id: str) -> bool:
    """Until the transaction ends, no other process adds to the chat. False if there is no such chat."""
    row = await queries.fetch_one(
        "UPDATE chats SET next_seq = next_seq WHERE id = :chat_id RETURNING id", chat_id=chat_id
    )
    return row is not None


async def next_message_seq(queries: Queries, chat_id: str, *, now: float) -> int:
    """The number of the next message. The chat stays locked until the transaction ends, so there are no gaps."""
    row = await queries.fetch_one(
        "UPDATE chats SET next_seq = next_seq + 1, updated_at = :now WHERE id = :chat_id RETURNING next_seq - 1 AS seq",
        chat_id=chat_id,
        now=now,
    )
    if row is None:
        raise no_such_chat(chat_id)
    return row["seq"]


def no_such_chat(chat_id: str) -> ConfigurationError:
    return ConfigurationError(f"there is no chat {chat_id!r}")
