"""Whoever does what in whatever order: places are unique and rising, and what was written is what is read."""

import asyncio
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.store.store import SqlStore, open_store
from mulligan.types.errors import ChatBusy
from mulligan.types.messages import Message, Part, Reasoning, StepStart, Text, UserMeta
from tests.examples import examples
from tests.store.conftest import TURN

PROMPT = UserMeta(continues=True)
"""Tells the prompts of turns from messages that were added alone."""

Act = tuple[int, Literal["add", "open", "save", "beat", "close", "sweep"], int, int, list[Part]]
"""Which writer does what, in which chat, from which place on, with which parts."""

words = st.text(max_size=8)
parts = st.lists(
    st.builds(Text, text=words) | st.builds(Reasoning, text=words) | st.builds(StepStart, step=st.integers(1, 9)),
    max_size=3,
)
acts = st.tuples(
    st.integers(0, 2),
    st.sampled_from(["add", "open", "open", "save", "save", "beat", "close", "sweep"]),
    st.integers(0, 1),
    st.integers(0, 4),
    parts,
)


class Writer:
    """Works on the store and keeps beside it what it should hold. It writes into replies of its own alone."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.written: dict[str, tuple[Part, ...]] = {}
        self.streaming: dict[str, str] = {}
        """By chat."""
        self.places: dict[str, list[int]] = {}
        """By chat, as they were given out."""

    async def act(self, kind: str, chat_id: str, first: int, parts: list[Part]) -> None:
        reply = self.streaming.get(chat_id)
        if kind == "add":
            self.record(await self.store.messages.add(chat_id, role="user", metadata=UserMeta(), parts=parts))
        elif kind == "sweep":
            assert await self.store.messages.sweep() == []
        elif kind == "open":
            await self.open(chat_id)
        elif reply is not None and kind == "save":
            kept = self.written[reply][:first]
            await self.store.messages.save_parts(reply, len(kept), parts)
            self.written[reply] = (*kept, *parts)
        elif reply is not None and kind == "beat":
            await self.store.messages.heartbeat(reply)
        elif reply is not None:
            await self.store.messages.close_reply(reply, "complete", TURN)
            del self.streaming[chat_id]

    async def open(self, chat_id: str) -> None:
        try:
            reply = await self.store.messages.open_turn(chat_id, "why?", PROMPT, TURN)
        except ChatBusy:
            return
        assert chat_id not in self.streaming
        self.streaming[chat_id] = reply.id
        self.record(reply)

    def record(self, message: Message) -> None:
        self.written[message.id] = message.parts
        self.places.setdefault(message.chat_id, []).append(message.seq)


@pytest.mark.parametrize("at_once", [False, True], ids=["taking turns", "all at once"])
@given(st.lists(acts, max_size=30))
@settings(max_examples=examples(40), deadline=None)
def test_the_store_holds_what_was_written(at_once: bool, script: list[Act]) -> None:
    asyncio.run(play(script, at_once=at_once))


async def play(script: list[Act], *, at_once: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stores = [await open_store(Path(folder) / "mulligan.db") for _ in range(2)]
        chats = [(await stores[0].chats.create(project="/p", agent="default", title=title)).id for title in "ab"]
        writers = [Writer(stores[0]), Writer(stores[1]), Writer(stores[1])]

        async def perform(acts: list[Act]) -> None:
            for who, kind, chat, first, given_parts in acts:
                await writers[who].act(kind, chats[chat], first, given_parts)

        if at_once:
            await asyncio.gather(*(perform([act for act in script if act[0] == who]) for who in range(3)))
        else:
            await perform(script)
        for chat_id in chats:
            check(await stores[0].messages.list(chat_id), chat_id, writers)
        for store in stores:
            await store.close()


def check(messages: list[Message], chat_id: str, writers: list[Writer]) -> None:
    assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
    written = {message_id: parts for writer in writers for message_id, parts in writer.written.items()}
    own = {message.id: message.parts for message in messages if message.metadata != PROMPT}
    assert own == {message_id: parts for message_id, parts in written.items() if message_id in own}
    assert len(own) == sum(len(writer.places.get(chat_id, [])) for writer in writers)
    streaming = [writer.streaming[chat_id] for writer in writers if chat_id in writer.streaming]
    assert [message.id for message in messages if message.status == "streaming"] == streaming
    for writer in writers:
        places = writer.places.get(chat_id, [])
        assert places == sorted(set(places))
    for prompt, reply in pairwise(messages):
        assert (prompt.metadata == PROMPT) == (reply.role == "assistant")
