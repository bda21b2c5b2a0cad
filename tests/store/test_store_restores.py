"""Restores: begun, ended, left behind; and who may begin one."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.store.database import Database
from mulligan.store.ids import new_id
from mulligan.store.process_owner import STALE_AFTER, Owner, this_process
from mulligan.store.store import SqlStore, open_store
from mulligan.types.checkpoints import Checkpoint, CheckpointKind, Restore, RestoreResult
from mulligan.types.errors import ChatBusy, ConfigurationError
from mulligan.types.messages import Chat
from tests.store.conftest import TURN, ManualClock, open_turn

ROOT = "/projects/engine"
THIS = this_process()
GONE = replace(THIS, started="another boot/1")
NAMELESS = replace(THIS, started=None)
ELSEWHERE = Owner(host="elsewhere.example", pid=os.getpid(), started="x")


async def make(store: SqlStore, kind: CheckpointKind, *, root: str = ROOT, chat_id: str | None = None) -> Checkpoint:
    return await store.checkpoints.add(new_id(), root=root, commit="c0ffee", label="", kind=kind, chat_id=chat_id)


async def begin(store: SqlStore, root: str = ROOT) -> Restore:
    target, safety = await make(store, "manual", root=root), await make(store, "safety", root=root)
    return await store.restores.begin(root, target.id, safety.id)


async def give_to(raw: Database, owner: Owner) -> None:
    await raw.execute("UPDATE restores SET owner = :owner", owner=owner.to_json())


async def test_a_restore_that_was_begun_names_both_checkpoints(store: SqlStore) -> None:
    target, safety = await make(store, "manual"), await make(store, "safety")
    begun = await store.restores.begin(ROOT, target.id, safety.id)
    assert begun == Restore(id=begun.id, root=ROOT, checkpoint=target, safety=safety)


async def test_a_restore_of_files_alone_reports_so(store: SqlStore) -> None:
    begun = await begin(store)
    assert await store.restores.end(begun.id) == RestoreResult(
        checkpoint_id=begun.checkpoint.id, messages_deleted=0, worktree_reset=True, backend_reset=False
    )


async def test_a_work_tree_is_restored_by_one_at_a_time(address: Path | str, store: SqlStore) -> None:
    target, safety = await make(store, "manual"), await make(store, "safety")
    other = await open_store(address)
    begun = await asyncio.gather(
        *(one.restores.begin(ROOT, target.id, safety.id) for one in (store, other, store, other)),
        return_exceptions=True,
    )
    await other.close()
    refused = [error for error in begun if isinstance(error, ConfigurationError)]
    assert [isinstance(one, Restore) for one in begun].count(True) == 1
    assert len(refused) == 3
    assert f"a restore of {ROOT} was started by process {os.getpid()} on " in str(refused[0])


async def test_another_work_tree_can_be_restored_meanwhile(store: SqlStore) -> None:
    await begin(store)
    assert (await begin(store, "/elsewhere")).root == "/elsewhere"


@pytest.mark.parametrize("how", ["ended", "abandoned"])
async def test_after_a_restore_the_next_can_be_begun(store: SqlStore, how: str) -> None:
    begun = await begin(store)
    await (store.restores.end(begun.id) if how == "ended" else store.restores.abandon(begun.id))
    assert (await begin(store)).id != begun.id


async def test_an_abandoned_restore_changed_nothing(store: SqlStore, chat: Chat) -> None:
    target = await make(store, "turn", chat_id=chat.id)
    later = await make(store, "manual")
    safety = await make(store, "safety", chat_id=chat.id)
    begun = await store.restores.begin(ROOT, target.id, safety.id)
    await store.restores.abandon(begun.id)
    assert await store.checkpoints.list(root=ROOT) == [target, later, safety]
    with pytest.raises(ConfigurationError, match=f"no restore '{begun.id}'"):
        await store.restores.end(begun.id)


async def test_a_restore_that_was_ended_can_not_be_abandoned(store: SqlStore) -> None:
    begun = await begin(store)
    result = await store.restores.end(begun.id)
    await store.restores.abandon(begun.id)
    assert await store.restores.end(begun.id) == result


@pytest.mark.parametrize(
    ("target", "safety", "words"),
    [
        pytest.param("nonesuch", "safety", "no checkpoint 'nonesuch' of this work tree", id="an unknown checkpoint"),
        pytest.param("foreign", "safety", "no checkpoint 'foreign'", id="one of another work tree"),
        pytest.param("target", "nonesuch", "no checkpoint 'nonesuch'", id="no safety checkpoint"),
        pytest.param("target", "target", "'target' is no safety checkpoint", id="one that is none"),
        pytest.param("turn", "safety", "does not contain the chat", id="a safety checkpoint without the chat"),
    ],
)
async def test_a_restore_that_could_not_be_undone_is_not_begun(
    store: SqlStore, chat: Chat, target: str, safety: str, words: str
) -> None:
    await store.checkpoints.add("foreign", root="/elsewhere", commit="c", label="", kind="manual")
    await store.checkpoints.add("target", root=ROOT, commit="c", label="", kind="manual")
    await store.checkpoints.add("turn", root=ROOT, commit="c", label="", kind="turn", chat_id=chat.id)
    await store.checkpoints.add("safety", root=ROOT, commit="c", label="", kind="safety")
    with pytest.raises(ConfigurationError, match=words):
        await store.restores.begin(ROOT, target, safety)
    assert await begin(store)


async def test_a_chat_that_is_being_answered_is_not_restored(store: SqlStore, chat: Chat) -> None:
    target, safety = await make(store, "turn", chat_id=chat.id), await make(store, "safety", chat_id=chat.id)
    reply = await open_turn(store, chat)
    with pytest.raises(ChatBusy, match=f"chat {chat.id} is being answered by process {os.getpid()} on .*: wait"):
        await store.restores.begin(ROOT, target.id, safety.id)
    await store.messages.close_reply(reply.id, "complete", TURN)
    assert await store.restores.begin(ROOT, target.id, safety.id)


async def test_a_reply_left_behind_is_swept_before_the_restore(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    target, safety = await make(store, "turn", chat_id=chat.id), await make(store, "safety", chat_id=chat.id)
    await open_turn(store, chat)
    clock.now += STALE_AFTER
    await store.restores.begin(ROOT, target.id, safety.id)
    assert [message.status for message in await store.messages.list(chat.id)] == ["complete", "failed", "complete"]


async def test_another_chat_may_be_answered_meanwhile(store: SqlStore, chat: Chat) -> None:
    await open_turn(store, chat)
    assert await begin(store)


async def test_a_restore_of_a_live_process_is_not_left(store: SqlStore, clock: ManualClock) -> None:
    """However long it is stopped: it may still go on and write files."""
    await begin(store)
    clock.now += 10 * STALE_AFTER
    assert await store.restores.interrupted(ROOT) == []


async def test_a_restore_of_a_process_that_is_gone_is_left_and_can_be_ended(store: SqlStore, raw: Database) -> None:
    begun = await begin(store)
    await give_to(raw, GONE)
    assert await store.restores.interrupted(ROOT) == [begun]
    assert await store.restores.interrupted("/elsewhere") == []
    await store.restores.end(begun.id)
    assert await store.restores.interrupted(ROOT) == []


@pytest.mark.parametrize(
    "owner",
    [pytest.param(ELSEWHERE, id="on another host"), pytest.param(NAMELESS, id="that its pid alone tells")],
)
async def test_a_restorer_that_can_not_be_looked_at_is_believed_for_five_minutes(
    store: SqlStore, raw: Database, clock: ManualClock, owner: Owner
) -> None:
    begun = await begin(store)
    await give_to(raw, owner)
    clock.now += STALE_AFTER - 1
    assert await store.restores.interrupted(ROOT) == []
    clock.now += 1
    assert await store.restores.interrupted(ROOT) == [begun]


async def test_a_left_restore_stands_in_the_way_until_it_is_settled(store: SqlStore, raw: Database) -> None:
    begun = await begin(store)
    await give_to(raw, GONE)
    with pytest.raises(ConfigurationError, match="is not done"):
        await begin(store)
    await store.restores.abandon(begun.id)
    assert await begin(store)


async def test_of_many_that_end_a_restore_at_once_all_get_the_same_result(
    address: Path | str, store: SqlStore, chat: Chat
) -> None:
    reply = await open_turn(store, chat)
    await store.messages.close_reply(reply.id, "complete", TURN)
    target = await store.checkpoints.add(
        "a", root=ROOT, commit="c", label="", kind="turn", chat_id=chat.id, message_id=reply.id
    )
    safety = await make(store, "safety", chat_id=chat.id)
    begun = await store.restores.begin(ROOT, target.id, safety.id)
    other = await open_store(address)
    results = await asyncio.gather(*(one.restores.end(begun.id) for one in (store, other, store, other)))
    await other.close()
    assert (
        results == [RestoreResult(checkpoint_id="a", messages_deleted=1, worktree_reset=True, backend_reset=False)] * 4
    )


async def test_a_restore_is_finished_though_its_chat_was_deleted(store: SqlStore, raw: Database, chat: Chat) -> None:
    target = await make(store, "turn", chat_id=chat.id)
    later = await make(store, "manual")
    safety = await make(store, "safety", chat_id=chat.id)
    begun = await store.restores.begin(ROOT, target.id, safety.id)
    await give_to(raw, GONE)
    await raw.execute("DELETE FROM chats WHERE id = :id", id=chat.id)
    assert await store.restores.interrupted(ROOT) == [begun]
    assert (await store.restores.end(begun.id)).messages_deleted == 0
    assert later not in await store.checkpoints.list(root=ROOT)
