"""Messages that wait for the end of a turn. Stored, so that neither a page nor a server loses them."""

import json
from collections.abc import Sequence

from mulligan.store.chats import lock_chat, no_such_chat
from mulligan.store.database import Row
from mulligan.store.ids import new_id
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import insert, read_row
from mulligan.store.serialization import storable
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import AttachmentInfo, QueuedMessage

MAX_QUEUED = 20
"""How many messages may wait in one chat."""


class SqlQueueRepository(SqlRepository):
    async def add(
        self, chat_id: str, text: str, *, agent: str | None, model: str | None, images: Sequence[AttachmentInfo] = ()
    ) -> QueuedMessage:
        """Add one at the end. Raises `ConfigurationError` if too many already wait."""
        async with self._database.transaction() as queries:
            if not await lock_chat(queries, chat_id):
                raise no_such_chat(chat_id)
            last = await queries.fetch_one(
                "SELECT COUNT(*) AS count, MAX(seq) AS seq FROM queued_messages WHERE chat_id = :chat_id",
                chat_id=chat_id,
            )
            count, seq = (last["count"], last["seq"]) if last else (0, None)
            if count >= MAX_QUEUED:
                raise ConfigurationError(f"{MAX_QUEUED} messages wait here already: send or remove some first")
            queued = QueuedMessage(
                id=new_id(),
                chat_id=chat_id,
                text=storable(text),
                agent=agent,
                model=model,
                images=tuple(images),
                created_at=self._clock(),
            )
            row = {**queued.model_dump(exclude={"images"}), "images": _as_text(queued.images)}
            await insert(queries, "queued_messages", seq=(seq or 0) + 1, **row)
        return queued

    async def list(self, chat_id: str) -> list[QueuedMessage]:
        """In the order in which they are sent."""
        rows = await self._database.fetch_all(
            "SELECT * FROM queued_messages WHERE chat_id = :chat_id ORDER BY seq", chat_id=chat_id
        )
        return [_read(row) for row in rows]

    async def edit(self, queued_id: str, text: str) -> QueuedMessage | None:
        """None if it no longer waits."""
        row = await self._database.fetch_one(
            "UPDATE queued_messages SET text = :text WHERE id = :id RETURNING *", id=queued_id, text=storable(text)
        )
        return _read(row) if row is not None else None

    async def take(self, queued_id: str) -> QueuedMessage | None:
        """Remove it from the queue. Of several concurrent callers, one gets it."""
        row = await self._database.fetch_one("DELETE FROM queued_messages WHERE id = :id RETURNING *", id=queued_id)
        return _read(row) if row is not None else None


def _as_text(images: Sequence[AttachmentInfo]) -> str:
    return json.dumps([each.model_dump() for each in images])


def _read(row: Row) -> QueuedMessage:
    images = tuple(AttachmentInfo.model_validate(each) for each in json.loads(row["images"]))
    return read_row(QueuedMessage, row, images=images)
