"""A message and its parts as rows, written and read within the caller's transaction."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from mulligan.store.chats import next_message_seq
from mulligan.store.database import Queries, Row
from mulligan.store.ids import new_id
from mulligan.store.process_owner import Owner
from mulligan.store.rows import insert
from mulligan.store.serialization import dump, load_metadata, load_part
from mulligan.types.messages import Message, Metadata, Part, Role, Status


async def append_message(
    queries: Queries,
    chat_id: str,
    *,
    role: Role,
    status: Status = "complete",
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
        seq=await next_message_seq(queries, chat_id, now=now),
        role=role,
        status=status,
        metadata=metadata,
        parts=tuple(parts),
        step=step,
        created_at=now,
    )
    await insert(
        queries,
        "messages",
        id=message.id,
        chat_id=chat_id,
        seq=message.seq,
        role=role,
        status=status,
        metadata=dump(metadata),
        step=step,
        owner=owner.to_json() if owner else None,
        beat_at=now,
        created_at=now,
    )
    await insert_parts(queries, message.id, 0, parts)
    return message


async def insert_parts(queries: Queries, message_id: str, first: int, parts: Sequence[Part]) -> None:
    for index, part in enumerate(parts, start=first):
        await insert(queries, "parts", message_id=message_id, place=index, kind=part.kind, body=dump(part))


def read_messages(rows: Iterable[Row]) -> list[Message]:
    """From rows in order, one per part; a message without parts has one row without a body."""
    return [_message(list(group)) for _, group in groupby(rows, key=lambda row: row["id"])]


def _message(rows: list[Row]) -> Message:
    message_id = rows[0]["id"]
    fields = {field: rows[0][field] for field in Message.field_defaults if field not in ("metadata", "parts")}
    fields["metadata"] = load_metadata(rows[0]["metadata"], message_id=message_id)
    bodies = (row["body"] for row in rows if row["body"] is not None)
    fields["parts"] = tuple(load_part(body, message_id=message_id) for body in bodies)
    # Metadata and parts were checked when they were read, and the database checks the rest.
    return Message(**fields)
