"""No message is left `streaming`: what nobody will finish is failed, and the chat says so."""

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
    """A message that its process left behind, failed by the sweeper."""

    chat_id: str
    message_id: str


async def sweep(database: Database, *, host: str, now: float) -> list[Swept]:
    """Fail what streams with its process gone or silent, in all chats. Nothing to do costs one query."""
    rows = await database.fetch_all("SELECT chat_id, owner, beat_at FROM messages WHERE status = 'streaming'")
    # Sorted, so that two sweepers lock chats in one order and wait for each other instead of for ever.
    left_behind = sorted({row["chat_id"] for row in rows if _why_given_up(row, host=host, now=now)})
    if not left_behind:
        return []
    swept: list[Swept] = []
    async with database.transaction() as queries:
        for chat_id in left_behind:
            swept += await _sweep_chat(queries, chat_id, host=host, now=now)
    return swept


async def refuse_answering(queries: Queries, chat_id: str, *, host: str, now: float, advice: str) -> None:
    """Raises `ChatBusy` if a live process is answering. Until the transaction ends, nobody can begin to."""
    # Sweeping locks the chat first, so of two processes that come at once the later sees the other's message.
    await _sweep_chat(queries, chat_id, host=host, now=now)
    busy = await queries.fetch_one(
        "SELECT owner FROM messages WHERE chat_id = :chat_id AND status = 'streaming'", chat_id=chat_id
    )
    if busy is not None:
        raise ChatBusy(f"chat {chat_id} is being answered by {Owner.from_json(busy['owner'])}: {advice}")


async def _sweep_chat(queries: Queries, chat_id: str, *, host: str, now: float) -> list[Swept]:
    """Fail what was left behind in one chat. Keeps the chat locked until the transaction ends."""
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
        # One for all: several were of the same turn.
        await append_message(queries, chat_id, role="system", metadata=Interrupted(), now=now)
    return swept


def _why_given_up(row: Row, *, host: str, now: float) -> str | None:
    return why_given_up(Owner.from_json(row["owner"]), silence=now - row["beat_at"], host=host)


async def _fail(queries: Queries, row: Row, why: str) -> bool:
    """False if the message was ended, or gave a sign of life, since the row was read."""
    # Changed as plain JSON: a turn of a newer program, whose metadata would not load here, is swept all the same.
    metadata = json.loads(row["metadata"]) | {"explanation": why}
    failed = await queries.fetch_one(
        "UPDATE messages SET status = 'failed', metadata = :metadata"
        " WHERE id = :id AND status = 'streaming' AND beat_at = :beat_at RETURNING id",
        id=row["id"],
        metadata=json.dumps(metadata),
        beat_at=row["beat_at"],
    )
    return failed is not None
