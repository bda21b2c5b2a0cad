"""Checkpoints, numbered per work tree."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict
from heapq import merge
from itertools import groupby
from typing import Unpack

from mulligan.store.database import Queries, Row
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import find_by_prefix, insert, next_seq, read_row
from mulligan.store.serialization import exact_name, name_of, storable
from mulligan.types.checkpoints import Checkpoint, CheckpointKind, Owners
from mulligan.types.errors import ConfigurationError


class SqlCheckpointRepository(SqlRepository):
    """The port `CheckpointRepository`."""

    async def add(
        self, checkpoint_id: str, *, root: str, commit: str, label: str, kind: CheckpointKind, **owners: Unpack[Owners]
    ) -> Checkpoint:
        async with self._database.transaction() as queries:
            checkpoint = Checkpoint(
                id=checkpoint_id,
                seq=await next_seq(queries, "checkpoint_counters", "root", exact_name(root)),
                root=root,
                commit=commit,
                label=storable(label),
                kind=kind,
                created_at=self._clock(),
                **owners,
            )
            columns = asdict(checkpoint) | {
                "root": exact_name(root),
                "anchor_seq": await _anchor_seq(queries, checkpoint),
            }
            await insert(queries, "checkpoints", commit_id=columns.pop("commit"), set_aside=0, **columns)
        return checkpoint

    async def find(self, root: str, prefix: str) -> Checkpoint:
        row = await find_by_prefix(
            self._database,
            "checkpoints",
            prefix,
            what="checkpoint",
            where=" of this work tree: `mulligan checkpoints list` lists them",
            root=exact_name(root),
            set_aside=0,
        )
        return read_checkpoint(row)

    async def delete(self, ids: Sequence[str]) -> list[str]:
        gone: list[str] = []
        async with self._database.transaction() as queries:
            rows = [await queries.fetch_one("SELECT id, root FROM checkpoints WHERE id = :id", id=one) for one in ids]
            # Sorted, so that two processes lock work trees in the same order and can't deadlock.
            for root in sorted({row["root"] for row in rows if row is not None}):
                named = {row["id"] for row in rows if row is not None and row["root"] == root}
                gone += await _delete_of(queries, root, named)
        return gone

    async def list(self, *, root: str | None = None, chat_id: str | None = None) -> list[Checkpoint]:
        rows = await self._database.fetch_all(
            "SELECT * FROM checkpoints WHERE set_aside = 0 AND root = COALESCE(:root, root)"
            " AND (chat_id = :chat_id OR CAST(:chat_id AS TEXT) IS NULL) ORDER BY root, seq",
            root=None if root is None else exact_name(root),
            chat_id=chat_id,
        )
        # Within a work tree the number gives the order, between work trees only the time does.
        by_root = [list(group) for _, group in groupby(map(read_checkpoint, rows), key=lambda one: one.root)]
        return list(merge(*by_root, key=lambda one: one.created_at))


def within_reach(visible: Iterable[str], kept_by: Mapping[str, AbstractSet[str]]) -> set[str]:
    """The visible checkpoints, those that an undo to a safety checkpoint would show again, and so on from there."""
    reached: set[str] = set()
    ahead = list(visible)
    while ahead:
        one = ahead.pop()
        if one not in reached:
            reached.add(one)
            ahead.extend(kept_by.get(one, ()))
    return reached


async def lock_work_tree(queries: Queries, exact_root: str) -> None:
    """Until the transaction ends, no other process adds, deletes or restores checkpoints of this work tree."""
    await queries.execute(
        "INSERT INTO checkpoint_counters (root, next_seq) VALUES (:root, 1)"
        " ON CONFLICT (root) DO UPDATE SET next_seq = checkpoint_counters.next_seq",
        root=exact_root,
    )


def read_checkpoint(row: Row) -> Checkpoint:
    return read_row(Checkpoint, row, root=name_of(row["root"]), commit=row["commit_id"])


async def _anchor_seq(queries: Queries, made: Checkpoint) -> int | None:
    """The number from which a restore would trim the chat; None if it would not."""
    if made.kind == "safety":
        row = await queries.fetch_one("SELECT next_seq AS seq FROM chats WHERE id = :chat_id", chat_id=made.chat_id)
    elif made.message_id is not None:
        row = await queries.fetch_one(
            "SELECT seq FROM messages WHERE id = :message_id AND chat_id = :chat_id",
            message_id=made.message_id,
            chat_id=made.chat_id,
        )
        if row is None:
            raise ConfigurationError(f"there is no message {made.message_id!r} in chat {made.chat_id!r}")
    else:
        row = None
    return row["seq"] if row is not None else None


async def _delete_of(queries: Queries, exact_root: str, ids: AbstractSet[str]) -> list[str]:
    """Delete checkpoints of one work tree, and those that only an undo to them could have shown again."""
    await lock_work_tree(queries, exact_root)
    gone = await _delete(queries, ids - await _needed_by_restore(queries, exact_root))
    gone += await _delete(queries, await _out_of_reach(queries, exact_root))
    await queries.execute(
        "DELETE FROM restores WHERE root = :root AND result IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.id = restores.safety_id)",
        root=exact_root,
    )
    return gone


async def _needed_by_restore(queries: Queries, exact_root: str) -> set[str]:
    """The two checkpoints of a running restore."""
    rows = await queries.fetch_all(
        "SELECT checkpoint_id, safety_id FROM restores WHERE root = :root AND result IS NULL", root=exact_root
    )
    return {one for row in rows for one in (row["checkpoint_id"], row["safety_id"])}


async def _out_of_reach(queries: Queries, exact_root: str) -> set[str]:
    """Hidden checkpoints that no undo can show again."""
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
