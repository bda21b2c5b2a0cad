"""Checkpoints: keeping, finding, listing and dropping them."""

import asyncio
from pathlib import Path

import pytest

from mulligan.store.checkpoints import within_reach
from mulligan.store.database import Database
from mulligan.store.ids import new_id
from mulligan.store.store import SqlStore, open_store
from mulligan.types.checkpoints import Checkpoint, CheckpointKind
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.messages import Chat
from tests.store.conftest import ManualClock, open_turn

ROOT = "/projects/engine"


async def make(
    store: SqlStore,
    checkpoint_id: str = "",
    *,
    root: str = ROOT,
    kind: CheckpointKind = "manual",
    chat_id: str | None = None,
) -> Checkpoint:
    return await store.checkpoints.add(
        checkpoint_id or new_id(), root=root, commit="c0ffee", label="", kind=kind, chat_id=chat_id
    )


async def restore(store: SqlStore, target: Checkpoint) -> Checkpoint:
    """Go back to the checkpoint; returns the safety checkpoint."""
    safety = await make(store, root=target.root, kind="safety", chat_id=target.chat_id)
    begun = await store.restores.begin(target.root, target.id, safety.id)
    await store.restores.end(begun.id)
    return safety


async def anchor_of(raw: Database, checkpoint: Checkpoint) -> int | None:
    row = await raw.fetch_one("SELECT anchor_seq FROM checkpoints WHERE id = :id", id=checkpoint.id)
    assert row is not None
    return row["anchor_seq"]


async def test_a_checkpoint_is_found_as_it_was_made(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    reply = await open_turn(store, chat)
    tree = await store.worktrees.add(project=ROOT, path="/trees/one", base_commit="ba5e")
    session = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=tree.id)
    made = await store.checkpoints.add(
        "abc0000000",
        root=ROOT,
        commit="c0ffee",
        label="before ✎",
        kind="turn",
        chat_id=chat.id,
        session_id=session.id,
        worktree_id=tree.id,
        message_id=reply.id,
    )
    assert await store.checkpoints.find(ROOT, "abc") == made
    assert made == Checkpoint(
        id="abc0000000",
        seq=1,
        root=ROOT,
        commit="c0ffee",
        label="before ✎",
        kind="turn",
        chat_id=chat.id,
        session_id=session.id,
        worktree_id=tree.id,
        message_id=reply.id,
        created_at=clock.now,
    )


async def test_an_id_is_given_once(store: SqlStore) -> None:
    await make(store, "abc0000000")
    with pytest.raises(StoreError):
        await make(store, "abc0000000", root="/elsewhere")
    assert (await make(store)).seq == 2


async def test_a_label_that_is_no_text_is_kept_as_far_as_it_is(store: SqlStore) -> None:
    made = await store.checkpoints.add("a", root=ROOT, commit="c", label="a\0b\ud800", kind="manual")
    assert await store.checkpoints.list(root=ROOT) == [made]
    assert made.label == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("root", ["/p/\udcff", "/p/100%", "/p/\ud83d\ude00", "/p/a\nb"], ids=ascii)
async def test_a_root_comes_back_exactly(store: SqlStore, root: str) -> None:
    made = await make(store, root=root)
    assert await store.checkpoints.list(root=root) == [made]
    safety = await make(store, root=root, kind="safety")
    begun = await store.restores.begin(root, made.id, safety.id)
    assert (begun.checkpoint, begun.safety) == (made, safety)


async def test_every_root_counts_for_itself(store: SqlStore) -> None:
    assert [(await make(store, root=root)).seq for root in ("/a", "/b", "/a")] == [1, 1, 2]


async def test_checkpoints_made_at_once_all_get_their_own_place(address: Path | str, store: SqlStore) -> None:
    other = await open_store(address)
    await asyncio.gather(*(make(one) for _ in range(12) for one in (store, other)))
    assert [checkpoint.seq for checkpoint in await other.checkpoints.list(root=ROOT)] == list(range(1, 25))
    await other.close()


async def test_a_place_is_not_given_again_after_a_checkpoint_is_dropped(store: SqlStore) -> None:
    await make(store)
    await store.checkpoints.delete([(await make(store)).id])
    assert (await make(store)).seq == 3


