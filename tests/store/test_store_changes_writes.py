"""Writes of files: begun, ended, and left behind by processes that are gone."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.store.database import Database
from mulligan.store.process_owner import STALE_AFTER, Owner, this_process
from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import ChangeStatus, FileState, FileWrite, PendingChange, WriteAction
from tests.store.conftest import ManualClock

PROJECT = "/projects/engine"
OLD, NEW = FileState(b"one\n"), FileState(b"two\n")
WRITE = FileWrite("apply", FileState(b"zero\none\n"), FileState(b"zero\ntwo\n", "100755"))
"""The file had a line more than the change was made from."""

THIS = this_process()
GONE = replace(THIS, started="another boot/1")
NAMELESS = replace(THIS, started=None)
ELSEWHERE = Owner(host="elsewhere.example", pid=os.getpid(), started="x")


@pytest.fixture
async def change(store: SqlStore) -> PendingChange:
    return await store.changes.add(project=PROJECT, path="a.py", before=OLD, after=NEW)


async def now_is(store: SqlStore) -> PendingChange:
    (change,) = await store.changes.list(PROJECT)
    return change


async def give_to(raw: Database, owner: Owner) -> None:
    await raw.execute("UPDATE pending_changes SET write_owner = :owner", owner=owner.to_json())


async def test_a_write_under_way_is_seen(store: SqlStore, change: PendingChange) -> None:
    assert await store.changes.begin_write(change.id, WRITE, expected="pending")
    assert await now_is(store) == replace(change, under_way=WRITE)


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(FileWrite("apply", None, NEW), id="a file that is made"),
        pytest.param(FileWrite("revert", OLD, None), id="a file that is deleted"),
        pytest.param(FileWrite("apply", None, None), id="a file that is not there and stays so"),
    ],
)
async def test_a_write_may_lack_an_image(store: SqlStore, change: PendingChange, write: FileWrite) -> None:
    await store.changes.begin_write(change.id, write, expected="pending")
    assert (await now_is(store)).under_way == write
    await store.changes.end_write(change.id, "pending")
    assert (await now_is(store)).under_way is None


async def test_no_write_begins_from_another_status(store: SqlStore, change: PendingChange) -> None:
    assert not await store.changes.begin_write(change.id, WRITE, expected="applied")
    assert await now_is(store) == change


async def test_a_change_is_written_by_one_at_a_time(
    address: Path | str, store: SqlStore, change: PendingChange
) -> None:
    other = await open_store(address)
    begun = await asyncio.gather(
        *(one.changes.begin_write(change.id, WRITE, expected="pending") for one in (store, other, store, other))
    )
    await other.close()
    assert sorted(begun) == [False, False, False, True]


async def test_a_change_that_is_being_written_keeps_its_status(store: SqlStore, change: PendingChange) -> None:
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    assert not await store.changes.set_status(change.id, "rejected", expected="pending")
    assert await now_is(store) == replace(change, under_way=WRITE)


@pytest.mark.parametrize(
    ("action", "status", "takes_over"),
    [
        pytest.param("apply", "applied", True, id="applied"),
        pytest.param("apply", "pending", False, id="an apply that failed"),
        pytest.param("revert", "reverted", False, id="reverted"),
        pytest.param("revert", "applied", False, id="a revert that failed"),
    ],
)
async def test_only_an_apply_that_succeeded_changes_the_images(
    store: SqlStore, change: PendingChange, action: WriteAction, status: ChangeStatus, takes_over: bool
) -> None:
    write = replace(WRITE, action=action)
    await store.changes.begin_write(change.id, write, expected="pending")
    await store.changes.end_write(change.id, status)
    images = (write.before, write.after) if takes_over else (OLD, NEW)
    assert await now_is(store) == replace(change, status=status, before=images[0], after=images[1])


async def test_a_change_is_dated_by_the_end_of_its_write(
    store: SqlStore, change: PendingChange, clock: ManualClock
) -> None:
    clock.now += 1
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    assert (await now_is(store)).updated_at == change.updated_at
    await store.changes.end_write(change.id, "applied")
    assert (await now_is(store)).updated_at == clock.now


async def test_a_write_that_ended_makes_room_for_the_next(store: SqlStore, change: PendingChange) -> None:
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    await store.changes.end_write(change.id, "applied")
    assert await store.changes.begin_write(change.id, replace(WRITE, action="revert"), expected="applied")


async def test_ending_a_write_that_is_over_does_nothing(store: SqlStore, change: PendingChange) -> None:
    await store.changes.end_write(change.id, "applied")
    assert await now_is(store) == change


async def test_a_write_of_a_live_process_is_not_left(
    store: SqlStore, change: PendingChange, clock: ManualClock
) -> None:
    """However long it is stopped: it may still go on and write the file."""
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    clock.now += 10 * STALE_AFTER
    assert await store.changes.interrupted_writes(PROJECT) == []


async def test_a_write_of_a_process_that_is_gone_is_left(store: SqlStore, raw: Database, change: PendingChange) -> None:
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    await give_to(raw, GONE)
    assert await store.changes.interrupted_writes(PROJECT) == [replace(change, under_way=WRITE)]
    assert await store.changes.interrupted_writes("/elsewhere") == []


@pytest.mark.parametrize(
    "owner",
    [pytest.param(ELSEWHERE, id="on another host"), pytest.param(NAMELESS, id="that its pid alone tells")],
)
async def test_a_process_that_can_not_be_looked_at_is_believed_for_five_minutes(
    store: SqlStore, raw: Database, change: PendingChange, clock: ManualClock, owner: Owner
) -> None:
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    await give_to(raw, owner)
    clock.now += STALE_AFTER - 1
    assert await store.changes.interrupted_writes(PROJECT) == []
    clock.now += 1
    assert [left.id for left in await store.changes.interrupted_writes(PROJECT)] == [change.id]


async def test_a_left_write_stands_in_the_way_until_it_is_settled(
    store: SqlStore, raw: Database, change: PendingChange
) -> None:
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    await give_to(raw, GONE)
    assert not await store.changes.begin_write(change.id, WRITE, expected="pending")
    assert not await store.changes.set_status(change.id, "rejected", expected="pending")
    await store.changes.end_write(change.id, "pending")
    assert await store.changes.interrupted_writes(PROJECT) == []
    assert await store.changes.begin_write(change.id, WRITE, expected="pending")


async def test_left_writes_come_in_the_order_of_the_changes(store: SqlStore, raw: Database) -> None:
    staged = [await store.changes.add(project=PROJECT, path=path, before=OLD, after=NEW) for path in "zam"]
    for change in reversed(staged):
        await store.changes.begin_write(change.id, WRITE, expected="pending")
    await give_to(raw, GONE)
    assert [left.path for left in await store.changes.interrupted_writes(PROJECT)] == ["z", "a", "m"]


async def test_who_settles_late_does_not_end_the_write_that_another_began(
    store: SqlStore, raw: Database, change: PendingChange
) -> None:
    await store.changes.begin_write(change.id, WRITE, expected="pending")
    await give_to(raw, ELSEWHERE)
    await store.changes.end_write(change.id, "applied")
    assert await now_is(store) == replace(change, under_way=WRITE)
