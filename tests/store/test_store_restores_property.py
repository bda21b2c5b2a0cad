"""Whatever is done and restored in whatever order, a checkpoint leads to the moment it was made at."""

import asyncio
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.store.chat_trimming import WITHOUT_ITS_MESSAGE
from mulligan.store.ids import new_id
from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import ChangeStatus, FileState, PendingChange
from mulligan.types.checkpoints import Checkpoint
from mulligan.types.messages import Message, Part, Reasoning, Text, UserMeta
from tests.examples import examples
from tests.store.conftest import TURN

PLACES = (("/p", 0), ("/p", 1), ("/p/\udcff", 2))
"""Work trees, and the chats in which they are written to: two share one."""


@dataclass(frozen=True)
class TakeTurn:
    place: int
    parts: tuple[Part, ...]
    changes: tuple[ChangeStatus, ...]


@dataclass(frozen=True)
class MakeByHand:
    place: int


@dataclass(frozen=True)
class Restore:
    place: int
    newest: int
    """Which of the work tree's checkpoints, counted from the newest."""


@dataclass(frozen=True)
class Undo:
    place: int


Act = TakeTurn | MakeByHand | Restore | Undo

words = st.text(max_size=4)
places = st.sampled_from([0, 0, 0, 1, 2])
acts = st.one_of(
    st.builds(
        TakeTurn,
        places,
        st.lists(st.builds(Text, text=words) | st.builds(Reasoning, text=words), max_size=2).map(tuple),
        st.lists(st.sampled_from(["pending", "applied", "rejected"]), max_size=2).map(tuple),
    ),
    st.builds(MakeByHand, places),
    # Mostly undos, since what matters is undone more than once.
    st.builds(Restore, places, st.integers(0, 5)),
    st.builds(Undo, places),
    st.builds(Undo, places),
)


@dataclass(frozen=True)
class State:
    """All that the store shows, safety checkpoints left out."""

    messages: dict[str, list[Message]]
    """By chat, as the next two."""
    changes: dict[str, dict[str, PendingChange]]
    checkpoints: dict[str, list[Checkpoint]]
    """By root."""


@dataclass
class World:
    store: SqlStore
    chats: list[str]
    moments: dict[str, State] = field(default_factory=dict[str, State])
    """How everything stood when a checkpoint was made."""

    async def make(self, place: int, *, safety: bool) -> Checkpoint:
        root, chat = PLACES[place]
        made = await self.store.checkpoints.add(
            new_id(),
            root=root,
            commit="c",
            label="",
            kind="safety" if safety else "manual",
            chat_id=self.chats[chat] if safety else None,
        )
        self.moments[made.id] = await self.state()
        return made

    async def state(self) -> State:
        changes = [change for root in {root for root, _ in PLACES} for change in await self.store.changes.list(root)]
        return State(
            messages={chat: await self.store.messages.list(chat) for chat in self.chats},
            changes={chat: {one.id: one for one in changes if one.chat_id == chat} for chat in self.chats},
            checkpoints={
                root: [one for one in await self.store.checkpoints.list(root=root) if one.kind != "safety"]
                for root, _ in PLACES
            },
        )


@given(st.lists(acts, min_size=10, max_size=30))
@settings(max_examples=examples(50), deadline=None)
def test_a_checkpoint_leads_to_its_moment_and_an_undo_away_from_it(script: list[Act]) -> None:
    asyncio.run(play(script))


async def play(script: Iterable[Act]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = await open_store(Path(folder) / "mulligan.db", clock=lambda: 5.0)
        chats = [(await store.chats.create(project="/p", agent="coder", title=title)).id for title in "abc"]
        world = World(store, chats)
        for act in script:
            if isinstance(act, TakeTurn):
                await take_turn(world, act)
            elif isinstance(act, MakeByHand):
                await world.make(act.place, safety=False)
            elif target := await chosen(world, act):
                await restore(world, act.place, target)
        await store.close()


async def take_turn(world: World, act: TakeTurn) -> None:
    root, chat = PLACES[act.place]
    chat_id, store = world.chats[chat], world.store
    reply = await store.messages.open_turn(chat_id, "why?", UserMeta(), TURN)
    before = await world.state()
    made = await store.checkpoints.add(
        new_id(), root=root, commit="c", label="", kind="turn", chat_id=chat_id, message_id=reply.id
    )
    # The reply itself is trimmed, and the checkpoint loses it with that.
    kept = [message for message in before.messages[chat_id] if message.id != reply.id]
    world.moments[made.id] = replace(
        before,
        messages=before.messages | {chat_id: kept},
        checkpoints=before.checkpoints | {root: [*before.checkpoints[root], replace(made, message_id=None)]},
    )
    for status in act.changes:
        change = await store.changes.add(
            project=root, path="a", before=None, after=FileState(b"x"), chat_id=chat_id, message_id=reply.id
        )
        await store.changes.set_status(change.id, status, expected="pending")
    await store.messages.save_parts(reply.id, 0, act.parts)
    await store.messages.close_reply(reply.id, "complete", TURN)


async def chosen(world: World, act: Restore | Undo) -> Checkpoint | None:
    """An undo is a restore of the newest safety checkpoint."""
    listed = await world.store.checkpoints.list(root=PLACES[act.place][0])
    if isinstance(act, Undo):
        listed = [one for one in listed if one.kind == "safety"]
    place = act.newest if isinstance(act, Restore) else 0
    return listed[-1 - place] if place < len(listed) else None


async def restore(world: World, place: int, target: Checkpoint) -> None:
    chat = world.chats.index(target.chat_id) if target.chat_id else PLACES[place][1]
    place = next(index for index, (root, own) in enumerate(PLACES) if (root, own) == (target.root, chat))
    before = await world.state()
    safety = await world.make(place, safety=True)
    begun = await world.store.restores.begin(target.root, target.id, safety.id)
    result = await world.store.restores.end(begun.id)
    after = await world.state()

    then = world.moments[target.id]
    if target.kind == "manual":
        # Made by hand, it knows no chat.
        assert after.messages == before.messages
        assert after.changes == before.changes
    else:
        chat_id = world.chats[chat]
        check_chat(before, after, then, chat_id, undo=target.kind == "safety")
        gone = {one.id for one in before.messages[chat_id]} - {one.id for one in after.messages[chat_id]}
        assert result.messages_deleted == len(gone)
    assert after.checkpoints == before.checkpoints | {target.root: current(then, after, target.root)}


def check_chat(before: State, after: State, then: State, chat_id: str, *, undo: bool) -> None:
    assert after.messages == before.messages | {chat_id: then.messages[chat_id]}
    seqs = [message.seq for message in after.messages[chat_id]]
    assert seqs == sorted(set(seqs))
    there = {message.id for message in after.messages[chat_id]}
    expected = {
        one.id: one if one.message_id in there else without_message(one) for one in before.changes[chat_id].values()
    }
    if undo:
        expected |= then.changes[chat_id]
    assert after.changes == before.changes | {chat_id: expected}


def without_message(change: PendingChange) -> PendingChange:
    return replace(change, message_id=None, status=WITHOUT_ITS_MESSAGE.get(change.status, change.status))


def current(then: State, after: State, root: str) -> list[Checkpoint]:
    """The checkpoints of that moment. Those of a chat that moved on since then may know their message, or not."""
    there = {message.id for messages in after.messages.values() for message in messages}
    return [one if one.message_id in there else replace(one, message_id=None) for one in then.checkpoints[root]]