async def test_a_checkpoint_is_anchored_at_its_message(store: SqlStore, raw: Database, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    made = await store.checkpoints.add(
        "a", root=ROOT, commit="c", label="", kind="turn", chat_id=chat.id, message_id=reply.id
    )
    assert await anchor_of(raw, made) == reply.seq
    await raw.execute("DELETE FROM messages WHERE id = :id", id=reply.id)
    assert await anchor_of(raw, made) == reply.seq
    (kept,) = await store.checkpoints.list(chat_id=chat.id)
    assert kept.message_id is None


async def test_a_safety_checkpoint_is_anchored_at_the_end_of_its_chat(
    store: SqlStore, raw: Database, chat: Chat
) -> None:
    await open_turn(store, chat)
    assert await anchor_of(raw, await make(store, kind="safety", chat_id=chat.id)) == 3
    assert await anchor_of(raw, await make(store, kind="safety")) is None


async def test_a_checkpoint_without_a_message_has_no_anchor(store: SqlStore, raw: Database, chat: Chat) -> None:
    await open_turn(store, chat)
    assert await anchor_of(raw, await make(store, kind="turn", chat_id=chat.id)) is None


async def test_a_message_of_another_chat_is_no_anchor(store: SqlStore, chat: Chat) -> None:
    other = await store.chats.create(project="/p", agent="coder", title="other")
    reply = await open_turn(store, other)
    with pytest.raises(ConfigurationError, match=f"no message '{reply.id}' in chat '{chat.id}'"):
        await store.checkpoints.add(
            "a", root=ROOT, commit="c", label="", kind="turn", chat_id=chat.id, message_id=reply.id
        )


async def test_a_checkpoint_of_an_unknown_chat_is_refused(store: SqlStore) -> None:
    with pytest.raises(StoreError):
        await make(store, kind="safety", chat_id="nonesuch")


@pytest.mark.parametrize("typed", ["a0b1cdefgh", "a0", " AOBl\n"], ids=["all of it", "its beginning", "as typed"])
async def test_the_beginning_of_an_id_finds_a_checkpoint(store: SqlStore, typed: str) -> None:
    await make(store, "a0b1cdefgh")
    await make(store, "abb1cdefgh")
    assert (await store.checkpoints.find(ROOT, typed)).id == "a0b1cdefgh"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        pytest.param("zz", r"no checkpoint 'zz' of this work tree: `mulligan checkpoints list`", id="no such one"),
        pytest.param("ab", r"several checkpoints \(ab10000000, ab20000000, ab30000000, …\): type more", id="several"),
        pytest.param("  ", "no checkpoint was named", id="nothing typed"),
        pytest.param("%", "no checkpoint '%'", id="a wildcard of LIKE"),
        pytest.param("a\0", "no checkpoint", id="a NUL"),
        pytest.param("0ther", "no checkpoint", id="one of another work tree"),
    ],
)
async def test_what_names_no_single_checkpoint_is_explained(store: SqlStore, typed: str, words: str) -> None:
    for number in range(1, 5):
        await make(store, f"ab{number}0000000")
    await make(store, "0ther00000", root="/elsewhere")
    with pytest.raises(ConfigurationError, match=words):
        await store.checkpoints.find(ROOT, typed)


async def test_checkpoints_are_listed_in_the_order_they_were_made_even_if_the_clock_jumps_back(
    store: SqlStore, clock: ManualClock
) -> None:
    made: list[Checkpoint] = []
    for jump in (0, 100, -500, 50):
        clock.now += jump
        made.append(await make(store))
    assert await store.checkpoints.list(root=ROOT) == made
    assert await store.checkpoints.list() == made


