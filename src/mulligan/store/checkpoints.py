"""Checkpoints, in the order of their work tree's counter."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import merge
from itertools import groupby

from mulligan.store.changes import exact_name, name_of
from mulligan.store.database import Queries, Row
from mulligan.store.ids import one_by_prefix
from mulligan.store.serialization import storable
from mulligan.types.checkpoints import Checkpoint, CheckpointKind
from mulligan.types.errors import ConfigurationError, StoreError


async def add(
    queries: Queries,
    checkpoint_id: str,
    *,
    root: str,
    commit: str,
    label: str,
    kind: CheckpointKind,
    chat_id: str | None,
    session_id: str | None,
    worktree_id: str | None,
    message_id: str | None,
    now: float,
) -> Checkpoint:
    """Keep a checkpoint behind all others of its work tree. Runs inside a transaction."""
    checkpoint = Checkpoint(
        id=checkpoint_id,
        seq=await _next_seq(queries, root),
        root=root,
        commit=commit,
        label=storable(label),
        kind=kind,
        chat_id=chat_id,
        session_id=session_id,
        worktree_id=worktree_id,
        message_id=message_id,
        created_at=now,
    )
    await queries.execute(
        "INSERT INTO checkpoints (id, root, seq, commit_id, label, kind, chat_id, session_id, worktree_id,"
        " message_id, anchor_seq, set_aside, created_at)"
        " VALUES (:id, :root, :seq, :commit_id, :label, :kind, :chat_id, :session_id, :worktree_id,"
        " :message_id, :anchor_seq, 0, :now)",
        id=checkpoint_id,
        root=exact_name(root),
        seq=checkpoint.seq,
        commit_id=commit,
        label=checkpoint.label,
        kind=kind,
        chat_id=chat_id,
        session_id=session_id,
        worktree_id=worktree_id,
        message_id=message_id,
        anchor_seq=await _anchor_seq(queries, kind, chat_id, message_id),
        now=now,
    )
    return checkpoint


async def find(queries: Queries, root: str, prefix: str) -> Checkpoint:
    """The work tree's checkpoint whose id begins so. Raises `ConfigurationError` if there is none, or several."""
    row = await one_by_prefix(
        queries,
        "SELECT * FROM checkpoints WHERE root = :root AND set_aside = 0 AND substr(id, 1, :length) = :typed"
        " ORDER BY id LIMIT 4",
        prefix,
        what="checkpoint",
        where=" of this work tree: `mulligan checkpoints list` lists them",
        root=exact_name(root),
    )
    return checkpoint_of(row)


async def listed(queries: Queries, *, root: str | None, chat_id: str | None) -> list[Checkpoint]:
    """In the order they were made: within a work tree by number, between work trees only the time tells."""
    rows = await queries.fetch_all(
        "SELECT * FROM checkpoints WHERE set_aside = 0 AND root = COALESCE(:root, root)"
        " AND (chat_id = :chat_id OR CAST(:chat_id AS TEXT) IS NULL) ORDER BY root, seq",
        root=None if root is None else exact_name(root),
        chat_id=chat_id,
    )
    by_root = [list(group) for _, group in groupby(map(checkpoint_of, rows), key=lambda one: one.root)]
    return list(merge(*by_root, key=lambda one: one.created_at))


async def drop(queries: Queries, ids: Sequence[str]) -> list[str]:
    """Forget checkpoints, and what only an undo to them could have brought back. Runs inside a transaction.

    Returns the ids of all that are gone. What a restore under way needs stays.
    """
    rows = [await queries.fetch_one("SELECT id, root FROM checkpoints WHERE id = :id", id=one) for one in ids]
    gone: list[str] = []
    # Sorted, so that two who drop lock work trees in one order and wait for each other instead of for ever.
    for root in sorted({row["root"] for row in rows if row is not None}):
        await _lock(queries, root)
        dropped = {row["id"] for row in rows if row is not None and row["root"] == root}
        gone += await _delete(queries, dropped - await _needed_by_restore(queries, root))
        gone += await _delete(queries, await _out_of_reach(queries, root))
        await queries.execute(
            "DELETE FROM restores WHERE root = :root AND result IS NOT NULL"
            " AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.id = restores.safety_id)",
            root=root,
        )
    return gone


