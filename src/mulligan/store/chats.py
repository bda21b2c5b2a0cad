"""Chats: the list, and the counter that orders each chat's messages."""

from mulligan.store.database import Queries, Row
from mulligan.store.ids import new_id, one_by_prefix
from mulligan.store.serialization import storable
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat


async def create(
    queries: Queries, *, project: str, agent: str, title: str, run_id: str | None = None, now: float
) -> Chat:
    chat = Chat(
        id=new_id(),
        project=storable(project),
        title=storable(title),
        agent=storable(agent),
        created_at=now,
        updated_at=now,
        run_id=run_id,
    )
    await queries.execute(
        "INSERT INTO chats (id, project, title, agent, next_seq, created_at, updated_at, run_id)"
        " VALUES (:id, :project, :title, :agent, 1, :created_at, :updated_at, :run_id)",
        **chat.model_dump(),
    )
    return chat


async def find(queries: Queries, prefix: str) -> Chat:
    """The chat whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
    sql = "SELECT * FROM chats WHERE substr(id, 1, :length) = :typed ORDER BY id LIMIT 4"
    return _chat(await one_by_prefix(queries, sql, prefix, what="chat", where=": `mulligan chats` lists them"))


async def list_all(queries: Queries, *, project: str | None) -> list[Chat]:
    """The most recently used first."""
    if project is None:
        rows = await queries.fetch_all("SELECT * FROM chats ORDER BY updated_at DESC, id")
    else:
        rows = await queries.fetch_all(
            "SELECT * FROM chats WHERE project = :project ORDER BY updated_at DESC, id", project=storable(project)
        )
    return [_chat(row) for row in rows]


async def set_agent(queries: Queries, chat_id: str, agent: str) -> None:
    changed = await queries.fetch_one(
        "UPDATE chats SET agent = :agent WHERE id = :chat_id RETURNING id", chat_id=chat_id, agent=storable(agent)
    )
    if changed is None:
        raise _no_such_chat(chat_id)


async def lock(queries: Queries, chat_id: str) -> None:
    """Until the transaction ends, no other process adds to the chat. Nothing happens if there is no such chat."""
    await queries.execute("UPDATE chats SET next_seq = next_seq WHERE id = :chat_id", chat_id=chat_id)


async def next_seq(queries: Queries, chat_id: str, *, now: float) -> int:
    """The place of the next message. The chat stays locked until the transaction ends, so there are no gaps."""
    row = await queries.fetch_one(
        "UPDATE chats SET next_seq = next_seq + 1, updated_at = :now WHERE id = :chat_id RETURNING next_seq - 1 AS seq",
        chat_id=chat_id,
        now=now,
    )
    if row is None:
        raise _no_such_chat(chat_id)
    return row["seq"]


def _chat(row: Row) -> Chat:
    return Chat(
        id=row["id"],
        project=row["project"],
        title=row["title"],
        agent=row["agent"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        run_id=row["run_id"],
    )


def _no_such_chat(chat_id: str) -> ConfigurationError:
    return ConfigurationError(f"there is no chat {chat_id!r}")
