"""Messages and their parts, in the order of the chat's counter."""

from collections.abc import Sequence
from itertools import groupby

from mulligan.ports.store import MessagePage
from mulligan.store import chats
from mulligan.store.database import Queries, Row
from mulligan.store.ids import new_id
from mulligan.store.process_owner import Owner
from mulligan.store.serialization import dump, load_metadata, load_part
from mulligan.types.messages import Message, Metadata, Part, Role, Status


async def append(
    queries: Queries,
    chat_id: str,
    *,
    role: Role,
    status: Status,
    metadata: Metadata,
    parts: Sequence[Part] = (),
    step: int | None = None,
    owner: Owner | None = None,
    now: float,
) -> Message:
    """Add a message at the end of the chat. Runs inside a transaction."""
    message = Message(
        id=new_id(),
        chat_id=chat_id,
        seq=await chats.next_seq(queries, chat_id, now=now),
        role=role,
        status=status,
        metadata=metadata,
        parts=tuple(parts),
        step=step,
        created_at=now,
    )
    await queries.execute(
        "INSERT INTO messages (id, chat_id, seq, role, status, metadata, step, owner, beat_at, created_at)"
        " VALUES (:id, :chat_id, :seq, :role, :status, :metadata, :step, :owner, :now, :now)",
        id=message.id,
        chat_id=chat_id,
        seq=message.seq,
        role=role,
        status=status,
        metadata=dump(metadata),
        step=step,
        owner=owner.to_json() if owner else None,
        now=now,
    )
    await insert_parts(queries, message.id, 0, parts)
    return message


async def insert_parts(queries: Queries, message_id: str, first: int, parts: Sequence[Part]) -> None:
    for place, part in enumerate(parts, start=first):
        await queries.execute(
            "INSERT INTO parts (message_id, place, kind, body) VALUES (:message_id, :place, :kind, :body)",
            message_id=message_id,
            place=place,
            kind=part.kind,
            body=dump(part),
        )


async def of_chat(queries: Queries, chat_id: str) -> list[Message]:
    """All messages of a chat with their parts. One query, so that they fit together whoever writes meanwhile."""
    rows = await queries.fetch_all(
        "SELECT m.id, m.chat_id, m.seq, m.role, m.status, m.metadata, m.step, m.created_at, p.body"
        " FROM messages m LEFT JOIN parts p ON p.message_id = m.id"
        " WHERE m.chat_id = :chat_id ORDER BY m.seq, p.place",
        chat_id=chat_id,
    )
    return [_message(list(group)) for _, group in groupby(rows, key=lambda row: row["id"])]


async def page_of_chat(
    queries: Queries, chat_id: str, *, before: int | None, after: int | None, limit: int
) -> MessagePage:
    """Those nearest to the place that was named, or to the end. One query, however long the chat is."""
    rows = await queries.fetch_all(
        _NEWEST if after is None else _OLDEST,
        chat_id=chat_id,
        before=BEYOND if before is None else before,
        after=-1 if after is None else after,
        limit=limit,
    )
    found = tuple(_message(list(group)) for _, group in groupby(rows, key=lambda row: row["id"]))
    return MessagePage(found, earlier=bool(found) and rows[0]["first"] < found[0].seq)


async def newest_turns(queries: Queries, chat_id: str, count: int) -> list[Message]:
    """The messages of a chat's last turns, without their parts."""
    rows = await queries.fetch_all(
        "SELECT id, chat_id, seq, role, status, metadata, step, created_at, NULL AS body FROM messages"
        " WHERE chat_id = :chat_id AND seq >= (SELECT MIN(seq) FROM (SELECT seq FROM messages"
        " WHERE chat_id = :chat_id AND role = 'user' ORDER BY seq DESC LIMIT :count) AS prompts) ORDER BY seq",
        chat_id=chat_id,
        count=count,
    )
    return [_message([row]) for row in rows]


async def streaming_chats(queries: Queries) -> frozenset[str]:
    """The ids of all chats in which something streams."""
    rows = await queries.fetch_all("SELECT DISTINCT chat_id FROM messages WHERE status = 'streaming'")
    return frozenset(row["chat_id"] for row in rows)


BEYOND = 2**62
"""A place after every other."""

_OLDEST = (
    "WITH page AS (SELECT * FROM messages"
    " WHERE chat_id = :chat_id AND seq < :before AND seq > :after ORDER BY seq ASC LIMIT :limit)"
    " SELECT m.id, m.chat_id, m.seq, m.role, m.status, m.metadata, m.step, m.created_at, p.body,"
    " (SELECT MIN(seq) FROM messages WHERE chat_id = :chat_id) AS first"
    " FROM page m LEFT JOIN parts p ON p.message_id = m.id ORDER BY m.seq, p.place"
)

_NEWEST = _OLDEST.replace("seq ASC", "seq DESC")


def _message(rows: list[Row]) -> Message:
    """One row a part; a message without parts has one row, and no body in it."""
    row = rows[0]
    return Message(
        id=row["id"],
        chat_id=row["chat_id"],
        seq=row["seq"],
        role=row["role"],
        status=row["status"],
        metadata=load_metadata(row["metadata"], message_id=row["id"]),
        parts=tuple(load_part(row["body"], message_id=row["id"]) for row in rows if row["body"] is not None),
        step=row["step"],
        created_at=row["created_at"],
    )
