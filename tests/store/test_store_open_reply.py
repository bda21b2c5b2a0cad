"""A further message of a turn, next to the one that the turn fills."""

from pathlib import Path

import pytest

from mulligan.store.store import SqlStore, open_store
from mulligan.types.errors import ChatBusy, ConfigurationError
from mulligan.types.frames import MessageStarted
from mulligan.types.messages import Chat, Message, Synthesis, Text, TurnMeta
from mulligan.types.sentinels import Interrupted
from tests.store.conftest import TURN, ManualClock, open_turn


async def open_beside(store: SqlStore, chat: Chat, own: Message) -> Message:
    return await store.messages.open_reply(chat.id, TURN.model_copy(update={"parent_message_id": own.id}))


async def test_a_further_message_streams_after_the_turns_own(store: SqlStore, chat: Chat) -> None:
    own = await open_turn(store, chat)
    beside = await open_beside(store, chat, own)
    assert (beside.role, beside.status, beside.seq, beside.parts) == ("assistant", "streaming", own.seq + 1, ())
    assert [message.status for message in await store.messages.list(chat.id)] == ["complete", "streaming", "streaming"]
    (*_, stored) = await store.messages.list(chat.id)
    assert stored == beside
    assert isinstance(stored.metadata, TurnMeta)
    assert stored.metadata.parent_message_id == own.id


async def test_both_are_written_and_closed_each_by_itself(store: SqlStore, chat: Chat) -> None:
    own = await open_turn(store, chat)
    beside = await open_beside(store, chat, own)
    said = (Text(text="It is a shop."), Synthesis(tool="get_codebase_overview", files=("a.py",)))
    await store.messages.save_parts(beside.id, 0, said)
    await store.messages.close_reply(beside.id, "complete", TURN.model_copy(update={"parent_message_id": own.id}))
    _, first, second = await store.messages.list(chat.id)
    assert (first.status, first.parts) == ("streaming", ())
    assert (second.status, second.parts) == ("complete", said)
    await store.messages.close_reply(own.id, "complete", TURN)
    assert (await open_turn(store, chat)).seq == second.seq + 2


async def test_a_failed_one_is_void_and_a_turn_that_failed_is_not(store: SqlStore, chat: Chat) -> None:
    own = await open_turn(store, chat)
    beside = await open_beside(store, chat, own)
    await store.messages.close_reply(beside.id, "failed", TURN.model_copy(update={"parent_message_id": own.id}))
    await store.messages.close_reply(own.id, "failed", TURN)
    assert [message.is_failed_synthesis for message in await store.messages.list(chat.id)] == [False, False, True]


async def test_while_it_streams_the_chat_is_busy(store: SqlStore, chat: Chat) -> None:
    own = await open_turn(store, chat)
    await open_beside(store, chat, own)
    await store.messages.close_reply(own.id, "complete", TURN)
    with pytest.raises(ChatBusy):
        await open_turn(store, chat)


async def test_both_are_swept_and_the_chat_says_so_once(
    address: Path | str, store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    own = await open_turn(store, chat)
    beside = await open_beside(store, chat, own)
    clock.now += 300
    other = await open_store(address, clock=clock)
    swept = await other.messages.sweep()
    assert [each.message_id for each in swept] == [own.id, beside.id]
    assert await other.messages.sweep() == []
    await other.close()
    _, *replies, sentinel = await store.messages.list(chat.id)
    assert [message.status for message in replies] == ["failed", "failed"]
    assert sentinel.metadata == Interrupted()


async def test_a_chat_that_there_is_not_has_no_further_message(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no chat 'nonesuch'"):
        await store.messages.open_reply("nonesuch", TURN)


def test_an_older_frame_of_it_still_loads() -> None:
    older = {"type": "message_start", "message_id": "m2", "beside": "m1", "seq": 3}
    assert MessageStarted.model_validate(older) == MessageStarted(message_id="m2", parent_message_id="m1", seq=3)
