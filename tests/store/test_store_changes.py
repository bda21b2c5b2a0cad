"""Pending changes: staging, finding and listing them."""

import asyncio
from pathlib import Path

import pytest

from mulligan.store.database import Database
from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import ChangeStatus, FileState, PendingChange
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.messages import Chat
from tests.store.conftest import ManualClock, open_turn

PROJECT = "/projects/engine"
OLD, NEW = FileState(b"one\n"), FileState(b"two\n", "100755")
EVERY_BYTE = bytes(range(256))


async def stage(store: SqlStore, path: str = "a.py", *, project: str = PROJECT) -> PendingChange:
    return await store.changes.add(project=project, path=path, before=OLD, after=NEW)


async def add_with_id(raw: Database, change_id: str, seq: int, project: str = PROJECT) -> None:
    await raw.execute(
        "INSERT INTO pending_changes (id, project, seq, path, status, created_at, updated_at)"
        " VALUES (:id, :project, :seq, 'a.py', 'pending', 0, 0)",
        id=change_id,
        project=project,
        seq=seq,
    )


async def test_a_change_is_found_as_it_was_staged(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    reply = await open_turn(store, chat)
    made = await store.changes.add(
        project=PROJECT, path="src/a.py", before=OLD, after=NEW, chat_id=chat.id, message_id=reply.id
    )
    assert await store.changes.find(PROJECT, made.id) == made
    assert made == PendingChange(
        id=made.id,
        project=PROJECT,
        seq=1,
        chat_id=chat.id,
        message_id=reply.id,
        path="src/a.py",
        status="pending",
        before=OLD,
        after=NEW,
        created_at=clock.now,
        updated_at=clock.now,
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(None, NEW, id="a new file"),
        pytest.param(OLD, None, id="a deleted file"),
        pytest.param(None, FileState(b""), id="a new file without a byte in it"),
        pytest.param(FileState(EVERY_BYTE), FileState(EVERY_BYTE[::-1]), id="every byte there is"),
        pytest.param(FileState(b"x"), FileState(b"to/\xff", "120000"), id="a file that becomes a link"),
        pytest.param(FileState(b"a" * 3_000_000), FileState(b"b" * 3_000_000), id="large files"),
    ],
)
async def test_images_come_back_to_the_byte(store: SqlStore, before: FileState | None, after: FileState | None) -> None:
    made = await store.changes.add(project=PROJECT, path="a", before=before, after=after)
    (kept,) = await store.changes.list(PROJECT)
    assert kept == made
    assert (kept.before, kept.after) == (before, after)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("src/\udcff\udc80.py", id="bytes that are no text"),
        pytest.param("100%.txt", id="a percent sign"),
        pytest.param("%00ff", id="what looks like our own escape"),
        pytest.param("a\nb\tc'\"\\", id="white space and quotes"),
        pytest.param("\N{GRINNING FACE}/e\N{COMBINING ACUTE ACCENT}", id="other planes and combining marks"),
        pytest.param("\ud83d\ude00", id="two halves that are not to become a whole"),
    ],
)
async def test_paths_and_projects_come_back_exactly(store: SqlStore, path: str) -> None:
    await stage(store, path, project=f"/p/{path}")
    (kept,) = await store.changes.list(f"/p/{path}")
    assert (kept.path, kept.project) == (path, f"/p/{path}")


async def test_projects_whose_names_differ_in_one_strange_byte_are_two(store: SqlStore) -> None:
    await stage(store, project="/p/\udcfe")
    assert await store.changes.list("/p/\udcff") == []


async def test_changes_are_listed_in_the_order_they_were_staged(store: SqlStore) -> None:
    paths = ["z", "a", "m", "a"]
    for path in paths:
        await stage(store, path)
    listed = await store.changes.list(PROJECT)
    assert [(change.path, change.seq) for change in listed] == list(zip(paths, [1, 2, 3, 4], strict=True))


async def test_every_project_counts_for_itself(store: SqlStore) -> None:
    assert [(await stage(store, project=project)).seq for project in ("/a", "/b", "/a")] == [1, 1, 2]


