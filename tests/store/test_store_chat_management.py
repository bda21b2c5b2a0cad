"""What people do with chats: rename, pin, delete and take that back, fork, search, and write ahead."""

import json

import pytest

from mulligan.store.chats import KEPT_DELETED
from mulligan.store.database import Database
from mulligan.store.store import SqlStore
from mulligan.types.errors import ChatBusy, ConfigurationError
from mulligan.types.messages import Chat, Message, Reasoning, StepStart, Text, ToolResultPart, TurnMeta, UserMeta
from tests.store.conftest import TURN, ManualClock, open_turn

PROJECT = "/projects/engine"


async def said(store: SqlStore, chat: Chat, *texts: str) -> list[Message]:
    """Turns, question and answer by turns."""
    made: list[Message] = []
    for place, text in enumerate(texts):
        role, meta = ("assistant", TURN) if place % 2 else ("user", UserMeta())
        made.append(await store.messages.add(chat.id, role=role, metadata=meta, parts=[Text(text=text)]))
    return made


def texts(messages: list[Message]) -> list[str]:
    return [part.text for message in messages for part in message.parts if isinstance(part, Text)]


async def test_a_chat_is_renamed_and_pinned(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    await store.chats.rename(chat.id, "Numbers")
    await store.chats.pin(chat.id, pinned=True)
    kept = await store.chats.find(chat.id)
    assert (kept.title, kept.pinned_at) == ("Numbers", clock.now)
    await store.chats.pin(chat.id, pinned=False)
    assert (await store.chats.find(chat.id)).pinned_at is None


async def test_a_deleted_chat_is_not_found_and_comes_back_whole(store: SqlStore, chat: Chat) -> None:
    before = await said(store, chat, "why?", "because")
    await store.chats.delete(chat.id)
    assert await store.chats.list(project=PROJECT) == []
    assert [each.id for each in await store.chats.list(project=PROJECT, deleted=True)] == [chat.id]
    with pytest.raises(ConfigurationError, match="there is no chat"):
        await store.chats.find(chat.id)
    assert await store.chats.restore_deleted(chat.id) == chat.model_copy(update={"updated_at": chat.updated_at})
    assert await store.chats.find(chat.id) == chat
    assert await store.messages.list(chat.id) == before


async def test_what_was_never_deleted_can_not_come_back(store: SqlStore, chat: Chat) -> None:
    with pytest.raises(ConfigurationError, match="no deleted chat"):
        await store.chats.restore_deleted(chat.id)


async def test_deleted_chats_are_purged_when_their_days_are_over(
    store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    other = await store.chats.create(project=PROJECT, agent="default", title="stays")
    await store.chats.delete(chat.id)
    clock.now += KEPT_DELETED - 1
    assert await store.chats.purge() == 0
    clock.now += 2
    assert await store.chats.purge() == 1
    with pytest.raises(ConfigurationError):
        await store.chats.restore_deleted(chat.id)
    assert [each.id for each in await store.chats.list()] == [other.id]


async def test_a_fork_holds_the_history_up_to_its_place_and_nothing_is_shared(store: SqlStore, chat: Chat) -> None:
    messages = await said(store, chat, "one?", "one.", "two?", "two.")
    fork = await store.copies.fork(chat.id, before=messages[2].seq, title="another way")
    copied = await store.messages.list(fork.id)
    assert texts(copied) == ["one?", "one."]
    assert [each.seq for each in copied] == [each.seq for each in messages[:2]]
    assert not {each.id for each in copied} & {each.id for each in messages}
    await said(store, fork, "three?")
    assert texts(await store.messages.list(chat.id)) == ["one?", "one.", "two?", "two."]
    assert texts(await store.messages.list(fork.id)) == ["one?", "one.", "three?"]


async def test_a_synthesis_stands_beside_the_copy_of_its_own_message(store: SqlStore, chat: Chat) -> None:
    (_, answer) = await said(store, chat, "what is this?", "looking")
    beside = TurnMeta(agent="default", model="qwen", parent_message_id=answer.id)
    await store.messages.add(chat.id, role="assistant", metadata=beside, parts=[Text(text="an engine")])
    fork = await store.copies.fork(chat.id, title="fork")
    _, own, synthesis = await store.messages.list(fork.id)
    assert isinstance(synthesis.metadata, TurnMeta)
    assert synthesis.metadata.parent_message_id == own.id


async def test_what_streams_is_not_forked(store: SqlStore, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    with pytest.raises(ChatBusy, match="fork from an earlier message"):
        await store.copies.fork(chat.id, title="fork")
    fork = await store.copies.fork(chat.id, before=reply.seq, title="fork")
    assert texts(await store.messages.list(fork.id)) == ["why?"]


async def test_what_is_rewound_can_be_brought_back_as_a_chat(store: SqlStore, chat: Chat) -> None:
    messages = await said(store, chat, "one?", "one.", "two?", "two.")
    kept = await store.copies.truncate(chat.id, before=messages[2].seq)
    assert texts(await store.messages.list(chat.id)) == ["one?", "one."]
    assert [each.id for each in await store.chats.list(deleted=True)] == [kept.id]
    await store.chats.restore_deleted(kept.id)
    assert texts(await store.messages.list(kept.id)) == ["one?", "one.", "two?", "two."]


async def test_queued_messages_keep_their_order_and_one_taker_gets_each(store: SqlStore, chat: Chat) -> None:
    first = await store.queued.add(chat.id, "first", agent=None, model=None)
    second = await store.queued.add(chat.id, "second", agent="coder", model="qwen")
    assert await store.queued.list(chat.id) == [first, second]
    edited = await store.queued.edit(second.id, "second, better")
    assert edited == second.model_copy(update={"text": "second, better"})
    assert await store.queued.take(first.id) == first
    assert await store.queued.take(first.id) is None
    assert await store.queued.edit(first.id, "too late") is None
    assert await store.queued.list(chat.id) == [edited]


async def test_not_everything_can_wait(store: SqlStore, chat: Chat) -> None:
    for number in range(20):
        await store.queued.add(chat.id, str(number), agent=None, model=None)
    with pytest.raises(ConfigurationError, match="wait here already"):
        await store.queued.add(chat.id, "one too many", agent=None, model=None)
    with pytest.raises(ConfigurationError, match="there is no chat"):
        await store.queued.add("nonesuch", "lost", agent=None, model=None)


async def found(store: SqlStore, query: str) -> list[str]:
    return [hit.excerpt for hit in await store.search.find(PROJECT, query, limit=10)]


async def test_words_are_found_by_their_beginnings_without_case_and_accents(store: SqlStore, chat: Chat) -> None:
    await said(store, chat, "Où est parse_Invoice()?", "In `billing/invoices.py`, beside the café.")
    assert await found(store, "INVOICE parse") == ["Où est parse_Invoice()?"]
    assert await found(store, "invoic") == [
        "In billing/invoices.py, beside the café.",
        "Où est parse_Invoice()?",
    ]
    assert await found(store, "ou cafe") == []
    assert await found(store, "cafe") == ["In billing/invoices.py, beside the café."]
    assert await found(store, "voice") == []
    assert await found(store, "'\"():*&| -") == []


async def test_an_excerpt_marks_where_the_words_stand(store: SqlStore, chat: Chat) -> None:
    await said(store, chat, "lorem ipsum " * 40 + "the needle is here" + " dolor sit" * 40)
    (hit,) = await store.search.find(PROJECT, "needle", limit=10)
    (start, end) = hit.marks[0]
    assert hit.excerpt[start:end] == "needle"
    assert hit.excerpt.startswith("…")
    assert len(hit.excerpt) < 250


async def test_only_what_was_said_is_searched(store: SqlStore, chat: Chat) -> None:
    parts = [
        StepStart(step=1),
        Reasoning(text="secretly thinking"),
        ToolResultPart(call_id="1", name="grep", content="resulting"),
        Text(text="speaking"),
    ]
    await store.messages.add(chat.id, role="assistant", metadata=TURN, parts=parts)
    assert await found(store, "speaking") == ["speaking"]
    assert await found(store, "secretly") == await found(store, "resulting") == []


async def test_a_search_sees_what_came_went_and_came_back(store: SqlStore, chat: Chat, raw: Database) -> None:
    (first,) = await said(store, chat, "alpha")
    assert await found(store, "alpha") == ["alpha"]
    await raw.execute("DELETE FROM messages WHERE id = :id", id=first.id)
    assert await found(store, "alpha") == []
    await said(store, chat, "alpha again")
    assert await found(store, "alpha") == ["alpha again"]
    await store.chats.delete(chat.id)
    assert await found(store, "alpha") == []
    await store.chats.restore_deleted(chat.id)
    assert await found(store, "alpha") == ["alpha again"]
    assert await store.search.find("/elsewhere", "alpha", limit=10) == []


async def test_older_names_of_what_is_known_of_messages_still_load(store: SqlStore, chat: Chat, raw: Database) -> None:
    asked, own = await said(store, chat, "what is this?", "looking")
    synthesis = await store.messages.add(chat.id, role="assistant", metadata=TURN, parts=[Text(text="an engine")])
    for message, field, was, value in (
        (asked, "is_note", "only_told", True),
        (synthesis, "parent_message_id", "beside", own.id),
    ):
        metadata = {**message.metadata.model_dump(mode="json"), was: value}
        del metadata[field]
        await raw.execute(
            "UPDATE messages SET metadata = :metadata WHERE id = :id", metadata=json.dumps(metadata), id=message.id
        )
    asked, own, synthesis = await store.messages.list(chat.id)
    assert isinstance(asked.metadata, UserMeta)
    assert asked.metadata.is_note
    assert isinstance(synthesis.metadata, TurnMeta)
    assert synthesis.metadata.parent_message_id == own.id
    fork = await store.copies.fork(chat.id, title="fork")
    _, own, synthesis = await store.messages.list(fork.id)
    assert isinstance(synthesis.metadata, TurnMeta)
    assert synthesis.metadata.parent_message_id == own.id
