"""Messages, numbered per chat, and the one that streams: opened by a process, written piece by piece, ended once."""

from collections.abc import Sequence

from mulligan.core.step_budget import MAX_CONTINUES
from mulligan.store.database import Queries
from mulligan.store.message_rows import append_message, insert_parts, read_messages
from mulligan.store.process_owner import Owner
from mulligan.store.repository import SqlRepository
from mulligan.store.serialization import dump, load_metadata
from mulligan.store.sweeper import Swept, refuse_answering, sweep
from mulligan.types.errors import ChatBusy
from mulligan.types.frozen import frozen
from mulligan.types.messages import Message, Metadata, Part, Role, Status, Text, TurnMeta, UserMeta
from mulligan.types.sentinels import Compacted


@frozen
class MessagePage:
    """Some messages of a chat that follow each other, in order."""

    messages: tuple[Message, ...]
    earlier: bool
    """Whether there are messages before the first of these."""


class SqlMessageRepository(SqlRepository):
    """The port `MessageRepository`, and queries for user interfaces."""

    async def add(
        self, chat_id: str, *, role: Role, metadata: Metadata, parts: Sequence[Part] = (), step: int | None = None
    ) -> Message:
        async with self._database.transaction() as queries:
            return await append_message(
                queries, chat_id, role=role, metadata=metadata, parts=parts, step=step, now=self._clock()
            )

    async def open_turn(
        self, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta, attached: Sequence[Text] = ()
    ) -> Message:
        given = [*attached, Text(text=prompt)]
        async with self._database.transaction() as queries:
            await self._refuse_busy(queries, chat_id)
            await append_message(queries, chat_id, role="user", metadata=user, parts=given, now=self._clock())
            return await self._open_reply(queries, chat_id, turn)

    async def open_reply(self, chat_id: str, turn: TurnMeta) -> Message:
        async with self._database.transaction() as queries:
            return await self._open_reply(queries, chat_id, turn)

    async def save_parts(self, message_id: str, first: int, parts: Sequence[Part]) -> None:
        async with self._database.transaction() as queries:
            if not await self._beat(queries, message_id):
                return  # it was ended meanwhile
            await queries.execute(
                "DELETE FROM parts WHERE message_id = :message_id AND place >= :first",
                message_id=message_id,
                first=first,
            )
            await insert_parts(queries, message_id, first, parts)

    async def heartbeat(self, message_id: str) -> None:
        await self._beat(self._database, message_id)

    async def close_reply(self, message_id: str, status: Status, metadata: TurnMeta) -> None:
        await self._database.execute(
            "UPDATE messages SET status = :status, metadata = :metadata"
            " WHERE id = :message_id AND status = 'streaming'",
            message_id=message_id,
            status=status,
            metadata=dump(metadata),
        )

    async def refuse_busy(self, chat_id: str) -> None:
        """Raises `ChatBusy` if `open_turn` would."""
        async with self._database.transaction() as queries:
            await self._refuse_busy(queries, chat_id)

    async def sweep(self) -> list[Swept]:
        """Fail streaming messages whose process is gone or had no heartbeat for 5 minutes. Adds an `interrupted`
        sentinel to each of their chats."""
        return await sweep(self._database, host=self._owner.host, now=self._clock())

    async def streaming_chats(self) -> frozenset[str]:
        """Ids of chats in which a message streams, in any process."""
        rows = await self._database.fetch_all("SELECT DISTINCT chat_id FROM messages WHERE status = 'streaming'")
        return frozenset(row["chat_id"] for row in rows)

    async def page(
        self, chat_id: str, *, before: int | None = None, after: int | None = None, limit: int
    ) -> MessagePage:
        """At most `limit` messages with their parts: the first ones after a number, or the last ones before a number,
        or the last ones. One query, however long the chat is."""
        rows = await self._database.fetch_all(
            _NEWEST if after is None else _OLDEST,
            chat_id=chat_id,
            before=BEYOND if before is None else before,
            after=-1 if after is None else after,
            limit=limit,
        )
        found = tuple(read_messages(rows))
        return MessagePage(found, earlier=bool(found) and rows[0]["first"] < found[0].seq)

    async def newest_turns(self, chat_id: str, count: int) -> list[Message]:
        """All messages since the user's last `count` messages, in order, without their parts."""
        rows = await self._database.fetch_all(
            "SELECT *, NULL AS body FROM messages"
            " WHERE chat_id = :chat_id AND seq >= (SELECT MIN(seq) FROM (SELECT seq FROM messages"
            " WHERE chat_id = :chat_id AND role = 'user' ORDER BY seq DESC LIMIT :count) AS prompts) ORDER BY seq",
            chat_id=chat_id,
            count=count,
        )
        return read_messages(rows)

    async def recent(self, chat_id: str) -> list[Message]:
        """All messages that a further turn depends on, in order: those that the last summary does not cover, the
        summary itself, and the last messages of the user. However long the chat is, the rest is not read."""
        row = await self._database.fetch_one(
            "SELECT id, metadata FROM messages WHERE chat_id = :chat_id AND role = 'system'"
            ' AND metadata LIKE \'%"kind":"compacted"%\' AND metadata NOT LIKE \'%"how":"hidden"%\''
            " ORDER BY seq DESC LIMIT 1",
            chat_id=chat_id,
        )
        summed_up = load_metadata(row["metadata"], message_id=row["id"]) if row else None
        if not isinstance(summed_up, Compacted):
            return await self.list(chat_id)
        # A message of which only the first steps are covered is shown with the message that it answers.
        prompts = await self._database.fetch_all(
            "SELECT seq FROM (SELECT seq FROM messages WHERE chat_id = :chat_id AND role = 'user'"
            " ORDER BY seq DESC LIMIT :count) AS newest"
            " UNION SELECT MAX(seq) FROM messages WHERE chat_id = :chat_id AND role = 'user' AND seq <= :through",
            chat_id=chat_id,
            count=LAST_PROMPTS,
            through=summed_up.through_seq,
        )
        numbers = [each["seq"] for each in prompts if each["seq"] is not None]
        return await self.list(chat_id, since=min(summed_up.through_seq, *numbers))

    async def list(self, chat_id: str, *, since: int = 0) -> list[Message]:
        # One query, so that messages and parts are consistent even if another process writes meanwhile.
        rows = await self._database.fetch_all(
            "SELECT m.*, p.body FROM messages m LEFT JOIN parts p ON p.message_id = m.id"
            " WHERE m.chat_id = :chat_id AND m.seq >= :since ORDER BY m.seq, p.place",
            chat_id=chat_id,
            since=since,
        )
        return read_messages(rows)

    async def _open_reply(self, queries: Queries, chat_id: str, turn: TurnMeta) -> Message:
        return await append_message(
            queries,
            chat_id,
            role="assistant",
            status="streaming",
            metadata=turn,
            owner=self._owner,
            now=self._clock(),
        )

    async def _beat(self, queries: Queries, message_id: str) -> bool:
        """Whether the message still streams; if so, it is locked until the transaction ends."""
        row = await queries.fetch_one(
            "UPDATE messages SET beat_at = :now WHERE id = :message_id AND status = 'streaming' RETURNING id",
            message_id=message_id,
            now=self._clock(),
        )
        return row is not None

    async def _refuse_busy(self, queries: Queries, chat_id: str) -> None:
        """Raises `ChatBusy` if a process is answering or restoring. Until the transaction ends, none can start to."""
        advice = "wait until it is done, stop that process, or start another chat"
        await refuse_answering(queries, chat_id, host=self._owner.host, now=self._clock(), advice=advice)
        # A message written during a restore would be trimmed.
        restoring = await queries.fetch_one(
            "SELECT r.owner FROM restores r JOIN checkpoints c ON c.id = r.checkpoint_id"
            " WHERE c.chat_id = :chat_id AND r.result IS NULL",
            chat_id=chat_id,
        )
        if restoring is not None:
            other = Owner.from_json(restoring["owner"])
            raise ChatBusy(f"chat {chat_id} is being restored by {other}: wait until that is done")


LAST_PROMPTS = MAX_CONTINUES + 2
"""Enough to know how often a turn was continued, and what it was about."""

BEYOND = 2**62
"""A number after every other."""

_OLDEST = (
    "WITH page AS (SELECT * FROM messages"
    " WHERE chat_id = :chat_id AND seq < :before AND seq > :after ORDER BY seq ASC LIMIT :limit)"
    " SELECT m.*, p.body, (SELECT MIN(seq) FROM messages WHERE chat_id = :chat_id) AS first"
    " FROM page m LEFT JOIN parts p ON p.message_id = m.id ORDER BY m.seq, p.place"
)

_NEWEST = _OLDEST.replace("seq ASC", "seq DESC")