async def test_changes_staged_at_once_all_get_their_own_place(address: Path | str, store: SqlStore) -> None:
    other = await open_store(address)
    await asyncio.gather(*(stage(one, str(place)) for place in range(12) for one in (store, other)))
    assert [change.seq for change in await other.changes.list(PROJECT)] == list(range(1, 25))
    await other.close()


async def with_statuses(store: SqlStore) -> None:
    """One change of each status, named for it."""
    steps: dict[ChangeStatus, list[ChangeStatus]] = {
        "pending": [],
        "applied": ["applied"],
        "rejected": ["rejected"],
        "reverted": ["applied", "reverted"],
    }
    for path, way in steps.items():
        change, stood = await stage(store, path), "pending"
        for status in way:
            assert await store.changes.set_status(change.id, status, expected=stood)
            stood = status


@pytest.mark.parametrize(
    ("statuses", "paths"),
    [
        pytest.param([], ["pending", "applied", "rejected", "reverted"], id="none named is all"),
        pytest.param(["pending"], ["pending"], id="one"),
        pytest.param(["reverted", "applied"], ["applied", "reverted"], id="two"),
        pytest.param(["applied"] * 5, ["applied"], id="one named again and again"),
    ],
)
async def test_changes_can_be_listed_by_status(store: SqlStore, statuses: list[ChangeStatus], paths: list[str]) -> None:
    await with_statuses(store)
    assert [change.path for change in await store.changes.list(PROJECT, statuses=statuses)] == paths


async def test_changes_of_one_chat_can_be_listed_alone(store: SqlStore, chat: Chat) -> None:
    other = await store.chats.create(project=PROJECT, agent="coder", title="other")
    for chat_id in (None, chat.id, other.id, chat.id):
        await store.changes.add(project=PROJECT, path="a", before=None, after=NEW, chat_id=chat_id)
    listed = await store.changes.list(PROJECT, chat_id=chat.id)
    assert [change.seq for change in listed] == [2, 4]
    await store.changes.set_status(listed[0].id, "rejected", expected="pending")
    assert [change.seq for change in await store.changes.list(PROJECT, chat_id=chat.id, statuses=["pending"])] == [4]


async def test_a_change_outlives_its_chat(store: SqlStore, raw: Database, chat: Chat) -> None:
    reply = await open_turn(store, chat)
    await store.changes.add(project=PROJECT, path="a", before=OLD, after=NEW, chat_id=chat.id, message_id=reply.id)
    await raw.execute("DELETE FROM messages WHERE id = :id", id=reply.id)
    (kept,) = await store.changes.list(PROJECT)
    assert (kept.chat_id, kept.message_id) == (chat.id, None)
    await raw.execute("DELETE FROM chats WHERE id = :id", id=chat.id)
    (kept,) = await store.changes.list(PROJECT)
    assert (kept.chat_id, kept.before, kept.after) == (None, OLD, NEW)


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param("a0b1cdefgh", id="all of it"),
        pytest.param("a0", id="its beginning"),
        pytest.param(" AOBl\n", id="as people type it"),
    ],
)
async def test_the_beginning_of_an_id_finds_a_change(store: SqlStore, raw: Database, typed: str) -> None:
    await add_with_id(raw, "a0b1cdefgh", 1)
    await add_with_id(raw, "abb1cdefgh", 2)
    assert (await store.changes.find(PROJECT, typed)).id == "a0b1cdefgh"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        pytest.param("zz", r"no change 'zz' in this project: `mulligan changes list --all`", id="no such change"),
        pytest.param("ab", r"several changes \(ab10000000, ab20000000, ab30000000, …\): type more", id="several"),
        pytest.param("  ", "no change was named", id="nothing typed"),
        pytest.param("%", "no change '%'", id="a wildcard of LIKE"),
        pytest.param("a\0", "no change", id="a NUL"),
        pytest.param("a\ud800", "no change", id="half a character"),
        pytest.param("other", "no change", id="a change of another project"),
    ],
)
async def test_what_names_no_single_change_is_explained(store: SqlStore, raw: Database, typed: str, words: str) -> None:
    for number in range(1, 5):
        await add_with_id(raw, f"ab{number}0000000", number)
    await add_with_id(raw, "0ther00000", 1, project="/elsewhere")
    with pytest.raises(ConfigurationError, match=words):
        await store.changes.find(PROJECT, typed)


