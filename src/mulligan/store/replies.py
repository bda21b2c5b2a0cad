"""The reply of a turn while it streams: opened by one process, written piece by piece, ended once."""

from collections.abc import Sequence

from mulligan.store import messages
from mulligan.store.database import Queries
from mulligan.store.process_owner import Owner
from mulligan.store.serialization import dump
from mulligan.store.sweeper import sweep_chat
from mulligan.types.errors import ChatBusy
from mulligan.types.messages import Message, Part, Status, Text, TurnMeta, UserMeta


async def open_turn(
    queries: Queries, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta, *, owner: Owner, now: float
) -> Message:
    """Add the person's message and a `streaming` one that answers it. Raises `ChatBusy` if somebody is answering."""
    await refuse_busy(queries, chat_id, owner=owner, now=now)
    said = [Text(text=prompt)]
    await messages.append(queries, chat_id, role="user", status="complete", metadata=user, parts=said, now=now)
    return await open_reply(queries, chat_id, turn, owner=owner, now=now)


async def refuse_busy(queries: Queries, chat_id: str, *, owner: Owner, now: float) -> None:
    """Raises `ChatBusy` if somebody is answering or restoring. Until the transaction ends, nobody can begin to."""
    # Sweeping locks the chat first, so of two processes that come at once the later sees the other's message.
    await sweep_chat(queries, chat_id, host=owner.host, now=now)
    busy = await queries.fetch_one(
        "SELECT owner FROM messages WHERE chat_id = :chat_id AND status = 'streaming'", chat_id=chat_id
    )
    if busy is not None:
        other = Owner.from_json(busy["owner"])
        raise ChatBusy(
            f"chat {chat_id} is being answered by process {other.pid} on {other.host}: "
            "wait until it is done, stop that process, or start another chat"
        )
    await _refuse_while_restoring(queries, chat_id)


async def open_reply(queries: Queries, chat_id: str, turn: TurnMeta, *, owner: Owner, now: float) -> Message:
    """Add a `streaming` message of the assistant. Runs inside a transaction."""
    return await messages.append(
        queries, chat_id, role="assistant", status="streaming", metadata=turn, owner=owner, now=now
    )


async def _refuse_while_restoring(queries: Queries, chat_id: str) -> None:
    """What would be said now is about to be trimmed."""
    restoring = await queries.fetch_one(
        "SELECT r.owner FROM restores r JOIN checkpoints c ON c.id = r.checkpoint_id"
        " WHERE c.chat_id = :chat_id AND r.result IS NULL",
        chat_id=chat_id,
    )
    if restoring is not None:
        other = Owner.from_json(restoring["owner"])
        raise ChatBusy(
            f"chat {chat_id} is being restored by process {other.pid} on {other.host}: wait until that is done"
        )


async def save_parts(queries: Queries, message_id: str, first: int, parts: Sequence[Part], *, now: float) -> None:
    """Replace what stands at or after the place `first`. A message that was ended meanwhile stays as it is."""
    if not await _beat(queries, message_id, now):
        return
    await queries.execute(
        "DELETE FROM parts WHERE message_id = :message_id AND place >= :first", message_id=message_id, first=first
    )
    await messages.insert_parts(queries, message_id, first, parts)


async def beat(queries: Queries, message_id: str, *, now: float) -> None:
    """A sign of life. It does nothing for a message that was ended."""
    await _beat(queries, message_id, now)


async def close_reply(queries: Queries, message_id: str, status: Status, metadata: TurnMeta) -> None:
    """End a streaming message. One that was ended already, by the sweeper perhaps, stays as it is."""
    await queries.execute(
        "UPDATE messages SET status = :status, metadata = :metadata WHERE id = :message_id AND status = 'streaming'",
        message_id=message_id,
        status=status,
        metadata=dump(metadata),
    )


async def _beat(queries: Queries, message_id: str, now: float) -> bool:
    """Whether the message still streams; if so it is locked until the transaction ends."""
    row = await queries.fetch_one(
        "UPDATE messages SET beat_at = :now WHERE id = :message_id AND status = 'streaming' RETURNING id",
        message_id=message_id,
        now=now,
    )
    return row is not None
