"""Restores: recorded before files are touched, and carried out in the store, in one transaction, once the files are
restored."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from mulligan.store.checkpoints import lock_work_tree, read_checkpoint
from mulligan.store.database import Queries, Row
from mulligan.store.ids import new_id
from mulligan.store.process_owner import Owner
from mulligan.store.repository import SqlRepository
from mulligan.store.rows import insert
from mulligan.store.serialization import exact_name, name_of
from mulligan.store.sweeper import refuse_answering
from mulligan.types.checkpoints import Checkpoint, DoneRestore, Restore, RestoreResult
from mulligan.types.errors import ConfigurationError
from mulligan.types.frozen import frozen


class SqlRestoreRepository(SqlRepository):
    """The port `RestoreRepository`, and queries for a preview."""

    async def begin(self, root: str, checkpoint_id: str, safety_id: str) -> Restore:
        exact_root, now = exact_name(root), self._clock()
        async with self._database.transaction() as queries:
            await lock_work_tree(queries, exact_root)
            await _refuse_second(queries, root)
            target = await _visible(queries, root, checkpoint_id)
            checkpoint, safety = read_checkpoint(target), await _safety(queries, root, safety_id)
            if checkpoint.chat_id is not None:
                if safety.chat_id != checkpoint.chat_id:
                    raise ConfigurationError(
                        f"safety checkpoint {safety_id!r} does not contain the chat that would be trimmed"
                    )
                advice = "wait until it is done, or stop that process, before you restore"
                await refuse_answering(queries, checkpoint.chat_id, host=self._owner.host, now=now, advice=advice)
            restore = Restore(id=new_id(), root=root, checkpoint=checkpoint, safety=safety)
            await insert(
                queries,
                "restores",
                id=restore.id,
                root=exact_root,
                checkpoint_id=checkpoint_id,
                safety_id=safety_id,
                checkpoint=json.dumps(asdict(checkpoint)),
                safety=json.dumps(asdict(safety)),
                trim_from=target["anchor_seq"],
                owner=self._owner.to_json(),
                begun_at=now,
            )
        return restore

    async def end(self, restore_id: str) -> RestoreResult:
        async with self._database.transaction() as queries:
            row = await _locked(queries, restore_id)
            if row["result"] is not None:
                return RestoreResult.model_validate_json(row["result"])
            result = await _follow(queries, _restore(row), trim_from=row["trim_from"], now=self._clock())
            await queries.execute(
                "UPDATE restores SET result = :result WHERE id = :id", id=restore_id, result=result.model_dump_json()
            )
        return result

    async def abandon(self, restore_id: str) -> None:
        await self._database.execute("DELETE FROM restores WHERE id = :id AND result IS NULL", id=restore_id)

    async def interrupted(self, root: str) -> list[Restore]:
        rows = await self._database.fetch_all(_UNDER_WAY, root=exact_name(root))
        return [_restore(row) for row in rows if self._is_interrupted(row["owner"], since=row["begun_at"])]

    async def reach(self, checkpoint: Checkpoint) -> frozenset[str]:
        """Ids of the messages that a restore of this checkpoint would remove from its chat."""
        async with self._database.transaction() as queries:
            row = await _visible(queries, checkpoint.root, checkpoint.id)
            if row["chat_id"] is None:
                return frozenset()
            from mulligan.store.chat_trimming import messages_removed

            undone_id = await _undone_by(queries, checkpoint.id)
            return await messages_removed(queries, row["chat_id"], trim_from=row["anchor_seq"], undone_id=undone_id)

    async def done(self, chat_id: str) -> list[DoneRestore]:
        """The restores of a chat that can be undone, oldest first."""
        rows = await self._database.fetch_all(
            "SELECT restores.*, checkpoints.anchor_seq FROM restores"
            " JOIN checkpoints ON checkpoints.id = restores.safety_id"
            " WHERE checkpoints.chat_id = :chat_id AND checkpoints.set_aside = 0 AND restores.result IS NOT NULL"
            " ORDER BY restores.begun_at, checkpoints.seq",
            chat_id=chat_id,
        )
        return [_done(row) for row in rows]


async def _follow(queries: Queries, restore: Restore, *, trim_from: int | None, now: float) -> RestoreResult:
    """Update the chat and the later checkpoints to match the restored files."""
    # Every start queries interrupted restores; the code for trimming is only imported if there is one.
    from mulligan.store.chat_trimming import Trimming, trim

    undone_id = await _undone_by(queries, restore.checkpoint.id)
    trimming = Trimming()
    if restore.checkpoint.chat_id is not None:
        trimming = await trim(
            queries,
            restore.checkpoint.chat_id,
            root=restore.root,
            trim_from=trim_from,
            restore_id=restore.id,
            undone_id=undone_id,
            now=now,
        )
    await _move_checkpoints(queries, restore, undone_id)
    return RestoreResult(
        checkpoint_id=restore.checkpoint.id,
        messages_deleted=trimming.messages_deleted,
        worktree_reset=True,
        backend_reset=trimming.session_crashed,
    )


async def _undone_by(queries: Queries, checkpoint_id: str) -> str | None:
    """The restore that returning to this checkpoint undoes, if this is its safety checkpoint."""
    undone = await queries.fetch_one(
        "SELECT id FROM restores WHERE safety_id = :id AND result IS NOT NULL", id=checkpoint_id
    )
    return undone["id"] if undone is not None else None


async def _refuse_second(queries: Queries, root: str) -> None:
    row = await queries.fetch_one(_UNDER_WAY, root=exact_name(root))
    if row is not None:
        raise ConfigurationError(
            f"a restore of {root} was started by {Owner.from_json(row['owner'])} and is not done: "
            "wait until it is, or stop that process and try again"
        )


async def _visible(queries: Queries, root: str, checkpoint_id: str) -> Row:
    row = await queries.fetch_one(
        "SELECT * FROM checkpoints WHERE id = :id AND root = :root AND set_aside = 0",
        id=checkpoint_id,
        root=exact_name(root),
    )
    if row is None:
        raise ConfigurationError(
            f"there is no checkpoint {checkpoint_id!r} of this work tree: `mulligan checkpoints list` lists them"
        )
    return row


async def _safety(queries: Queries, root: str, safety_id: str) -> Checkpoint:
    safety = read_checkpoint(await _visible(queries, root, safety_id))
    if safety.kind != "safety":
        raise ConfigurationError(f"checkpoint {safety_id!r} is no safety checkpoint")
    return safety


async def _locked(queries: Queries, restore_id: str) -> Row:
    """The restore's row, read while its work tree is locked."""
    row = await queries.fetch_one("SELECT root FROM restores WHERE id = :id", id=restore_id)
    if row is not None:
        await lock_work_tree(queries, row["root"])
        row = await queries.fetch_one("SELECT * FROM restores WHERE id = :id", id=restore_id)
    if row is None:
        raise ConfigurationError(f"there is no restore {restore_id!r}: it was abandoned, or its checkpoint dropped")
    return row


