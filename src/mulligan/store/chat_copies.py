"""Copies of chats: forks from an earlier message, and backups of a chat before it is truncated."""

import json
from collections.abc import Sequence

from mulligan.store.chats import lock_chat, no_such_chat
from mulligan.store.database import Queries, Row
from mulligan.store.ids import new_id
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import insert, read_row
from mulligan.store.serialization import storable
from mulligan.store.sweeper import refuse_answering
from mulligan.types.messages import PARENT, Chat

AFTER_ALL = 2**62
"""A number after every other."""


class SqlChatCopyRepository(SqlRepository):
    async def fork(self, chat_id: str, *, before: int | None = None, title: str) -> Chat:
        """A new chat with the messages before a number, or all. Pending changes and checkpoints stay with the old chat.

        Raises `ChatBusy` while one of these messages streams.
        """
        async with self._database.transaction() as queries:
            advice = "wait until it is done, or fork from an earlier message"
            if before is None:
                await self._refuse_answering(queries, chat_id, advice)
            return await self._copy(queries, chat_id, before=AFTER_ALL if before is None else before, title=title)

    async def truncate(self, chat_id: str, *, before: int) -> Chat:
        """Remove the messages from a number on. Returns a copy of the chat as it was, marked as deleted: it can be
        restored like any deleted chat."""
        async with self._database.transaction() as queries:
            await self._refuse_answering(queries, chat_id, "stop it first")
            own = await _chat_row(queries, chat_id)
            kept = await self._copy(queries, chat_id, before=AFTER_ALL, title=own["title"], deleted_at=self._clock())
            await queries.execute(
                "DELETE FROM messages WHERE chat_id = :chat_id AND seq >= :before", chat_id=chat_id, before=before
            )
        return kept

    async def _refuse_answering(self, queries: Queries, chat_id: str, advice: str) -> None:
        await refuse_answering(queries, chat_id, host=self._owner.host, now=self._clock(), advice=advice)

    async def _copy(
        self, queries: Queries, chat_id: str, *, before: int, title: str, deleted_at: float | None = None
    ) -> Chat:
        await lock_chat(queries, chat_id)
        own, now = await _chat_row(queries, chat_id), self._clock()
        chat = read_row(
            Chat,
            own,
            id=new_id(),
            title=storable(title),
            created_at=now,
            updated_at=now,
            pinned_at=None,
            deleted_at=deleted_at,
        )
        messages = await queries.fetch_all(
            "SELECT * FROM messages WHERE chat_id = :chat_id AND seq < :before AND status <> 'streaming' ORDER BY seq",
            chat_id=chat_id,
            before=before,
        )
        following = max((row["seq"] for row in messages), default=0) + 1
        await insert(queries, "chats", next_seq=following, **chat.model_dump())
        await _copy_messages(queries, messages, chat.id)
        return chat


async def _chat_row(queries: Queries, chat_id: str) -> Row:
    row = await queries.fetch_one("SELECT * FROM chats WHERE id = :id AND deleted_at IS NULL", id=chat_id)
    if row is None:
        raise no_such_chat(chat_id)
    return row


async def _copy_messages(queries: Queries, messages: Sequence[Row], chat_id: str) -> None:
    ids = {row["id"]: new_id() for row in messages}
    columns = ("seq", "role", "status", "step", "owner", "beat_at", "created_at")
    for row in messages:
        metadata = json.loads(row["metadata"])
        for name in PARENT:
            if metadata.get(name) in ids:
                metadata[name] = ids[metadata[name]]
        await insert(
            queries,
            "messages",
            id=ids[row["id"]],
            chat_id=chat_id,
            metadata=json.dumps(metadata),
            **{column: row[column] for column in columns},
        )
        await queries.execute(
            "INSERT INTO parts (message_id, place, kind, body)"
            " SELECT CAST(:copy AS TEXT), place, kind, body FROM parts WHERE message_id = :original",
            copy=ids[row["id"]],
            original=row["id"],
        )
