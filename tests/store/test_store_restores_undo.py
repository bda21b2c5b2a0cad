"""What a restore takes away, and what its undo brings back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from mulligan.store.chat_trimming import messages_at
from mulligan.store.database import Database
from mulligan.store.ids import new_id
from mulligan.store.store import SqlStore
from mulligan.types.changes import ChangeStatus, FileState, PendingChange
from mulligan.types.checkpoints import Checkpoint, RestoreResult
from mulligan.types.errors import ChatBusy
from mulligan.types.messages import Chat, Message, StepStart, Text, ToolCallPart
from tests.store.conftest import TURN, ManualClock, open_turn

ROOT = "/projects/engine"
NEW = FileState(b"new\n")
PARTS = [StepStart(step=1), Text(text="so ✎\0"), ToolCallPart(call_id="1", name="edit_file", arguments={"a": [None]})]


@dataclass
class Turn:
    reply: Message
    checkpoint: Checkpoint
    change: PendingChange


async def run_turn(store: SqlStore, chat: Chat, *, root: str = ROOT, status: ChangeStatus = "pending") -> Turn:
    """A turn as an agent that writes takes it: checkpoint first, then a change."""
    reply = await open_turn(store, chat)
    checkpoint = await store.checkpoints.add(
        new_id(), root=root, commit="c0ffee", label="turn", kind="turn", chat_id=chat.id, message_id=reply.id
    )
    change = await store.changes.add(
        project=root, path="a.py", before=None, after=NEW, chat_id=chat.id, message_id=reply.id
    )
    if status != "pending":
        await store.changes.set_status(change.id, status, expected="pending")
    await store.messages.save_parts(reply.id, 0, PARTS)
    await store.messages.close_reply(reply.id, "complete", TURN)
    return Turn(reply, checkpoint, change)


async def restore(store: SqlStore, target: Checkpoint) -> tuple[Checkpoint, RestoreResult]:
    safety = await store.checkpoints.add(
        new_id(), root=target.root, commit="5afe", label="", kind="safety", chat_id=target.chat_id
    )
    expected = len(await store.restores.reach(target))
    begun = await store.restores.begin(target.root, target.id, safety.id)
    result = await store.restores.end(begun.id)
    assert result.messages_deleted == expected
    return safety, result


async def tables(raw: Database) -> dict[str, list[dict[str, Any]]]:
    """Every column of all that a restore may touch, safety checkpoints left out."""
    queries = {
        "messages": "SELECT * FROM messages ORDER BY chat_id, seq",
        "parts": "SELECT * FROM parts ORDER BY message_id, place",
        "changes": "SELECT * FROM pending_changes ORDER BY project, seq",
        "sessions": "SELECT * FROM sessions ORDER BY chat_id, seq",
        "checkpoints": "SELECT * FROM checkpoints WHERE kind <> 'safety' ORDER BY root, seq",
    }
    found: dict[str, list[dict[str, Any]]] = {}
    for name, query in queries.items():
        rows: list[Any] = list(await raw.fetch_all(query))
        found[name] = [dict(row) for row in rows]
    return found


async def change_now(store: SqlStore, turn: Turn) -> PendingChange:
    return await store.changes.find(turn.change.project, turn.change.id)


async def test_the_chat_is_trimmed_from_the_message_on(store: SqlStore, chat: Chat) -> None:
    await run_turn(store, chat)
    second = await run_turn(store, chat)
    await run_turn(store, chat)
    _, result = await restore(store, second.checkpoint)
    assert result == RestoreResult(
        checkpoint_id=second.checkpoint.id, messages_deleted=3, worktree_reset=True, backend_reset=False
    )
    assert [message.seq for message in await store.messages.list(chat.id)] == [1, 2, 3]


async def test_places_are_not_given_again_after_a_restore(store: SqlStore, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    await restore(store, turn.checkpoint)
    await run_turn(store, chat)
    assert [message.seq for message in await store.messages.list(chat.id)] == [1, 3, 4]


async def test_later_checkpoints_go_and_the_restored_and_the_safety_one_stay(store: SqlStore, chat: Chat) -> None:
    first, second, third = [(await run_turn(store, chat)).checkpoint for _ in range(3)]
    safety, _ = await restore(store, second)
    listed = await store.checkpoints.list(root=ROOT)
    assert listed == [first, replace(second, message_id=None), safety]
    assert third not in await store.checkpoints.list(chat_id=chat.id)


@pytest.mark.parametrize(
    ("status", "becomes"),
    [
        pytest.param("pending", "rejected", id="pending"),
        pytest.param("applied", "reverted", id="applied"),
        pytest.param("rejected", "rejected", id="rejected"),
    ],
)
async def test_changes_of_trimmed_messages_are_settled(
    store: SqlStore, chat: Chat, clock: ManualClock, status: ChangeStatus, becomes: ChangeStatus
) -> None:
    earlier = await run_turn(store, chat)
    turn = await run_turn(store, chat, status=status)
    stood = await change_now(store, turn)
    clock.now += 7
    safety, _ = await restore(store, turn.checkpoint)
    settled = await change_now(store, turn)
    assert (settled.status, settled.message_id) == (becomes, None)
    assert settled.updated_at == clock.now - (0 if becomes != status else 7)
    assert await change_now(store, earlier) == earlier.change
    await restore(store, safety)
    assert await change_now(store, turn) == stood


@pytest.mark.parametrize(
    ("status", "becomes"),
    [
        pytest.param("pending", "rejected", id="pending: the turn that made it is gone"),
        pytest.param("applied", "applied", id="applied: its file is not in the work tree"),
    ],
)
async def test_a_restored_work_tree_leaves_the_files_of_the_checkout_alone(
    store: SqlStore, chat: Chat, status: ChangeStatus, becomes: ChangeStatus
) -> None:
    turn = await run_turn(store, chat, status=status)
    tree = await store.checkpoints.add(
        new_id(), root=f"{ROOT}-tree", commit="c", label="", kind="turn", chat_id=chat.id, message_id=turn.reply.id
    )
    await restore(store, tree)
    assert (await change_now(store, turn)).status == becomes


async def test_what_became_of_a_change_outside_the_work_tree_outlives_an_undo(store: SqlStore, chat: Chat) -> None:
    turn = await run_turn(store, chat, status="applied")
    tree = await store.checkpoints.add(
        new_id(), root=f"{ROOT}-tree", commit="c", label="", kind="turn", chat_id=chat.id, message_id=turn.reply.id
    )
    safety, _ = await restore(store, tree)
    await store.changes.set_status(turn.change.id, "reverted", expected="applied")
    await restore(store, safety)
    now = await change_now(store, turn)
    assert (now.status, now.message_id) == ("reverted", turn.reply.id)


async def test_open_sessions_of_the_chat_are_crashed_and_an_undo_opens_them(
    store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    turn = await run_turn(store, chat)
    opened = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    closed = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    await store.sessions.set_status(closed.id, "closed")
    other = await store.chats.create(project=ROOT, agent="coder", title="other")
    foreign = await store.sessions.open(chat_id=other.id, agent="coder", worktree_id=None)
    clock.now += 7
    safety, result = await restore(store, turn.checkpoint)
    assert result.backend_reset
    assert [session.status for session in await store.sessions.list(chat_id=chat.id)] == ["crashed", "closed"]
    assert await store.sessions.list(chat_id=other.id) == [foreign]
    _, undone = await restore(store, safety)
    assert not undone.backend_reset
    assert await store.sessions.find(opened.id) == opened


async def test_a_session_that_is_at_work_is_crashed_by_an_undo_too(store: SqlStore, chat: Chat) -> None:
    """What it has in mind is the conversation that is undone."""
    turn = await run_turn(store, chat)
    session = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    safety, _ = await restore(store, turn.checkpoint)
    await store.sessions.set_status(session.id, "open")
    _, undone = await restore(store, safety)
    assert undone.backend_reset
    assert (await store.sessions.find(session.id)).status == "crashed"


async def test_an_undo_brings_everything_back_to_the_last_column(store: SqlStore, raw: Database, chat: Chat) -> None:
    for status in ("pending", "applied", "rejected"):
        await run_turn(store, chat, status=status)
    await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    first, *_ = await store.checkpoints.list(root=ROOT)
    stood = await tables(raw)
    messages = await store.messages.list(chat.id)
    safety, _ = await restore(store, first)
    assert await tables(raw) != stood
    await restore(store, safety)
    assert await tables(raw) == stood
    assert await store.messages.list(chat.id) == messages
    assert messages[-1].parts == tuple(PARTS)


async def test_what_was_said_after_the_restore_goes_with_its_undo(store: SqlStore, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    stood = await store.messages.list(chat.id)
    safety, _ = await restore(store, turn.checkpoint)
    since = await run_turn(store, chat)
    _, undone = await restore(store, safety)
    assert undone.messages_deleted == 2
    assert await store.messages.list(chat.id) == stood
    assert (await change_now(store, since)).status == "rejected"
    assert since.checkpoint.id not in {checkpoint.id for checkpoint in await store.checkpoints.list(root=ROOT)}


async def test_an_undo_can_be_undone_any_number_of_times(
    store: SqlStore, raw: Database, chat: Chat, clock: ManualClock
) -> None:
    turn = await run_turn(store, chat, status="applied")
    await run_turn(store, chat)
    session = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    clock.now += 7
    safety, _ = await restore(store, turn.checkpoint)
    await run_turn(store, chat)
    states = [await tables(raw)]
    for _ in range(5):
        clock.now += 7
        safety, _ = await restore(store, safety)
        if (await store.sessions.find(session.id)).status == "open":
            await store.sessions.set_status(session.id, "closed")
        states.append(await tables(raw))
    assert visible(states[0]) == visible(states[2]) == visible(states[4])
    assert visible(states[1]) == visible(states[3]) == visible(states[5])
    assert visible(states[0]) != visible(states[1])


def visible(state: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {**state, "checkpoints": [row for row in state["checkpoints"] if not row["set_aside"]]}


async def test_an_older_safety_checkpoint_still_leads_to_its_moment_after_undos(store: SqlStore, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    await run_turn(store, chat)
    stood = await store.messages.list(chat.id)
    safety, _ = await restore(store, turn.checkpoint)
    undo, _ = await restore(store, safety)
    await restore(store, undo)
    assert len(await store.messages.list(chat.id)) == 1
    await restore(store, safety)
    assert await store.messages.list(chat.id) == stood


async def test_undos_over_and_over_keep_no_more_than_before(store: SqlStore, raw: Database, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    kept: list[int] = []
    for _ in range(4):
        safety, _ = await restore(store, turn.checkpoint)
        await restore(store, safety)
        row = await raw.fetch_one("SELECT SUM(LENGTH(body)) AS size FROM trimmed_chats")
        assert row is not None
        kept.append(row["size"])
    growth = [later - earlier for earlier, later in zip([0, *kept], kept, strict=False)]
    assert max(growth) == min(growth)


async def test_a_restore_past_an_earlier_one_is_undone_with_it(store: SqlStore, raw: Database, chat: Chat) -> None:
    first, second = [await run_turn(store, chat) for _ in range(2)]
    whole = await tables(raw)
    inner, _ = await restore(store, second.checkpoint)
    outer, _ = await restore(store, first.checkpoint)
    assert inner not in await store.checkpoints.list(root=ROOT)
    await restore(store, outer)
    await restore(store, inner)
    assert await tables(raw) == whole


async def test_other_chats_and_work_trees_are_not_touched(store: SqlStore, raw: Database, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    other = await store.chats.create(project=ROOT, agent="coder", title="other")
    await run_turn(store, other, root="/elsewhere")
    await store.sessions.open(chat_id=other.id, agent="coder", worktree_id=None)
    before = await tables(raw)
    await restore(store, turn.checkpoint)
    after = await tables(raw)
    own = {turn.reply.id, turn.change.id, turn.checkpoint.id}
    for name, rows in before.items():
        foreign = [row for row in rows if not own & set(row.values())]
        assert [row for row in after[name] if not own & set(row.values())] == foreign
        assert foreign


async def test_checkpoints_of_another_chat_in_the_same_work_tree_come_back_too(store: SqlStore, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    other = await store.chats.create(project=ROOT, agent="coder", title="other")
    foreign = await run_turn(store, other)
    said = await store.messages.list(other.id)
    safety, _ = await restore(store, turn.checkpoint)
    assert await store.checkpoints.list(chat_id=other.id) == []
    assert await store.messages.list(other.id) == said
    await restore(store, safety)
    assert await store.checkpoints.list(chat_id=other.id) == [foreign.checkpoint]


async def test_a_checkpoint_of_the_chat_in_another_work_tree_gets_its_message_back(store: SqlStore, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    foreign = await run_turn(store, chat, root="/elsewhere")
    safety, _ = await restore(store, turn.checkpoint)
    assert await store.checkpoints.list(root="/elsewhere") == [replace(foreign.checkpoint, message_id=None)]
    await restore(store, safety)
    assert await store.checkpoints.list(root="/elsewhere") == [foreign.checkpoint]


async def test_no_turn_begins_while_files_come_back(store: SqlStore, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    safety = await store.checkpoints.add("s", root=ROOT, commit="c", label="", kind="safety", chat_id=chat.id)
    begun = await store.restores.begin(ROOT, turn.checkpoint.id, safety.id)
    with pytest.raises(ChatBusy, match="being restored"):
        await open_turn(store, chat)
    await store.restores.end(begun.id)
    assert (await open_turn(store, chat)).status == "streaming"


async def test_nothing_comes_back_to_a_chat_that_was_deleted(store: SqlStore, raw: Database, chat: Chat) -> None:
    by_hand = await store.checkpoints.add("h", root=ROOT, commit="c", label="", kind="manual")
    turn = await run_turn(store, chat)
    safety, _ = await restore(store, by_hand)
    await raw.execute("DELETE FROM chats WHERE id = :id", id=chat.id)
    await restore(store, safety)
    assert [checkpoint.kind for checkpoint in await store.checkpoints.list(root=ROOT)] == ["manual", "safety", "safety"]
    assert (await change_now(store, turn)).chat_id is None


async def test_what_was_kept_of_a_chat_goes_with_it(store: SqlStore, raw: Database, chat: Chat) -> None:
    turn = await run_turn(store, chat)
    await restore(store, turn.checkpoint)
    await raw.execute("DELETE FROM chats WHERE id = :id", id=chat.id)
    assert await raw.fetch_all("SELECT * FROM trimmed_chats") == []


@pytest.mark.parametrize(
    ("before", "taken", "brought", "stood"),
    [
        pytest.param(3, set[str](), set[str](), {"a", "b"}, id="what is placed below"),
        pytest.param(None, set[str](), set[str](), {"a", "b", "c"}, id="all, where nothing is trimmed"),
        pytest.param(2, {"x"}, set[str](), {"a", "x"}, id="with what was taken since"),
        pytest.param(4, set[str](), {"b"}, {"a", "c"}, id="without what was brought back since"),
        pytest.param(2, {"c"}, set[str](), {"a", "c"}, id="what was taken and is back already"),
    ],
)
def test_what_stood_at_a_moment(before: int | None, taken: set[str], brought: set[str], stood: set[str]) -> None:
    places = {"a": 1, "b": 2, "c": 3}
    assert messages_at(places, before=before, removed_since=taken, restored_since=brought) == stood


async def test_restores_of_a_chat_that_can_be_undone_are_told(store: SqlStore, chat: Chat) -> None:
    first = await run_turn(store, chat)
    second = await run_turn(store, chat)
    assert await store.restores.done(chat.id) == []
    safety, _ = await restore(store, second.checkpoint)
    (told,) = await store.restores.done(chat.id)
    assert (told.checkpoint.id, told.safety.id, told.messages_deleted) == (second.checkpoint.id, safety.id, 1)
    assert told.at_seq > second.reply.seq
    # With a return to before it, the way back to it goes too, until that is undone.
    earlier, _ = await restore(store, first.checkpoint)
    assert [each.safety.id for each in await store.restores.done(chat.id)] == [earlier.id]
    await restore(store, earlier)
    assert safety.id in {each.safety.id for each in await store.restores.done(chat.id)}
