"""A part of a chat: the messages around a place, and the last turns, however long it is."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mulligan.core.step_budget import MAX_CONTINUES, why_not_continue
from mulligan.store.database import Database
from mulligan.store.store import SqlStore
from mulligan.types.errors import ChatBusy
from mulligan.types.messages import Chat, Message, Text, TurnMeta, UserMeta
from mulligan.types.sentinels import CapHit, ReplyCut
from tests.examples import examples
from tests.store.conftest import TURN, ManualClock, open_turn


@pytest.fixture
async def ten(store: SqlStore, chat: Chat) -> list[Message]:
    """Ten messages, each with a part or more, or none."""
    return [
        await store.messages.add(
            chat.id, role="user", metadata=UserMeta(), parts=[Text(text=f"{place}.{part}") for part in range(place % 3)]
        )
        for place in range(1, 11)
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({"limit": 3}, ([8, 9, 10], True), id="the newest"),
        pytest.param({"limit": 10}, (range(1, 11), False), id="just all"),
        pytest.param({"limit": 99}, (range(1, 11), False), id="more than there are"),
        pytest.param({"before": 8, "limit": 3}, ([5, 6, 7], True), id="before a place"),
        pytest.param({"before": 3, "limit": 3}, ([1, 2], False), id="before a place near the beginning"),
        pytest.param({"before": 1, "limit": 3}, (range(0), False), id="before the first"),
        pytest.param({"after": 4, "limit": 3}, ([5, 6, 7], True), id="after a place"),
        pytest.param({"after": 0, "limit": 3}, ([1, 2, 3], False), id="from the beginning"),
        pytest.param({"after": 10, "limit": 3}, (range(0), False), id="after the last"),
        pytest.param({"after": 3, "before": 6, "limit": 9}, ([4, 5], True), id="between two places"),
    ],
)
async def test_a_page_holds_the_messages_next_to_a_place(
    store: SqlStore, chat: Chat, ten: list[Message], asked: dict[str, int], expected: tuple[Sequence[int], bool]
) -> None:
    page = await store.messages.page(chat.id, **asked)
    places, earlier = expected
    assert page.messages == tuple(ten[place - 1] for place in places)
    assert page.earlier == earlier


async def test_a_page_holds_no_message_of_another_chat(store: SqlStore, chat: Chat, ten: list[Message]) -> None:
    other = await store.chats.create(project="/p", agent="default", title="other")
    alone = await store.messages.add(other.id, role="user", metadata=UserMeta())
    page = await store.messages.page(other.id, limit=5)
    assert (page.messages, page.earlier) == ((alone,), False)
    assert (await store.messages.page(chat.id, limit=5)).messages == tuple(ten[5:])


async def test_a_chat_without_messages_has_an_empty_page(store: SqlStore, chat: Chat) -> None:
    page = await store.messages.page(chat.id, limit=5)
    assert (page.messages, page.earlier) == ((), False)


async def test_pages_one_before_the_other_are_the_whole_chat(store: SqlStore, chat: Chat, ten: list[Message]) -> None:
    found: list[Message] = []
    page = await store.messages.page(chat.id, limit=3)
    found[:0] = page.messages
    while page.earlier:
        page = await store.messages.page(chat.id, before=found[0].seq, limit=3)
        found[:0] = page.messages
    assert found == ten


async def test_the_newest_turns_begin_with_the_persons_words(store: SqlStore, chat: Chat) -> None:
    for number in range(4):
        reply = await store.messages.open_turn(chat.id, f"q{number}", UserMeta(), TURN)
        await store.messages.save_parts(reply.id, 0, [Text(text="so")])
        await store.messages.add(chat.id, role="system", metadata=ReplyCut(repeated="x", count=2))
        await store.messages.close_reply(reply.id, "complete", TURN)
    turns = await store.messages.newest_turns(chat.id, 2)
    assert [(message.seq, message.role, message.parts) for message in turns] == [
        (7, "user", ()),
        (8, "assistant", ()),
        (9, "system", ()),
        (10, "user", ()),
        (11, "assistant", ()),
        (12, "system", ()),
    ]
    assert len(await store.messages.newest_turns(chat.id, 99)) == 12


async def test_a_chat_without_turns_has_no_newest_ones(store: SqlStore, chat: Chat) -> None:
    assert await store.messages.newest_turns(chat.id, 4) == []


TURNS = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from(["answered", "step_cap", "doom_loop", "aborted", None]),
        st.integers(min_value=0, max_value=3),
        st.booleans(),
    ),
    max_size=7,
)
"""Of each turn: whether Continue began it, how it ended, how many sentinels it raised, whether a synthesis failed."""


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=TURNS)
async def test_the_newest_turns_tell_as_well_as_all_messages_whether_to_continue(
    store: SqlStore, turns: list[tuple[bool, str | None, int, bool]]
) -> None:
    chat = await store.chats.create(project="/p", agent="default", title="t")
    for continues, reason, sentinels, void in turns:
        meta = TurnMeta.model_validate({"agent": "default", "model": "m", "stop_reason": reason})
        reply = await store.messages.open_turn(chat.id, "go", UserMeta(continues=continues), TURN)
        if void:
            beside = await store.messages.open_reply(chat.id, TURN)
            await store.messages.close_reply(
                beside.id, "failed", TURN.model_copy(update={"parent_message_id": reply.id})
            )
        for _ in range(sentinels):
            await store.messages.add(chat.id, role="system", metadata=CapHit(steps=1))
        await store.messages.close_reply(reply.id, "complete", meta)
    few = await store.messages.newest_turns(chat.id, MAX_CONTINUES + 1)
    assert why_not_continue(few) == why_not_continue(await store.messages.list(chat.id))


async def test_chats_in_which_something_streams_are_named(store: SqlStore, chat: Chat) -> None:
    await store.chats.create(project="/p", agent="default", title="silent")
    assert await store.messages.streaming_chats() == frozenset()
    reply = await open_turn(store, chat)
    await store.messages.open_reply(chat.id, TURN)
    assert await store.messages.streaming_chats() == {chat.id}
    await store.messages.close_reply(reply.id, "complete", TURN)
    assert await store.messages.streaming_chats() == {chat.id}


async def test_a_chat_that_is_being_answered_is_refused_and_nothing_is_added(store: SqlStore, chat: Chat) -> None:
    await store.messages.refuse_busy(chat.id)
    reply = await open_turn(store, chat)
    with pytest.raises(ChatBusy, match="is being answered by process"):
        await store.messages.refuse_busy(chat.id)
    await store.messages.close_reply(reply.id, "complete", TURN)
    await store.messages.refuse_busy(chat.id)
    assert len(await store.messages.list(chat.id)) == 2


async def test_what_a_dead_process_left_is_no_reason_to_refuse(
    store: SqlStore, raw: Database, chat: Chat, clock: ManualClock
) -> None:
    reply = await open_turn(store, chat)
    await raw.execute("UPDATE messages SET beat_at = 0 WHERE id = :id", id=reply.id)
    clock.now += 1
    await store.messages.refuse_busy(chat.id)
    assert [message.status for message in await store.messages.list(chat.id)] == ["complete", "failed", "complete"]
