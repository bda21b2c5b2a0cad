"""Chats: the list, and the counter that orders each chat's messages."""

from mulligan.store.database import Queries
from mulligan.store.ids import new_id
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import find_by_prefix, insert, read_row
from mulligan.store.serialization import storable
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat


class SqlChatRepository(SqlRepository):
    async def create(self, *, project: str, agent: str, title: str, run_id: str | None = None) -> Chat:
        now = self._clock()
        chat = Chat(
            id=new_id(),
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
        """The chat whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
        where = ": `mulligan chats` lists them"
        return read_row(Chat, await find_by_prefix(self._database, "chats", prefix, what="chat", where=where))

    async def set_agent(self, chat_id: str, agent: str) -> None:
        changed = await self._database.fetch_one(
            "UPDATE chats SET agent = :agent WHERE id = :chat_id RETURNING id", chat_id=chat_id, agent=storable(agent)
        )
        if changed is None:
            raise no_such_chat(chat_id)

    async def list(self, *, project: str | None = None) -> list[Chat]:
        """The most recently used first."""
        if project is None:
            rows = await self._database.fetch_all("SELECT * FROM chats ORDER BY updated_at DESC, id")
        else:
            rows = await self._database.fetch_all(
                "SELECT * FROM chats WHERE project = :project ORDER BY updated_at DESC, id", project=storable(project)
            )
        return [read_row(Chat, row) for row in rows]


async def lock_chat(queries: Queries, chat_id: str) -> bool:
    """Until the transaction ends, no other process adds to the chat. False if there is no such chat."""
    row = await queries.fetch_one(
        "UPDATE chats SET next_seq = next_seq WHERE id = :chat_id RETURNING id", chat_id=chat_id
    )
    return row is not None


async def next_message_seq(queries: Queries, chat_id: str, *, now: float) -> int:
    """The place of the next message. The chat stays locked until the transaction ends, so there are no gaps."""
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
