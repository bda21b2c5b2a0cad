"""Whatever is done with changes in whatever order, the store does what a dictionary would."""

import asyncio
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.store.database import Database, open_database
from mulligan.store.process_owner import this_process
from mulligan.store.serialization import exact_name, name_of
from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import ChangeStatus, FileMode, FileState, FileWrite, PendingChange, WriteAction
from tests.examples import examples

PROJECTS = ("/p", "/p/\udcff")
GONE = replace(this_process(), started="another boot/1").to_json()


@dataclass(frozen=True)
class Add:
    project: str
    path: str
    before: FileState | None
    after: FileState | None


@dataclass(frozen=True)
class SetStatus:
    newest: int
    """Which of the changes there are, counted from the newest."""
    status: ChangeStatus
    expected: ChangeStatus


@dataclass(frozen=True)
class Begin:
    newest: int
    write: FileWrite
    expected: ChangeStatus


@dataclass(frozen=True)
class End:
    newest: int
    status: ChangeStatus


@dataclass(frozen=True)
class Die:
    """Whoever was writing is gone."""


Act = Add | SetStatus | Begin | End | Die

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("%\0\ud800\udcff0e"))
images = st.none() | st.builds(FileState, st.binary(max_size=9), st.sampled_from(get_args(FileMode)))
writes = st.builds(FileWrite, st.sampled_from(get_args(WriteAction)), images, images)
# Mostly what happens in earnest, so that changes get far.
first_status = st.just("pending") | st.sampled_from(get_args(ChangeStatus))
newest = st.integers(0, 3)
acts = st.one_of(
    st.builds(Add, st.sampled_from(PROJECTS), any_text, images, images),
    st.builds(SetStatus, newest, st.sampled_from(get_args(ChangeStatus)), first_status),
    st.builds(Begin, newest, writes, first_status),
    st.builds(End, newest, st.sampled_from(get_args(ChangeStatus))),
    st.builds(Die),
)


@dataclass
class Model:
    """What the store should hold, in the order of staging."""

    changes: dict[str, PendingChange] = field(default_factory=dict[str, PendingChange])
    left: set[str] = field(default_factory=set[str])

    def of(self, project: str) -> list[PendingChange]:
        return [change for change in self.changes.values() if change.project == project]

    def counted_from_newest(self, place: int) -> PendingChange | None:
        return list(self.changes.values())[-1 - place] if place < len(self.changes) else None

    def end(self, change: PendingChange, status: ChangeStatus) -> None:
        write = change.under_way
        if write is None:
            return
        self.left.discard(change.id)
        if write.action == "apply" and status == "applied":
            change = replace(change, before=write.before, after=write.after)
        self.changes[change.id] = replace(change, status=status, under_way=None)


@given(st.lists(acts, max_size=30))
@settings(max_examples=examples(60), deadline=None)
def test_the_store_keeps_changes_as_a_dictionary_would(script: list[Act]) -> None:
    asyncio.run(play(script))


@given(any_text)
def test_any_name_becomes_text_and_comes_back(name: str) -> None:
    exact = exact_name(name)
    assert name_of(exact) == name
    assert "\0" not in exact
    exact.encode()


async def play(script: list[Act]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mulligan.db"
        store = await open_store(file, clock=lambda: 5.0)
        raw = await open_database(file)
        model = Model()
        for act in script:
            if isinstance(act, Add):
                await add(store, model, act)
            elif isinstance(act, Die):
                await die(raw, model)
            elif change := model.counted_from_newest(act.newest):
                await act_on(store, model, change, act)
        await compare(store, model)
        await raw.close()
        await store.close()


async def add(store: SqlStore, model: Model, act: Add) -> None:
    made = await store.changes.add(project=act.project, path=act.path, before=act.before, after=act.after)
    assert made.seq == len(model.of(act.project)) + 1
    model.changes[made.id] = made


async def die(raw: Database, model: Model) -> None:
    await raw.execute("UPDATE pending_changes SET write_owner = :gone WHERE write_owner IS NOT NULL", gone=GONE)
    model.left = {change.id for change in model.changes.values() if change.under_way}


async def act_on(store: SqlStore, model: Model, change: PendingChange, act: SetStatus | Begin | End) -> None:
    if isinstance(act, End):
        await store.changes.end_write(change.id, act.status)
        model.end(change, act.status)
        return
    fits = change.status == act.expected and change.under_way is None
    if isinstance(act, SetStatus):
        assert await store.changes.set_status(change.id, act.status, expected=act.expected) == fits
        becomes = replace(change, status=act.status)
    else:
        assert await store.changes.begin_write(change.id, act.write, expected=act.expected) == fits
        becomes = replace(change, under_way=act.write)
    if fits:
        model.changes[change.id] = becomes


async def compare(store: SqlStore, model: Model) -> None:
    for project in PROJECTS:
        expected = model.of(project)
        assert await store.changes.list(project) == expected
        for status in get_args(ChangeStatus):
            listed = await store.changes.list(project, statuses=[status])
            assert listed == [change for change in expected if change.status == status]
        assert await store.changes.interrupted_writes(project) == [
            change for change in expected if change.id in model.left
        ]
        for change in expected:
            assert await store.changes.find(project, change.id) == change
