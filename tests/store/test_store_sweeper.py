"""Messages that their process left behind."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.store.database import Database
from mulligan.store.process_owner import STALE_AFTER, Owner, this_process
from mulligan.store.store import SqlStore, open_store
from mulligan.store.sweeper import Swept
from mulligan.types.messages import Chat, Message, Status, Text
from mulligan.types.sentinels import Interrupted
from tests.store.conftest import TURN, ManualClock, open_turn

REUSED_PID = replace(this_process(), started="another boot/1")
ELSEWHERE = Owner(host="elsewhere.example", pid=os.getpid(), started="x")


async def give_to(raw: Database, message: Message, owner: Owner) -> None:
    await raw.execute("UPDATE messages SET owner = :owner WHERE id = :id", owner=owner.to_json(), id=message.id)


async def test_what_its_process_still_writes_is_left_alone(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    reply = await open_turn(store, chat)
    clock.now += STALE_AFTER - 1
    assert await store.messages.sweep() == []
    assert (await store.messages.list(chat.id))[-1] == reply


async def test_silence_for_five_minutes_fails_a_reply(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    reply = await open_turn(store, chat)
    await store.messages.save_parts(reply.id, 0, [Text(text="so far")])
    clock.now += STALE_AFTER
    assert await store.messages.sweep() == [Swept(chat_id=chat.id, message_id=reply.id)]
    _, failed, sentinel = await store.messages.list(chat.id)
    explained = TURN.model_copy(update={"explanation": "no sign of life for 5 minutes"})
    assert (failed.status, failed.metadata, failed.parts) == ("failed", explained, (Text(text="so far"),))
    assert (sentinel.role, sentinel.status, sentinel.metadata) == ("system", "complete", Interrupted())
    assert sentinel.seq > failed.seq


async def test_a_sign_of_life_starts_the_five_minutes_anew(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    reply = await open_turn(store, chat)
    clock.now += STALE_AFTER - 1
    await store.messages.heartbeat(reply.id)
    clock.now += STALE_AFTER - 1
    assert await store.messages.sweep() == []


async def test_a_reused_pid_is_not_taken_for_the_process(store: SqlStore, raw: Database, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    await give_to(raw, reply, REUSED_PID)
    assert await store.messages.sweep() == [Swept(chat_id=chat.id, message_id=reply.id)]
    metadata = (await store.messages.list(chat.id))[1].metadata
    assert metadata == TURN.model_copy(update={"explanation": "the process that was answering is gone"})


async def test_a_process_on_another_host_is_believed_until_it_falls_silent(
    store: SqlStore, raw: Database, chat: Chat, clock: ManualClock
) -> None:
    reply = await open_turn(store, chat)
    await give_to(raw, reply, ELSEWHERE)
    clock.now += STALE_AFTER - 1
    assert await store.messages.sweep() == []
    clock.now += 1
    assert await store.messages.sweep() == [Swept(chat_id=chat.id, message_id=reply.id)]


async def test_sweeping_again_does_nothing(store: SqlStore, raw: Database, chat: Chat) -> None:
    await give_to(raw, await open_turn(store, chat), REUSED_PID)
    assert len(await store.messages.sweep()) == 1
    before = await store.messages.list(chat.id)
    assert await store.messages.sweep() == []
    assert await store.messages.list(chat.id) == before


async def test_every_chat_is_swept(store: SqlStore, raw: Database) -> None:
    expected: set[Swept] = set()
    for title in "abcde":
        chat = await store.chats.create(project="/p", agent="default", title=title)
        reply = await open_turn(store, chat)
        await give_to(raw, reply, REUSED_PID)
        expected.add(Swept(chat_id=chat.id, message_id=reply.id))
    assert set(await store.messages.sweep()) == expected


async def test_sweepers_that_meet_add_one_sentinel_a_chat(
    address: Path | str, store: SqlStore, raw: Database, clock: ManualClock
) -> None:
    chats = [await store.chats.create(project="/p", agent="default", title=title) for title in "abc"]
    for chat in chats:
        await give_to(raw, await open_turn(store, chat), REUSED_PID)
    other = await open_store(address, clock=clock)
    swept = await asyncio.gather(*(one.messages.sweep() for one in (store, other, store, other)))
    await other.close()
    assert sorted(item.chat_id for items in swept for item in items) == sorted(chat.id for chat in chats)
    for chat in chats:
        assert [message.status for message in await store.messages.list(chat.id)] == ["complete", "failed", "complete"]


async def test_a_swept_reply_stays_failed_when_its_process_turns_up_again(
    store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    reply = await open_turn(store, chat)
    clock.now += STALE_AFTER
    await store.messages.sweep()
    before = await store.messages.list(chat.id)
    await store.messages.save_parts(reply.id, 0, [Text(text="I was only thinking")])
    await store.messages.close_reply(reply.id, "complete", TURN)
    assert await store.messages.list(chat.id) == before


async def test_a_reply_of_a_newer_program_is_swept_too(
    store: SqlStore, raw: Database, chat: Chat, clock: ManualClock
) -> None:
    reply = await open_turn(store, chat)
    newer = TURN.model_dump(mode="json") | {"mood": "✨"}
    await raw.execute("UPDATE messages SET metadata = :new WHERE id = :id", new=json.dumps(newer), id=reply.id)
    clock.now += STALE_AFTER
    assert [swept.message_id for swept in await store.messages.sweep()] == [reply.id]
    row = await raw.fetch_one("SELECT metadata FROM messages WHERE id = :id", id=reply.id)
    assert row is not None
    assert json.loads(row["metadata"]) == newer | {"explanation": "no sign of life for 5 minutes"}


@pytest.mark.parametrize("status", ["complete", "failed", "cancelled"])
async def test_what_was_ended_is_never_swept(store: SqlStore, chat: Chat, clock: ManualClock, status: Status) -> None:
    reply = await open_turn(store, chat)
    await store.messages.close_reply(reply.id, status, TURN)
    clock.now += STALE_AFTER
    assert await store.messages.sweep() == []
