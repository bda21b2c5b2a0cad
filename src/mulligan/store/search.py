"""Full-text search in messages. The index is completed at every search, so that no turn pays for it and no message
that a restore added back is missed."""

from collections.abc import Sequence

from mulligan.core.search_words import asked_words, excerpt, words_of
from mulligan.store.database import Dialect
from mulligan.store.message_rows import read_messages
from mulligan.store.repository import SqlRepository
from mulligan.store.serialization import storable
from mulligan.types.frozen import frozen
from mulligan.types.messages import Message

BATCH = 500
"""How many messages are added to the index in one transaction."""

_MATCHES: dict[Dialect, str] = {
    "sqlite": "w.id IN (SELECT rowid FROM message_word_index WHERE message_word_index MATCH :query)",
    "postgresql": "array_to_tsvector(string_to_array(w.words, ' ')) @@ CAST(:query AS TEXT)::tsquery",
}


@frozen
class SearchHit:
    chat_id: str
    chat_title: str
    message: Message
    excerpt: str
    marks: tuple[tuple[int, int], ...]
    """Positions of the words in the excerpt."""


class SqlSearchRepository(SqlRepository):
    async def find(self, project: str, query: str, *, limit: int) -> list[SearchHit]:
        """Messages of users and models that contain all the words, those of the most recently used chats first."""
        asked = asked_words(query)
        if not asked:
            return []
        await self.complete(project)
        rows = await self._database.fetch_all(
            "WITH found AS (SELECT m.id, c.title, c.updated_at FROM message_words w"  # noqa: S608 - our own words
            " JOIN messages m ON m.id = w.message_id JOIN chats c ON c.id = m.chat_id"
            f" WHERE {_MATCHES[self._database.dialect]} AND c.project = :project AND c.deleted_at IS NULL"
            " AND c.run_id IS NULL ORDER BY c.updated_at DESC, m.seq DESC LIMIT :limit)"
            " SELECT m.*, f.title, f.updated_at, p.body FROM found f JOIN messages m ON m.id = f.id"
            " JOIN parts p ON p.message_id = m.id AND p.kind = 'text'"
            " ORDER BY f.updated_at DESC, m.chat_id, m.seq DESC, p.place",
            query=_query(self._database.dialect, asked),
            project=storable(project),
            limit=limit,
        )
        titles = {row["chat_id"]: row["title"] for row in rows}
        return [_hit(message, titles[message.chat_id], query) for message in read_messages(rows)]

    async def complete(self, project: str) -> None:
        """Add the project's messages that are not in the index yet."""
        unknown = [row["id"] for row in await self._database.fetch_all(_UNKNOWN, project=storable(project))]
        for first in range(0, len(unknown), BATCH):
            named = {f"id_{index}": each for index, each in enumerate(unknown[first : first + BATCH])}
            names = ", ".join(f":{name}" for name in named)
            async with self._database.transaction() as queries:
                found = read_messages(await queries.fetch_all(_SPOKEN.format(names), **named))
                if not found:
                    continue
                # One statement: each is a round trip to the database, and a store of years has many messages.
                values = ", ".join(f"(:message_{index}, :words_{index})" for index in range(len(found)))
                fields = {f"message_{index}": message.id for index, message in enumerate(found)}
                words = [" ".join(words_of(message.visible_text)) for message in found]
                fields |= {f"words_{index}": text for index, text in enumerate(words)}
                await queries.execute(
                    f"INSERT INTO message_words (message_id, words) VALUES {values}"  # noqa: S608 - our own names
                    " ON CONFLICT (message_id) DO NOTHING",
                    **fields,
                )


def _hit(message: Message, title: str, query: str) -> SearchHit:
    shown, marks = excerpt(message.visible_text, query)
    return SearchHit(message.chat_id, title, message, shown, marks)


def _query(dialect: Dialect, asked: Sequence[str]) -> str:
    """All words, each as a prefix. They contain only letters and digits, so quoting is enough."""
    if dialect == "sqlite":
        return " AND ".join(f'"{word}" *' for word in asked)
    return " & ".join(f"'{word}':*" for word in asked)


_UNKNOWN = (
    "SELECT m.id FROM messages m JOIN chats c ON c.id = m.chat_id"
    " WHERE c.project = :project AND c.run_id IS NULL AND m.status <> 'streaming' AND m.role <> 'system'"
    " AND NOT EXISTS (SELECT 1 FROM message_words w WHERE w.message_id = m.id)"
)

_SPOKEN = (
    "SELECT m.*, p.body FROM messages m LEFT JOIN parts p ON p.message_id = m.id AND p.kind = 'text'"
    " WHERE m.id IN ({}) ORDER BY m.id, p.place"
)