@frozen
class _Moves:
    taken: frozenset[str] = frozenset()
    brought_back: frozenset[str] = frozenset()


async def _move_checkpoints(queries: Queries, restore: Restore, undone_id: str | None) -> None:
    """Hide checkpoints later than the restored one, and show those that the undone restore had hidden."""
    from mulligan.store.chat_trimming import messages_at

    rows = await queries.fetch_all(
        "SELECT id, seq FROM checkpoints WHERE root = :root AND set_aside = 0", root=exact_name(restore.root)
    )
    visible: Mapping[str, int] = {row["id"]: row["seq"] for row in rows}
    undone = await _moves_of(queries, undone_id)
    kept = messages_at(
        visible,
        before=restore.checkpoint.seq + 1,
        removed_since=undone.taken,
        restored_since=undone.brought_back,
    )
    taken = visible.keys() - kept - {restore.safety.id}
    for ids, direction in ((taken, "taken"), (kept - visible.keys(), "brought_back")):
        for one in ids:
            await queries.execute(
                "UPDATE checkpoints SET set_aside = :set_aside WHERE id = :id",
                id=one,
                set_aside=int(direction == "taken"),
            )
            await insert(queries, "checkpoint_moves", restore_id=restore.id, checkpoint_id=one, direction=direction)


async def _moves_of(queries: Queries, restore_id: str | None) -> _Moves:
    rows = await queries.fetch_all(
        "SELECT checkpoint_id, direction FROM checkpoint_moves WHERE restore_id = :id", id=restore_id
    )
    return _Moves(
        taken=frozenset(row["checkpoint_id"] for row in rows if row["direction"] == "taken"),
        brought_back=frozenset(row["checkpoint_id"] for row in rows if row["direction"] == "brought_back"),
    )


def _done(row: Row) -> DoneRestore:
    restore = _restore(row)
    return DoneRestore(
        id=restore.id,
        checkpoint=restore.checkpoint,
        safety=restore.safety,
        at_seq=row["anchor_seq"],
        messages_deleted=RestoreResult.model_validate_json(row["result"]).messages_deleted,
        done_at=row["begun_at"],
    )


def _restore(row: Row) -> Restore:
    root = name_of(row["root"])
    # JSON would merge two lone surrogates into one character, so the root is not read from it.
    checkpoint, safety = (Checkpoint(**json.loads(row[which]) | {"root": root}) for which in ("checkpoint", "safety"))
    return Restore(id=row["id"], root=root, checkpoint=checkpoint, safety=safety)


_UNDER_WAY = "SELECT * FROM restores WHERE root = :root AND result IS NULL"
