"""What a turn writes down while it streams is what it has said, however often it is written."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.loop.record import TurnRecord
from mulligan.store.store import open_store
from mulligan.types.messages import TurnMeta, UserMeta
from tests.examples import examples

ACTS = st.lists(st.sampled_from(["say", "think", "save", "step", "retry", "trim"]), max_size=16)


@settings(max_examples=examples(60), deadline=None)
@given(ACTS)
def test_the_store_holds_just_the_parts_that_were_said(acts: list[str]) -> None:
    asyncio.run(_write([*acts, "save"]))


def test_a_text_that_is_saved_while_it_grows_is_one_part() -> None:
    asyncio.run(_write(["step", "say", "save", "say", "save", "say", "save"]))


async def _write(acts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = await open_store(Path(folder, "mulligan.db"))
        try:
            chat = await store.chats.create(project="p", agent="default", title="")
            message = await store.messages.open_turn(
                chat.id, "where?", UserMeta(), TurnMeta(agent="default", model="m")
            )
            record = TurnRecord(message_id=message.id, store=store.messages, emit=lambda _: None)
            for number, act in enumerate(acts, 1):
                await _do(record, act, number)
            *_, stored = await store.messages.list(chat.id)
            assert list(stored.parts) == record.parts
        finally:
            await store.close()


async def _do(record: TurnRecord, act: str, number: int) -> None:
    match act:
        case "say":
            record.say(f"word {number} ")
        case "think":
            record.think(f"thought {number} ")
        case "step":
            record.begin_step(number)
        case "retry":
            record.retry(attempt=1, attempts=2, delay=0.0, reason="cut off")
        case "trim":
            record.trim(f"kept {number}")
        case _:
            await record.save()
