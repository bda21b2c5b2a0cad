"""What a further turn reads of a long chat: enough for the same request, and little else."""

import pytest

from mulligan.core.payload import opening
from mulligan.store.store import SqlStore
from mulligan.types.messages import StepStart, Text, TurnMeta, UserMeta
from mulligan.types.sentinels import Compacted

TURNS = 40


async def say(store: SqlStore, chat: str, number: int, *, continues: bool = False) -> int:
    """A turn of two steps. Returns the place of its answer."""
    await store.messages.add(
        chat, role="user", metadata=UserMeta(continues=continues), parts=(Text(text=f"question {number}"),)
    )
    steps = (StepStart(step=1), Text(text=f"first {number}"), StepStart(step=2), Text(text=f"then {number}"))
    meta = TurnMeta(agent="a", model="m", stop_reason="answered", steps=2)
    return (await store.messages.add(chat, role="assistant", metadata=meta, parts=steps)).seq


async def sum_up(store: SqlStore, chat: str, through: int, *, how: str = "summary", step: int | None = None) -> None:
    done = Compacted.model_validate(
        {"how": how, "tokens_before": 9000, "tokens_after": 900, "through_seq": through, "through_step": step}
    )
    summary = (Text(text=f"## Goal\nsummed up to {through}"),) if how != "hidden" else ()
    await store.messages.add(chat, role="system", metadata=done, parts=summary)


@pytest.mark.parametrize("step", [None, 1], ids=["whole messages", "within a message"])
async def test_the_request_is_the_same_as_from_the_whole_chat(store: SqlStore, step: int | None) -> None:
    chat = (await store.chats.create(project="/p", agent="a", title="t")).id
    places = [await say(store, chat, number) for number in range(TURNS)]
    await sum_up(store, chat, places[10])
    await sum_up(store, chat, places[12], how="hidden")
    await sum_up(store, chat, places[30], step=step)
    await say(store, chat, TURNS)
    await sum_up(store, chat, places[35], how="hidden")
    await say(store, chat, TURNS + 1)
    every, recent = await store.messages.list(chat), await store.messages.recent(chat)
    assert opening("system", recent) == opening("system", every)
    assert recent == every[-len(recent) :]
    assert len(recent) < 30


async def test_a_chat_that_was_never_summed_up_is_read_whole(store: SqlStore) -> None:
    chat = (await store.chats.create(project="/p", agent="a", title="t")).id
    for number in range(3):
        await say(store, chat, number)
    await sum_up(store, chat, 2, how="hidden")
    assert await store.messages.recent(chat) == await store.messages.list(chat)


async def test_what_the_person_said_last_is_read_even_if_it_was_summed_up(store: SqlStore) -> None:
    chat = (await store.chats.create(project="/p", agent="a", title="t")).id
    for number in range(TURNS):
        await say(store, chat, number)
    place = await say(store, chat, TURNS)
    for _ in range(3):
        place = await say(store, chat, TURNS, continues=True)
    await sum_up(store, chat, place)
    recent = await store.messages.recent(chat)
    said = [each.metadata.continues for each in recent if isinstance(each.metadata, UserMeta)]
    assert said == [False, False, True, True, True]
