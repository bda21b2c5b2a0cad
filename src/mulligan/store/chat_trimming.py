"""What a restore does to a chat: messages are taken away with all that hangs on them, and an undo brings them back.

What is kept tells how things stood, not what was done to them. So it leads back to that moment from any later one, any
number of times.
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
"""What becomes of a change whose message is taken away; of any other status it keeps it. One that was applied outside
the restored work tree keeps it too: its file was not touched."""


class KeptPart(Record):
    place: int
    kind: str
    body: str


class KeptMessage(Record):
    """The columns of a message, as they stood."""

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
    """How a chat stood before a restore, where that differs from how it stood after it."""

    messages: tuple[KeptMessage, ...] = ()
    """Those that the restore took away."""
    brought_back: tuple[str, ...] = ()
    """Messages that were not there, and came with the restore."""
    changes: tuple[KeptChange, ...] = ()
    sessions: tuple[KeptSession, ...] = ()
    anchors: dict[str, str] = field(default_factory=dict)
    """The messages of checkpoints, which the database forgets with the message."""


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
    """Bring the chat to where it was, and keep how it stood until now. Runs inside a transaction.

    `root` is the work tree whose files went back. `undone_id` is the restore that is undone, if it is one. A chat that
    was deleted meanwhile is no error.
    """
    if not await lock_chat(queries, chat_id):
        return Trimming()
    undone = await _kept_by(queries, undone_id)
    present = await _present(queries, chat_id)
    taken = _to_be_taken(present, undone, trim_from)
    returning = [message for message in undone.messages if message.id not in present]

    stood = TrimmedChat(
        messages=await _messages(queries, chat_id, taken),
        brought_back=tuple(message.id for message in returning),
        changes=await _changes(queries, chat_id, taken, also={change.id for change in undone.changes}),
        sessions=await _sessions(queries, chat_id, also={session.id for session in undone.sessions}),
        anchors=await _anchors(queries, chat_id, taken),
    )
    await insert(queries, "trimmed_chats", restore_id=restore_id, chat_id=chat_id, body=stood.model_dump_json())
    await _take_away(queries, stood, taken, root=root, now=now)
    await _bring_back(queries, chat_id, undone, returning, root=root, open_until_now=_open(stood))
    return Trimming(messages_deleted=len(taken), session_crashed=bool(_open(stood)))


async def messages_taken(
    queries: Queries, chat_id: str, *, trim_from: int | None, undone_id: str | None
) -> frozenset[str]:
    """The messages that a restore would take away."""
    undone = await _kept_by(queries, undone_id)
    return frozenset(_to_be_taken(await _present(queries, chat_id), undone, trim_from))


def messages_at(
    now: Mapping[str, int],
    *,
    before: int | None,
    taken_since: AbstractSet[str],
    brought_since: AbstractSet[str],
) -> set[str]:
    """What stood at an earlier moment, given the places of what stands now.

    All of it was placed below `before`. What was taken away since then belongs to it, what was brought back does not.
    """
    return {one for one, seq in now.items() if before is None or seq < before} - brought_since | taken_since


async def _present(queries: Queries, chat_id: str) -> dict[str, int]:
    """The messages of a chat, with their places."""
    rows = await queries.fetch_all(
        "SELECT id, seq FROM messages WHERE chat_id = :chat_id ORDER BY seq", chat_id=chat_id
    )
    return {row["id"]: row["seq"] for row in rows}


def _to_be_taken(present: Mapping[str, int], undone: TrimmedChat, trim_from: int | None) -> set[str]:
    came_back = {message.id for message in undone.messages}
    brought = set(undone.brought_back)
    return present.keys() - messages_at(present, before=trim_from, taken_since=came_back, brought_since=brought)


async def _take_away(queries: Queries, stood: TrimmedChat, taken: AbstractSet[str], *, root: str, now: float) -> None:
    for change in stood.changes:
        if change.message_id not in taken or change.status not in WITHOUT_ITS_MESSAGE:
            continue
        if change.status == "pending" or await _is_within(queries, change, root):
            await _set_change(queries, change, status=WITHOUT_ITS_MESSAGE[change.status], updated_at=now)
    for session_id in _open(stood):
        await queries.execute(
            "UPDATE sessions SET status = 'crashed', updated_at = :now WHERE id = :id", id=session_id, now=now
        )
    # Parts go with their message; changes and checkpoints forget it.
    for message_id in taken:
        await queries.execute("DELETE FROM messages WHERE id = :id", id=message_id)


async def _bring_back(
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
            await _set_message(queries, change)  # whatever the user did with it since holds
        else:
            await _set_change(queries, change, status=change.status, updated_at=change.updated_at)
    for session in undone.sessions:
        # An agent at work has a conversation in mind that is no longer this one: it starts over in any case.
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


def _open(stood: TrimmedChat) -> set[str]:
    return {session.id for session in stood.sessions if session.status == "open"}


async def _kept_by(queries: Queries, restore_id: str | None) -> TrimmedChat:
    row = await queries.fetch_one("SELECT body FROM trimmed_chats WHERE restore_id = :id", id=restore_id)
    return TrimmedChat.model_validate_json(row["body"]) if row is not None else TrimmedChat()


async def _messages(queries: Queries, chat_id: str, taken: AbstractSet[str]) -> tuple[KeptMessage, ...]:
    rows = await queries.fetch_all(
        "SELECT m.*, p.place, p.kind, p.body FROM messages m LEFT JOIN parts p ON p.message_id = m.id"
        " WHERE m.chat_id = :chat_id ORDER BY m.seq, p.place",
        chat_id=chat_id,
    )
    wanted = (row for row in rows if row["id"] in taken)
    return tuple(_message(list(group)) for _, group in groupby(wanted, key=lambda row: row["id"]))


def _message(rows: list[Row]) -> KeptMessage:
    """One row a part; a message without parts has one row, and no place in it."""
    parts = tuple(read_row(KeptPart, row) for row in rows if row["place"] is not None)
    return read_row(KeptMessage, rows[0], parts=parts)


async def _changes(
    queries: Queries, chat_id: str, taken: AbstractSet[str], *, also: AbstractSet[str]
) -> tuple[KeptChange, ...]:
    rows = await queries.fetch_all(
        "SELECT c.id, c.status, c.message_id, c.updated_at FROM pending_changes c"
        " LEFT JOIN messages m ON m.id = c.message_id"
        " WHERE c.chat_id = :chat_id OR m.chat_id = :chat_id ORDER BY c.project, c.seq",
        chat_id=chat_id,
    )
    return tuple(read_row(KeptChange, row) for row in rows if row["message_id"] in taken or row["id"] in also)


async def _sessions(queries: Queries, chat_id: str, *, also: AbstractSet[str]) -> tuple[KeptSession, ...]:
    rows = await queries.fetch_all(
        "SELECT id, status, updated_at FROM sessions WHERE chat_id = :chat_id ORDER BY seq", chat_id=chat_id
    )
    return tuple(read_row(KeptSession, row) for row in rows if row["status"] == "open" or row["id"] in also)


async def _anchors(queries: Queries, chat_id: str, taken: AbstractSet[str]) -> dict[str, str]:
    rows = await queries.fetch_all("SELECT id, message_id FROM checkpoints WHERE chat_id = :chat_id", chat_id=chat_id)
    return {row["id"]: row["message_id"] for row in rows if row["message_id"] in taken}


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
