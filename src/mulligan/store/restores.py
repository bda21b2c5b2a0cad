"""Restores: noted before the files are touched, and carried out in the store, all at once, when they are back."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from mulligan.store import checkpoints
from mulligan.store.changes import exact_name, name_of
from mulligan.store.chat_trimming import Trimming, count_taken, standing_then, trim
from mulligan.store.checkpoints import checkpoint_of
from mulligan.store.database import Queries, Row
from mulligan.store.ids import new_id
from mulligan.store.process_owner import Owner, will_not_finish
from mulligan.store.sweeper import sweep_chat
from mulligan.types.checkpoints import Checkpoint, Restore, RestoreResult
from mulligan.types.errors import ChatBusy, ConfigurationError


async def begin(
    queries: Queries, root: str, checkpoint_id: str, safety_id: str, *, owner: Owner, now: float
) -> Restore:
    """Note that this process is about to restore. Runs inside a transaction.

    Raises `ConfigurationError` if another restore of this work tree is under way, `ChatBusy` if the chat is being
    answered.
    """
    await checkpoints.lock(queries, root)
    await _refuse_second(queries, root)
    target = await _visible(queries, root, checkpoint_id)
    restore = Restore(
        id=new_id(), root=root, checkpoint=checkpoint_of(target), safety=await _safety(queries, root, safety_id)
    )
    if restore.checkpoint.chat_id is not None:
        if restore.safety.chat_id != restore.checkpoint.chat_id:
            raise ConfigurationError(f"safety checkpoint {safety_id!r} does not hold the chat that would be trimmed")
        await _refuse_busy(queries, restore.checkpoint.chat_id, host=owner.host, now=now)
    await queries.execute(
        "INSERT INTO restores (id, root, checkpoint_id, safety_id, checkpoint, safety, trim_from, owner, begun_at)"
        " VALUES (:id, :root, :checkpoint_id, :safety_id, :checkpoint, :safety, :trim_from, :owner, :now)",
        id=restore.id,
        root=exact_name(root),
        checkpoint_id=checkpoint_id,
        safety_id=safety_id,
        checkpoint=json.dumps(asdict(restore.checkpoint)),
        safety=json.dumps(asdict(restore.safety)),
        trim_from=target["anchor_seq"],
        owner=owner.to_json(),
        now=now,
    )
    return restore


async def end(queries: Queries, restore_id: str, *, now: float) -> RestoreResult:
    """Let the chat and the later checkpoints follow the files. Runs inside a transaction.

    One that was ended already is only reported.
    """
    row = await _locked(queries, restore_id)
    if row["result"] is not None:
        return RestoreResult.model_validate_json(row["result"])
    restore = _restore(row)
    undone_id = await _undone_by(queries, restore.checkpoint.id)
    trimming = Trimming()
    if restore.checkpoint.chat_id is not None:
        trimming = await trim(
            queries,
            restore.checkpoint.chat_id,
            root=restore.root,
            trim_from=row["trim_from"],
            restore_id=restore_id,
            undone_id=undone_id,
            now=now,
        )
    await _move_checkpoints(queries, restore, undone_id)
    result = RestoreResult(
        checkpoint_id=restore.checkpoint.id,
        messages_deleted=trimming.messages_deleted,
        worktree_reset=True,
        backend_reset=trimming.session_crashed,
    )
    await queries.execute(
        "UPDATE restores SET result = :result WHERE id = :id", id=restore_id, result=result.model_dump_json()
    )
    return result


async def messages_to_go(queries: Queries, root: str, checkpoint_id: str) -> int:
    """How many messages a restore to this checkpoint would take out of its chat."""
    row = await _visible(queries, root, checkpoint_id)
    if row["chat_id"] is None:
        return 0
    undone_id = await _undone_by(queries, checkpoint_id)
    return await count_taken(queries, row["chat_id"], trim_from=row["anchor_seq"], undone_id=undone_id)


async def abandon(queries: Queries, restore_id: str) -> None:
    """Forget that it was begun. One that was ended stays."""
    await queries.execute("DELETE FROM restores WHERE id = :id AND result IS NULL", id=restore_id)


async def left(queries: Queries, root: str, *, host: str, now: float) -> list[Restore]:
    """Restores begun by a process that is gone."""
    rows = await queries.fetch_all(_UNDER_WAY, root=exact_name(root))
    return [_restore(row) for row in rows if _is_left(row, host=host, now=now)]


async def _undone_by(queries: Queries, checkpoint_id: str) -> str | None:
    """The restore that is undone by returning to this checkpoint, if it is one's safety checkpoint."""
    undone = await queries.fetch_one(
        "SELECT id FROM restores WHERE safety_id = :id AND result IS NOT NULL", id=checkpoint_id
    )
    return undone["id"] if undone is not None else None


