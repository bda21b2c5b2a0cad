"""Fails messages that stay `streaming` because nobody will finish them, and notes that in the chat."""

import json

from mulligan.store.chats import lock_chat
from mulligan.store.database import Database, Queries, Row
from mulligan.store.message_rows import append_message
from mulligan.store.process_owner import Owner, why_given_up
from mulligan.types.errors import ChatBusy
from mulligan.types.frozen import frozen
from mulligan.types.sentinels import Interrupted


@frozen
class Swept:
    """A message abandoned by its process and failed by the sweeper."""

    chat_id: str
    message_id: str


async def sweep(database: Database, *, host: str, now: float) -> list[Swept]:
    """Fail streaming messages of dead or silent processes, in all chats. Costs one query if there is nothing to do."""
    rows = await database.fetch_all("SELECT chat_id, owner, beat_at FROM messages WHERE status = 'streaming'")
    # Sorted, so that two sweepers lock chats in the same order and can't deadlock.
    abandoned = sorted({row["chat_id"] for row in rows if _why_given_up(row, host=host, now=now)})
    if not abandoned:
        return []
    swept: list[Swept] = []
    async with database.transaction() as queries:
        for chat_id in abandoned:
            swept += await _sweep_chat(queries, chat_id, host=host, now=now)
    return swept


async def refuse_answering(queries: Queries, chat_id: str, *, host: str, now: float, advice: str) -> None:
    """Raises `ChatBusy` if a live process is answering. Until the transaction ends, none can start to."""
    # Sweeping locks the chat first, so of two concurrent processes the later one sees the other's message.
    await _sweep_chat(queries, chat_id, host=host, now=now)
    busy = await queries.fetch_one(
        "SELECT owner FROM messages WHERE chat_id = :chat_id AND status = 'streaming'", chat_id=chat_id
    )
    if busy is not None:
        raise ChatBusy(f"chat {chat_id} is being answered by {Owner.from_json(busy['owner'])}: {advice}")


async def _sweep_chat(queries: Queries, chat_id: str, *, host: str, now: float) -> list[Swept]:
    """Fail abandoned messages of one chat. Keeps the chat locked until the transaction ends."""
    await lock_chat(queries, chat_id)
    rows = await queries.fetch_all(
        "SELECT id, metadata, owner, beat_at FROM messages"
        " WHERE chat_id = :chat_id AND status = 'streaming' ORDER BY seq",
        chat_id=chat_id,
    )
    swept: list[Swept] = []
    for row in rows:
        why = _why_given_up(row, host=host, now=now)
        if why and await _fail(queries, row, why):
            swept.append(Swept(chat_id=chat_id, message_id=row["id"]))
    if swept:
        # One for all: several belong to the same turn.
        await append_message(queries, chat_id, role="system", metadata=Interrupted(), now=now)
    return swept


def _why_given_up(row: Row, *, host: str, now: float) -> str | None:
    return why_given_up(Owner.from_json(row["owner"]), silence=now - row["beat_at"], host=host)


async def _fail(queries: Queries, row: Row, why: str) -> bool:
    """False if the message was ended, or had a heartbeat, since the row was read."""
    # Changed as plain JSON, so that a turn of a newer program, whose metadata would not load here, is swept too.
    metadata = json.loads(row["metadata"]) | {"explanation": why}
    failed = await queries.fetch_one(
        "UPDATE messages SET status = 'failed', metadata = :metadata"
        " WHERE id = :id AND status = 'streaming' AND beat_at = :beat_at RETURNING id",
        id=row["id"],
        metadata=json.dumps(metadata),
        beat_at=row["beat_at"],
    )
    return failed is not None
