"""Trims a chat for a restore: removes messages and everything that belongs to them. An undo restores them.

The stored record describes the earlier state, not the operations. So it leads back to that state from any later one,
any number of times.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import groupby

from mulligan.store.chats import lock_chat
from mulligan.store.database import Queries, Row
from mulligan.store.rows import insert, read_row
from mulligan.store.serialization import name_of
from mulligan.types.base import Record, field
from mulligan.types.changes import ChangeStatus
from mulligan.types.checkpoints import SessionStatus
from mulligan.types.frozen import frozen

WITHOUT_ITS_MESSAGE: Mapping[ChangeStatus, ChangeStatus] = {"applied": "reverted", "pending": "rejected"}
"""The new status of a change whose message is removed; other statuses stay. A change that was applied outside the
restored work tree also keeps its status: its file was not touched."""


class KeptPart(Record):
    place: int
    kind: str
    body: str


class KeptMessage(Record):
    """The columns of a removed message."""

    id: str
    seq: int
    role: str
    status: str
    metadata: str
    step: int | None
    owner: str | None
    beat_at: float
    created_at: float
    parts: tuple[KeptPart, ...]


class KeptChange(Record):
    id: str
    status: ChangeStatus
    message_id: str | None
    updated_at: float


class KeptSession(Record):
    id: str
    status: SessionStatus
    updated_at: float


class TrimmedChat(Record):
    """The state of a chat before a restore, as far as the restore changed it."""

    messages: tuple[KeptMessage, ...] = ()
    """Messages that the restore removed."""
    brought_back: tuple[str, ...] = ()
    """Messages that the restore added back."""
    changes: tuple[KeptChange, ...] = ()
    sessions: tuple[KeptSession, ...] = ()
    anchors: dict[str, str] = field(default_factory=dict)
    """Message ids by checkpoint: the database drops this reference when it deletes the message."""


@frozen
class Trimming:
    messages_deleted: int = 0
    session_crashed: bool = False


async def trim(
    queries: Queries,
    chat_id: str,
    *,
    root: str,
    trim_from: int | None,
    restore_id: str,
    undone_id: str | None,
    now: float,
) -> Trimming:
    """Return the chat to an earlier state, and store the current one. Runs inside a transaction.

    `root` is the work tree whose files were restored. `undone_id` is the restore that this one undoes, if any. It is no
    error if the chat was deleted meanwhile.
    """
    if not await lock_chat(queries, chat_id):
        return Trimming()
    undone = await _trimmed_by(queries, undone_id)
    present = await _present(queries, chat_id)
    removed = _to_remove(present, undone, trim_from)
    returning = [message for message in undone.messages if message.id not in present]

    trimmed = TrimmedChat(
        messages=await _messages(queries, chat_id, removed),
        brought_back=tuple(message.id for message in returning),
        changes=await _changes(queries, chat_id, removed, also={change.id for change in undone.changes}),
        sessions=await _sessions(queries, chat_id, also={session.id for session in undone.sessions}),
        anchors=await _anchors(queries, chat_id, removed),
    )
    await insert(queries, "trimmed_chats", restore_id=restore_id, chat_id=chat_id, body=trimmed.model_dump_json())
    await _remove(queries, trimmed, removed, root=root, now=now)
    await _reinstate(queries, chat_id, undone, returning, root=root, open_until_now=_open(trimmed))
    return Trimming(messages_deleted=len(removed), session_crashed=bool(_open(trimmed)))


async def messages_removed(
    queries: Queries, chat_id: str, *, trim_from: int | None, undone_id: str | None
) -> frozenset[str]:
    """The messages that a restore would remove."""
    undone = await _trimmed_by(queries, undone_id)
    return frozenset(_to_remove(await _present(queries, chat_id), undone, trim_from))


def messages_at(
    now: Mapping[str, int],
    *,
    before: int | None,
    removed_since: AbstractSet[str],
    restored_since: AbstractSet[str],
) -> set[str]:
    """The messages that existed at an earlier moment, given the current ones and their numbers.

    Their numbers are below `before`. Messages removed since then existed, messages restored since then did not.
    """
    return {one for one, seq in now.items() if before is None or seq < before} - restored_since | removed_since


async def _present(queries: Queries, chat_id: str) -> dict[str, int]:
    """The messages of a chat, with their numbers."""
    rows = await queries.fetch_all(
        "SELECT id, seq FROM messages WHERE chat_id = :chat_id ORDER BY seq", chat_id=chat_id
    )
    return {row["id"]: row["seq"] for row in rows}


def _to_remove(present: Mapping[str, int], undone: TrimmedChat, trim_from: int | None) -> set[str]:
    returned = {message.id for message in undone.messages}
    restored = set(undone.brought_back)
    return present.keys() - messages_at(present, before=trim_from, removed_since=returned, restored_since=restored)


async def _remove(queries: Queries, trimmed: TrimmedChat, removed: AbstractSet[str], *, root: str, now: float) -> None:
    for change in trimmed.changes:
        if change.message_id not in removed or change.status not in WITHOUT_ITS_MESSAGE:
            continue
        if change.status == "pending" or await _is_within(queries, change, root):
            await _set_change(queries, change, status=WITHOUT_ITS_MESSAGE[change.status], updated_at=now)
    for session_id in _open(trimmed):
        await queries.execute(
            "UPDATE sessions SET status = 'crashed', updated_at = :now WHERE id = :id", id=session_id, now=now
        )
    # The database deletes the parts too, and clears references from changes and checkpoints.
    for message_id in removed:
        await queries.execute("DELETE FROM messages WHERE id = :id", id=message_id)


async def _reinstate(
    queries: Queries,
    chat_id: str,
    undone: TrimmedChat,
    returning: Iterable[KeptMessage],
    *,
    root: str,
    open_until_now: AbstractSet[str],
) -> None:
    for message in returning:
        await insert(queries, "messages", chat_id=chat_id, **message.model_dump(exclude={"parts"}))
        for part in message.parts:
            await insert(queries, "parts", message_id=message.id, **part.model_dump())
    for change in undone.changes:
        if change.status == "applied" and not await _is_within(queries, change, root):
            await _set_message(queries, change)  # what the user did with it since then stays
        else:
            await _set_change(queries, change, status=change.status, updated_at=change.updated_at)
    for session in undone.sessions:
        # A running agent remembers another conversation than this one: it starts over in any case.
        if session.id not in open_until_now:
            await queries.execute(
                "UPDATE sessions SET status = :status, updated_at = :updated_at WHERE id = :id", **session.model_dump()
            )
    for checkpoint_id, message_id in undone.anchors.items():
        await queries.execute(
            "UPDATE checkpoints SET message_id = (SELECT id FROM messages WHERE id = :message_id) WHERE id = :id",
            id=checkpoint_id,
            message_id=message_id,
        )


async def _is_within(queries: Queries, change: KeptChange, root: str) -> bool:
    row = await queries.fetch_one("SELECT project FROM pending_changes WHERE id = :id", id=change.id)
    project = name_of(row["project"]) if row is not None else ""
    return f"{project}/".startswith(f"{root}/")


def _open(trimmed: TrimmedChat) -> set[str]:
    return {session.id for session in trimmed.sessions if session.status == "open"}


async def _trimmed_by(queries: Queries, restore_id: str | None) -> TrimmedChat:
    row = await queries.fetch_one("SELECT body FROM trimmed_chats WHERE restore_id = :id", id=restore_id)
    return TrimmedChat.model_validate_json(row["body"]) if row is not None else TrimmedChat()


async def _messages(queries: Queries, chat_id: str, removed: AbstractSet[str]) -> tuple[KeptMessage, ...]:
    rows = await queries.fetch_all(
        "SELECT m.*, p.place, p.kind, p.body FROM messages m LEFT JOIN parts p ON p.message_id = m.id"
        " WHERE m.chat_id = :chat_id ORDER BY m.seq, p.place",
        chat_id=chat_id,
    )
    wanted = (row for row in rows if row["id"] in removed)
    return tuple(_message(list(group)) for _, group in groupby(wanted, key=lambda row: row["id"]))


def _message(rows: list[Row]) -> KeptMessage:
    """There is one row per part. A message without parts has one row, whose `place` is None."""
    parts = tuple(read_row(KeptPart, row) for row in rows if row["place"] is not None)
    return read_row(KeptMessage, rows[0], parts=parts)


async def _changes(
    queries: Queries, chat_id: str, removed: AbstractSet[str], *, also: AbstractSet[str]
) -> tuple[KeptChange, ...]:
    rows = await queries.fetch_all(
        "SELECT c.id, c.status, c.message_id, c.updated_at FROM pending_changes c"
        " LEFT JOIN messages m ON m.id = c.message_id"
        " WHERE c.chat_id = :chat_id OR m.chat_id = :chat_id ORDER BY c.project, c.seq",
        chat_id=chat_id,
    )
    return tuple(read_row(KeptChange, row) for row in rows if row["message_id"] in removed or row["id"] in also)


async def _sessions(queries: Queries, chat_id: str, *, also: AbstractSet[str]) -> tuple[KeptSession, ...]:
    rows = await queries.fetch_all(
        "SELECT id, status, updated_at FROM sessions WHERE chat_id = :chat_id ORDER BY seq", chat_id=chat_id
    )
    return tuple(read_row(KeptSession, row) for row in rows if row["status"] == "open" or row["id"] in also)


async def _anchors(queries: Queries, chat_id: str, removed: AbstractSet[str]) -> dict[str, str]:
    rows = await queries.fetch_all("SELECT id, message_id FROM checkpoints WHERE chat_id = :chat_id", chat_id=chat_id)
    return {row["id"]: row["message_id"] for row in rows if row["message_id"] in removed}


async def _set_change(queries: Queries, change: KeptChange, *, status: ChangeStatus, updated_at: float) -> None:
    await queries.execute(
        "UPDATE pending_changes SET status = :status, updated_at = :updated_at WHERE id = :id",
        id=change.id,
        status=status,
        updated_at=updated_at,
    )
    await _set_message(queries, change)


async def _set_message(queries: Queries, change: KeptChange) -> None:
    await queries.execute(
        "UPDATE pending_changes SET message_id = (SELECT id FROM messages WHERE id = :message_id) WHERE id = :id",
        id=change.id,
        message_id=change.message_id,
    )