async def test_checkpoints_are_listed_by_chat_across_work_trees(
    store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    made: list[Checkpoint] = []
    for root in ("/b", "/a", "/b"):
        clock.now += 1
        made.append(await make(store, root=root, chat_id=chat.id))
        await make(store, root=root)
    assert await store.checkpoints.list(chat_id=chat.id) == made
    assert await store.checkpoints.list(chat_id=chat.id, root="/b") == [made[0], made[2]]
    assert await store.checkpoints.list(root="/nowhere") == []


async def test_checkpoints_go_with_their_chat(store: SqlStore, raw: Database, chat: Chat) -> None:
    await make(store, chat_id=chat.id)
    by_hand = await make(store)
    await raw.execute("DELETE FROM chats WHERE id = :id", id=chat.id)
    assert await store.checkpoints.list() == [by_hand]


async def test_what_is_dropped_is_gone_and_named(store: SqlStore) -> None:
    first, second, third = [await make(store) for _ in range(3)]
    other = await make(store, root="/elsewhere")
    assert sorted(await store.checkpoints.delete([second.id, other.id])) == sorted([second.id, other.id])
    assert await store.checkpoints.list() == [first, third]


async def test_what_is_not_known_is_not_said_to_be_needless(store: SqlStore) -> None:
    assert await store.checkpoints.delete(["nonesuch"]) == []
    assert await store.checkpoints.delete([]) == []


async def test_one_that_is_named_twice_is_dropped_once(store: SqlStore) -> None:
    made = await make(store)
    assert await store.checkpoints.delete([made.id, made.id]) == [made.id]


async def test_dropping_a_safety_checkpoint_frees_what_it_kept_for_an_undo(store: SqlStore) -> None:
    first, second, third = [await make(store) for _ in range(3)]
    safety = await restore(store, first)
    assert sorted(await store.checkpoints.delete([safety.id])) == sorted([safety.id, second.id, third.id])
    assert await store.checkpoints.list() == [first]


async def test_what_a_set_aside_safety_checkpoint_keeps_is_freed_with_the_one_that_keeps_it(store: SqlStore) -> None:
    first, second, third = [await make(store) for _ in range(3)]
    inner = await restore(store, second)
    outer = await restore(store, first)
    assert await store.checkpoints.delete([first.id]) == [first.id]
    assert sorted(await store.checkpoints.delete([outer.id])) == sorted([outer.id, inner.id, second.id, third.id])
    assert await store.checkpoints.list() == []


async def test_what_lives_again_after_an_undo_is_not_freed_with_the_safety_checkpoint(store: SqlStore) -> None:
    first, second = [await make(store) for _ in range(2)]
    safety = await restore(store, first)
    again = await restore(store, safety)
    assert await store.checkpoints.delete([safety.id]) == [safety.id]
    assert await store.checkpoints.list() == [first, second, again]


async def test_what_was_dropped_does_not_come_back_with_an_undo(store: SqlStore) -> None:
    first, second = [await make(store) for _ in range(2)]
    safety = await restore(store, first)
    await restore(store, safety)
    assert await store.checkpoints.delete([second.id]) == [second.id]
    await restore(store, safety)
    assert second not in await store.checkpoints.list()


async def test_a_restore_under_way_keeps_both_its_checkpoints(store: SqlStore) -> None:
    first, second = [await make(store) for _ in range(2)]
    safety = await make(store, kind="safety")
    begun = await store.restores.begin(ROOT, first.id, safety.id)
    assert await store.checkpoints.delete([first.id, second.id, safety.id]) == [second.id]
    await store.restores.end(begun.id)
    assert await store.checkpoints.list() == [first, safety]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param("kind = 'lucky'", id="a kind that there isn't"),
        pytest.param("seq = 2", id="a place that is taken"),
        pytest.param("set_aside = 2", id="neither seen nor set aside"),
        pytest.param("message_id = 'nonesuch'", id="a message that there isn't"),
    ],
)
async def test_the_database_refuses_checkpoints_that_make_no_sense(store: SqlStore, raw: Database, damage: str) -> None:
    first, _ = [await make(store) for _ in range(2)]
    with pytest.raises(StoreError, match="refused a statement"):
        await raw.execute(f"UPDATE checkpoints SET {damage} WHERE id = :id", id=first.id)  # noqa: S608 - ours


def test_what_is_kept_by_what_is_kept_is_within_reach_and_circles_end() -> None:
    kept_by = {"s": {"a", "t"}, "t": {"b", "s"}, "u": {"c"}}
    assert within_reach(["s"], kept_by) == {"s", "a", "t", "b"}