def within_reach(visible: Iterable[str], kept_by: Mapping[str, AbstractSet[str]]) -> set[str]:
    """The visible checkpoints, and those that undoing to a safety checkpoint brings back, and so on from there."""
    reached: set[str] = set()
    ahead = list(visible)
    while ahead:
        one = ahead.pop()
        if one not in reached:
            reached.add(one)
            ahead.extend(kept_by.get(one, ()))
    return reached


async def lock(queries: Queries, root: str) -> None:
    """Until the transaction ends, no other process adds, drops or restores checkpoints of this work tree."""
    await _lock(queries, exact_name(root))


def checkpoint_of(row: Row) -> Checkpoint:
    return Checkpoint(
        id=row["id"],
        seq=row["seq"],
        root=name_of(row["root"]),
        commit=row["commit_id"],
        label=row["label"],
        kind=row["kind"],
        chat_id=row["chat_id"],
        session_id=row["session_id"],
        worktree_id=row["worktree_id"],
        message_id=row["message_id"],
        created_at=row["created_at"],
    )


async def _anchor_seq(
    queries: Queries, kind: CheckpointKind, chat_id: str | None, message_id: str | None
) -> int | None:
    """From where a restore would trim the chat; None where it would not."""
    if kind == "safety":
        row = await queries.fetch_one("SELECT next_seq AS seq FROM chats WHERE id = :chat_id", chat_id=chat_id)
    elif message_id is not None:
        row = await queries.fetch_one(
            "SELECT seq FROM messages WHERE id = :message_id AND chat_id = :chat_id",
            message_id=message_id,
            chat_id=chat_id,
        )
        if row is None:
            raise ConfigurationError(f"there is no message {message_id!r} in chat {chat_id!r}")
    else:
        row = None
    return row["seq"] if row is not None else None


async def _next_seq(queries: Queries, root: str) -> int:
    """The counter's row stays locked until the transaction ends, so no two checkpoints get one place."""
    row = await queries.fetch_one(
        "INSERT INTO checkpoint_counters (root, next_seq) VALUES (:root, 2) ON CONFLICT (root)"
        " DO UPDATE SET next_seq = checkpoint_counters.next_seq + 1 RETURNING next_seq - 1 AS seq",
        root=exact_name(root),
    )
    if row is None:
        raise StoreError("the database gave a new checkpoint no place")
    return row["seq"]


async def _lock(queries: Queries, exact_root: str) -> None:
    await queries.execute(
        "INSERT INTO checkpoint_counters (root, next_seq) VALUES (:root, 1)"
        " ON CONFLICT (root) DO UPDATE SET next_seq = checkpoint_counters.next_seq",
        root=exact_root,
    )


async def _needed_by_restore(queries: Queries, exact_root: str) -> set[str]:
    """The two checkpoints of the restore under way."""
    rows = await queries.fetch_all(
        "SELECT checkpoint_id, safety_id FROM restores WHERE root = :root AND result IS NULL", root=exact_root
    )
    return {one for row in rows for one in (row["checkpoint_id"], row["safety_id"])}


async def _out_of_reach(queries: Queries, exact_root: str) -> set[str]:
    """Checkpoints that were set aside and that no undo can bring back any more."""
    rows = await queries.fetch_all("SELECT id, set_aside FROM checkpoints WHERE root = :root", root=exact_root)
    moves = await queries.fetch_all(
        "SELECT restores.safety_id, checkpoint_moves.checkpoint_id FROM restores"
        " JOIN checkpoint_moves ON checkpoint_moves.restore_id = restores.id"
        " WHERE restores.root = :root AND checkpoint_moves.direction = 'taken'",
        root=exact_root,
    )
    kept_by: dict[str, set[str]] = {}
    for move in moves:
        kept_by.setdefault(move["safety_id"], set()).add(move["checkpoint_id"])
    visible = {row["id"] for row in rows if not row["set_aside"]}
    return {row["id"] for row in rows} - within_reach(visible, kept_by)


async def _delete(queries: Queries, ids: AbstractSet[str]) -> list[str]:
    for one in ids:
        await queries.execute("DELETE FROM checkpoints WHERE id = :id", id=one)
    return sorted(ids)
