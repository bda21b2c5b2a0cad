"""Sessions of agents that write files directly."""

from dataclasses import asdict

from mulligan.store.chats import lock_chat, no_such_chat
from mulligan.store.ids import new_id
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import find_by_prefix, insert, read_row
from mulligan.store.serialization import storable
from mulligan.types.checkpoints import AgentSession, SessionStatus
from mulligan.types.errors import ConfigurationError


class SqlSessionRepository(SqlRepository):
    async def open(self, *, chat_id: str, agent: str, worktree_id: str | None) -> AgentSession:
        now = self._clock()
        session = AgentSession(
            id=new_id(),
            chat_id=chat_id,
            agent=storable(agent),
            worktree_id=worktree_id,
            status="open",
            created_at=now,
            updated_at=now,
        )
        async with self._database.transaction() as queries:
            if not await lock_chat(queries, chat_id):
                raise no_such_chat(chat_id)
            others = await queries.fetch_all("SELECT seq FROM sessions WHERE chat_id = :chat_id", chat_id=chat_id)
            seq = max((row["seq"] for row in others), default=0) + 1
            await insert(queries, "sessions", seq=seq, **asdict(session))
        return session

    async def set_status(self, session_id: str, status: SessionStatus) -> None:
        await self._update("UPDATE sessions SET status = :value, updated_at = :now", session_id, status)

    async def set_backend_session(self, session_id: str, backend_session: str) -> None:
        """Store the external agent's own session id."""
        update = "UPDATE sessions SET backend_session = :value, updated_at = :now"
        await self._update(update, session_id, storable(backend_session))

    async def find(self, prefix: str) -> AgentSession:
        """The session whose id starts with the prefix. Raises `ConfigurationError` for none or several."""
        return read_row(AgentSession, await find_by_prefix(self._database, "sessions", prefix, what="session"))

    async def list(self, *, chat_id: str) -> list[AgentSession]:
        """In the order they were opened."""
        rows = await self._database.fetch_all(
            "SELECT * FROM sessions WHERE chat_id = :chat_id ORDER BY seq", chat_id=chat_id
        )
        return [read_row(AgentSession, row) for row in rows]

    async def _update(self, update: str, session_id: str, value: str) -> None:
        changed = await self._database.fetch_one(
            f"{update} WHERE id = :id RETURNING id", id=session_id, value=value, now=self._clock()
        )
        if changed is None:
            raise ConfigurationError(f"there is no session {session_id!r}")