async def _refuse_second(queries: Queries, root: str) -> None:
    row = await queries.fetch_one(_UNDER_WAY, root=exact_name(root))
    if row is not None:
        other = Owner.from_json(row["owner"])
        raise ConfigurationError(
            f"a restore of {root} was begun by process {other.pid} on {other.host} and is not done: "
            "wait until it is, or stop that process and try again"
        )


async def _refuse_busy(queries: Queries, chat_id: str, *, host: str, now: float) -> None:
    """Sweeping locks the chat first, so nobody starts to answer until the restore is noted."""
    await sweep_chat(queries, chat_id, host=host, now=now)
    busy = await queries.fetch_one(
        "SELECT owner FROM messages WHERE chat_id = :chat_id AND status = 'streaming'", chat_id=chat_id
    )
    if busy is not None:
        other = Owner.from_json(busy["owner"])
        raise ChatBusy(
            f"chat {chat_id} is being answered by process {other.pid} on {other.host}: "
            "wait until it is done, or stop that process, before you restore"
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
    safety = checkpoint_of(await _visible(queries, root, safety_id))
    if safety.kind != "safety":
        raise ConfigurationError(f"checkpoint {safety_id!r} is no safety checkpoint")
    return safety


async def _locked(queries: Queries, restore_id: str) -> Row:
    """The restore's row, read while its work tree is locked."""
    row = await queries.fetch_one("SELECT root FROM restores WHERE id = :id", id=restore_id)
    if row is not None:
        await checkpoints.lock(queries, name_of(row["root"]))
        row = await queries.fetch_one("SELECT * FROM restores WHERE id = :id", id=restore_id)
    if row is None:
        raise ConfigurationError(f"there is no restore {restore_id!r}: it was abandoned, or its checkpoint dropped")
    return row


@dataclass(frozen=True, slots=True)
class _Moves:
    taken: frozenset[str] = frozenset()
    brought_back: frozenset[str] = frozenset()


async def _move_checkpoints(queries: Queries, restore: Restore, undone_id: str | None) -> None:
    """Set aside those that are later than the restored one, and bring back what the undone restore had set aside."""
    rows = await queries.fetch_all(
        "SELECT id, seq FROM checkpoints WHERE root = :root AND set_aside = 0", root=exact_name(restore.root)
    )
    visible: Mapping[str, int] = {row["id"]: row["seq"] for row in rows}
    undone = await _moves_of(queries, undone_id)
    stand = standing_then(
        visible,
        before=restore.checkpoint.seq + 1,
        taken_since=undone.taken,
        brought_since=undone.brought_back,
    )
    taken = visible.keys() - stand - {restore.safety.id}
    for ids, direction in ((taken, "taken"), (stand - visible.keys(), "brought_back")):
        for one in ids:
            await queries.execute(
                "UPDATE checkpoints SET set_aside = :set_aside WHERE id = :id",
                id=one,
                set_aside=int(direction == "taken"),
            )
            await queries.execute(
                "INSERT INTO checkpoint_moves (restore_id, checkpoint_id, direction) VALUES (:restore_id, :id, :way)",
                restore_id=restore.id,
                id=one,
                way=direction,
            )


async def _moves_of(queries: Queries, restore_id: str | None) -> _Moves:
    rows = await queries.fetch_all(
        "SELECT checkpoint_id, direction FROM checkpoint_moves WHERE restore_id = :id", id=restore_id
    )
    return _Moves(
        taken=frozenset(row["checkpoint_id"] for row in rows if row["direction"] == "taken"),
        brought_back=frozenset(row["checkpoint_id"] for row in rows if row["direction"] == "brought_back"),
    )


def _is_left(row: Row, *, host: str, now: float) -> bool:
    return will_not_finish(Owner.from_json(row["owner"]), silence=now - row["begun_at"], host=host)


def _restore(row: Row) -> Restore:
    root = name_of(row["root"])
    # JSON would make one character of two lone surrogates, so the root is not taken from it.
    checkpoint, safety = (Checkpoint(**json.loads(row[which]) | {"root": root}) for which in ("checkpoint", "safety"))
    return Restore(id=row["id"], root=root, checkpoint=checkpoint, safety=safety)


_UNDER_WAY = "SELECT * FROM restores WHERE root = :root AND result IS NULL"