async def test_a_status_is_set_only_from_the_one_that_was_expected(store: SqlStore, clock: ManualClock) -> None:
    change = await stage(store)
    clock.now += 5
    assert not await store.changes.set_status(change.id, "reverted", expected="applied")
    assert await store.changes.list(PROJECT) == [change]
    assert await store.changes.set_status(change.id, "rejected", expected="pending")
    (kept,) = await store.changes.list(PROJECT)
    assert (kept.status, kept.created_at, kept.updated_at) == ("rejected", clock.now - 5, clock.now)


async def test_of_two_that_set_a_status_at_once_one_wins(address: Path | str, store: SqlStore) -> None:
    change = await stage(store)
    other = await open_store(address)
    won = await asyncio.gather(
        store.changes.set_status(change.id, "rejected", expected="pending"),
        other.changes.set_status(change.id, "applied", expected="pending"),
    )
    await other.close()
    assert sorted(won) == [False, True]


async def test_a_change_that_does_not_exist_has_no_status_to_set(store: SqlStore) -> None:
    assert not await store.changes.set_status("nonesuch", "rejected", expected="pending")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param("status = 'lost'", id="a status that there isn't"),
        pytest.param("before_mode = '040000'", id="the mode of a folder"),
        pytest.param("after_data = NULL", id="a mode without bytes"),
        pytest.param("write_action = 'apply'", id="a write of nobody"),
        pytest.param("write_after_data = 'eJwDAAAAAAE='", id="an image of no write"),
        pytest.param("seq = 2", id="a place that is taken"),
    ],
)
async def test_the_database_refuses_what_makes_no_sense(store: SqlStore, raw: Database, damage: str) -> None:
    change = await stage(store)
    await stage(store)
    with pytest.raises(StoreError, match="refused a statement"):
        await raw.execute(f"UPDATE pending_changes SET {damage} WHERE id = :id", id=change.id)  # noqa: S608 - ours


@pytest.mark.parametrize("damage", ["no base64", "aGVsbG8="], ids=["not packed", "not compressed"])
async def test_a_damaged_image_is_told_with_the_change_it_belongs_to(
    store: SqlStore, raw: Database, damage: str
) -> None:
    change = await stage(store)
    await raw.execute("UPDATE pending_changes SET after_data = :damage", damage=damage)
    with pytest.raises(StoreError, match=f"change {change.id} can't be read: the database is damaged"):
        await store.changes.list(PROJECT)


async def test_a_change_is_divided_only_as_it_was_seen(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    middle = FileState(b"one and a half\n")
    made = await store.changes.add(project=PROJECT, path="a.py", before=OLD, after=NEW, chat_id=chat.id)
    clock.now += 1
    apart = await store.changes.split(made, rest=(middle, NEW), chosen=(OLD, middle), status="rejected")
    assert apart is not None
    rest = await store.changes.find(PROJECT, made.id)
    assert (rest.before, rest.after, rest.status, rest.updated_at) == (middle, NEW, "pending", clock.now)
    assert await store.changes.find(PROJECT, apart.id) == apart
    assert (apart.before, apart.after, apart.status, apart.chat_id) == (OLD, middle, "rejected", chat.id)
    assert apart.seq > rest.seq

    assert await store.changes.split(made, rest=(middle, NEW), chosen=(OLD, middle), status="pending") is None
    await store.changes.set_status(made.id, "applied", expected="pending")
    assert await store.changes.split(rest, rest=(middle, NEW), chosen=(OLD, middle), status="pending") is None
    assert len(await store.changes.list(PROJECT)) == 2
