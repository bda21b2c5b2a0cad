"""A reply while it streams."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from mulligan.store.database import Database
from mulligan.store.store import SqlStore, open_store
from mulligan.types.errors import ChatBusy, ConfigurationError
from mulligan.types.messages import Chat, Message, Reasoning, StepStart, Text, TurnMeta, UserMeta
from mulligan.types.sentinels import Interrupted
from tests.store.conftest import TURN, ManualClock, open_turn

DONE = TurnMeta(agent="default", model="qwen", stop_reason="answered", steps=1)


async def reply_in(store: SqlStore, chat: Chat) -> Message:
    """The reply to the one prompt of the chat."""
    prompt, reply = await store.messages.list(chat.id)
    assert prompt.role == "user"
    return reply


async def beat_at(raw: Database, message: Message) -> float:
    row = await raw.fetch_one("SELECT beat_at FROM messages WHERE id = :id", id=message.id)
    assert row is not None
    return row["beat_at"]


async def test_a_turn_opens_with_the_prompt_and_a_reply_that_streams(store: SqlStore, chat: Chat) -> None:
    reply = await store.messages.open_turn(chat.id, "why?", UserMeta(continues=True), TURN)
    prompt, streaming = await store.messages.list(chat.id)
    assert (prompt.role, prompt.status, prompt.metadata) == ("user", "complete", UserMeta(continues=True))
    assert (prompt.seq, prompt.parts) == (1, (Text(text="why?"),))
    assert streaming == reply
    assert (reply.role, reply.status, reply.metadata) == ("assistant", "streaming", TURN)
    assert (reply.seq, reply.parts) == (2, ())


async def test_a_turn_in_an_unknown_chat_is_refused(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no chat 'nonesuch'"):
        await store.messages.open_turn("nonesuch", "why?", UserMeta(), TURN)


async def test_parts_from_a_place_on_are_replaced_and_those_before_it_kept(store: SqlStore, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    await store.messages.save_parts(reply.id, 0, [StepStart(step=1), Reasoning(text="hm")])
    await store.messages.save_parts(reply.id, 2, [Text(text="one"), Text(text="two"), Text(text="three")])
    await store.messages.save_parts(reply.id, 1, [Text(text="instead")])
    assert (await reply_in(store, chat)).parts == (StepStart(step=1), Text(text="instead"))
    await store.messages.save_parts(reply.id, 1, [])
    assert (await reply_in(store, chat)).parts == (StepStart(step=1),)


async def test_growing_text_rewrites_no_other_part(store: SqlStore, raw: Database, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    await store.messages.save_parts(reply.id, 0, [StepStart(step=1), Text(text="a")])
    await raw.execute("UPDATE parts SET body = :body WHERE place = 0", body=StepStart(step=77).model_dump_json())
    await store.messages.save_parts(reply.id, 1, [Text(text="ab")])
    assert (await reply_in(store, chat)).parts == (StepStart(step=77), Text(text="ab"))


async def test_closing_a_reply_sets_its_status_and_metadata(store: SqlStore, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    await store.messages.close_reply(reply.id, "complete", DONE)
    closed = await reply_in(store, chat)
    assert (closed.status, closed.metadata) == ("complete", DONE)


async def test_a_reply_is_closed_once(store: SqlStore, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    await store.messages.close_reply(reply.id, "cancelled", DONE)
    await store.messages.close_reply(reply.id, "complete", TURN)
    closed = await reply_in(store, chat)
    assert (closed.status, closed.metadata) == ("cancelled", DONE)


async def test_a_closed_reply_takes_no_more_parts_and_no_beat(store: SqlStore, raw: Database, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    await store.messages.save_parts(reply.id, 0, [Text(text="said")])
    await store.messages.close_reply(reply.id, "failed", DONE)
    seen = await beat_at(raw, reply)
    await store.messages.save_parts(reply.id, 0, [Text(text="too late")])
    await store.messages.heartbeat(reply.id)
    closed = await reply_in(store, chat)
    assert (closed.status, closed.parts) == ("failed", (Text(text="said"),))
    assert await beat_at(raw, reply) == seen


async def test_saving_parts_and_beating_are_signs_of_life(
    store: SqlStore, raw: Database, chat: Chat, clock: ManualClock
) -> None:
    reply = await open_turn(store, chat)
    assert await beat_at(raw, reply) == clock.now
    clock.now += 100
    await store.messages.save_parts(reply.id, 0, [Text(text="a")])
    assert await beat_at(raw, reply) == clock.now
    clock.now += 100
    await store.messages.heartbeat(reply.id)
    assert await beat_at(raw, reply) == clock.now


async def test_a_chat_that_is_being_answered_is_busy(store: SqlStore, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    words = f"chat {chat.id} .* process {os.getpid()} on {socket.gethostname()}: wait .*stop that process.*another chat"
    with pytest.raises(ChatBusy, match=words):
        await open_turn(store, chat)
    assert await reply_in(store, chat) == reply


async def test_another_chat_is_not_busy(store: SqlStore, chat: Chat) -> None:
    await open_turn(store, chat)
    other = await store.chats.create(project="/p", agent="default", title="other")
    assert (await open_turn(store, other)).status == "streaming"


async def test_after_the_reply_is_closed_the_next_can_be_opened(store: SqlStore, chat: Chat) -> None:
    first = await open_turn(store, chat)
    await store.messages.close_reply(first.id, "complete", DONE)
    assert (await open_turn(store, chat)).seq == 4


async def test_a_reply_left_behind_is_swept_before_the_next_is_opened(
    store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    left = await open_turn(store, chat)
    clock.now += 300
    await open_turn(store, chat)
    _, failed, sentinel, prompt, reply = await store.messages.list(chat.id)
    assert (failed.id, failed.status) == (left.id, "failed")
    assert sentinel.metadata == Interrupted()
    assert (prompt.role, reply.status) == ("user", "streaming")


async def test_of_many_that_answer_at_once_exactly_one_wins(
    address: Path | str, store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    other = await open_store(address, clock=clock)
    attempts = [open_turn(one, chat) for one in (store, other) for _ in range(3)]
    results = await asyncio.gather(*attempts, return_exceptions=True)
    await other.close()
    assert sorted(type(result).__name__ for result in results) == ["ChatBusy"] * 5 + ["Message"]
    assert len(await store.messages.list(chat.id)) == 2


async def test_a_write_that_is_cancelled_leaves_the_store_usable(store: SqlStore, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    for steps in range(12):
        saving = asyncio.create_task(store.messages.save_parts(reply.id, 0, [Text(text="half"), Text(text="done")]))
        for _ in range(steps):
            await asyncio.sleep(0)
        saving.cancel()
        await asyncio.gather(saving, return_exceptions=True)
        parts = (await reply_in(store, chat)).parts
        assert parts in ((), (Text(text="half"), Text(text="done")))
    await store.messages.save_parts(reply.id, 0, [Text(text="whole")])
    assert (await reply_in(store, chat)).parts == (Text(text="whole"),)
