"""Sessions of agents that write directly, and the work trees they write to."""

from mulligan.store import chats
from mulligan.store.changes import exact_name, name_of
from mulligan.store.database import Queries, Row
from mulligan.store.ids import new_id, one_by_prefix
from mulligan.store.serialization import storable
from mulligan.types.checkpoints import AgentSession, SessionStatus, WorkTree
from mulligan.types.errors import ConfigurationError


async def open_session(
    queries: Queries, *, chat_id: str, agent: str, worktree_id: str | None, now: float
) -> AgentSession:
    """Add a session behind all others of its chat. Runs inside a transaction."""
    session = AgentSession(
        id=new_id(),
        chat_id=chat_id,
        agent=storable(agent),
        worktree_id=worktree_id,
        status="open",
        created_at=now,
        updated_at=now,
    )
    await chats.lock(queries, chat_id)
    added = await queries.fetch_one(
        "INSERT INTO sessions (id, chat_id, seq, agent, worktree_id, status, created_at, updated_at)"
        " SELECT :id, chats.id, (SELECT COALESCE(MAX(seq), 0) + 1 FROM sessions WHERE chat_id = :chat_id),"
        " :agent, :worktree_id, 'open', CAST(:now AS DOUBLE PRECISION), CAST(:now AS DOUBLE PRECISION)"
        " FROM chats WHERE chats.id = :chat_id RETURNING id",
        id=session.id,
        chat_id=chat_id,
        agent=session.agent,
        worktree_id=worktree_id,
        now=now,
    )
    if added is None:
        raise ConfigurationError(f"there is no chat {chat_id!r}")
    return session


async def set_status(queries: Queries, session_id: str, status: SessionStatus, *, now: float) -> None:
    changed = await queries.fetch_one(
        "UPDATE sessions SET status = :status, updated_at = :now WHERE id = :id RETURNING id",
        id=session_id,
        status=status,
        now=now,
    )
    if changed is None:
        raise ConfigurationError(f"there is no session {session_id!r}")


async def set_backend_session(queries: Queries, session_id: str, backend_session: str, *, now: float) -> None:
    changed = await queries.fetch_one(
        "UPDATE sessions SET backend_session = :backend_session, updated_at = :now WHERE id = :id RETURNING id",
        id=session_id,
        backend_session=storable(backend_session),
        now=now,
    )
    if changed is None:
        raise ConfigurationError(f"there is no session {session_id!r}")


async def find(queries: Queries, prefix: str) -> AgentSession:
    """The session whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
    sql = "SELECT * FROM sessions WHERE substr(id, 1, :length) = :typed ORDER BY id LIMIT 4"
    return _session(await one_by_prefix(queries, sql, prefix, what="session"))


async def of_chat(queries: Queries, chat_id: str) -> list[AgentSession]:
    """In the order they were opened."""
    rows = await queries.fetch_all("SELECT * FROM sessions WHERE chat_id = :chat_id ORDER BY seq", chat_id=chat_id)
    return [_session(row) for row in rows]


async def add_worktree(queries: Queries, *, project: str, path: str, base_commit: str, now: float) -> WorkTree:
    worktree = WorkTree(id=new_id(), project=project, path=path, base_commit=base_commit, created_at=now)
    await queries.execute(
        "INSERT INTO worktrees (id, project, path, base_commit, created_at)"
        " VALUES (:id, :project, :path, :base_commit, :now)",
        id=worktree.id,
        project=exact_name(project),
        path=exact_name(path),
        base_commit=base_commit,
        now=now,
    )
    return worktree


async def worktrees_of(queries: Queries, project: str) -> list[WorkTree]:
    """By path."""
    rows = await queries.fetch_all(
        "SELECT * FROM worktrees WHERE project = :project ORDER BY path, id", project=exact_name(project)
    )
    return [
        WorkTree(
            id=row["id"],
            project=name_of(row["project"]),
            path=name_of(row["path"]),
            base_commit=row["base_commit"],
            created_at=row["created_at"],
        )
        for row in rows
    ]


async def drop_worktree(queries: Queries, worktree_id: str) -> None:
    """Forget it. Its session and its checkpoints stay, without it."""
    await queries.execute("DELETE FROM worktrees WHERE id = :id", id=worktree_id)


def _session(row: Row) -> AgentSession:
    return AgentSession(
        id=row["id"],
        chat_id=row["chat_id"],
        agent=row["agent"],
        worktree_id=row["worktree_id"],
        status=row["status"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        backend_session=row["backend_session"],
    )
