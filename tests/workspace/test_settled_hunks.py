"""A change applied or rejected in part: the hunks that a person chose become a change of their own."""

import pytest

from mulligan.types.changes import FileState, HunkAction, PendingChange
from tests.workspace.change_bench import ChangeBench, bench

__all__ = ["bench"]

LINES = [f"line {number}\n" for number in range(30)]
BEFORE = "".join(LINES).encode()
AFTER = BEFORE.replace(b"line 2\n", b"two\n").replace(b"line 15\n", b"").replace(b"line 28\n", b"line 28\nmore\n")


@pytest.fixture
async def change(bench: ChangeBench) -> PendingChange:
    (bench.root / "a.txt").write_bytes(BEFORE)
    return await bench.add("a.txt", BEFORE, AFTER)


async def test_an_applied_hunk_is_written_and_the_others_wait(bench: ChangeBench, change: PendingChange) -> None:
    outcome = await bench.pending.settle_hunks("apply", change, {1})
    assert (outcome.success, outcome.change.status) == (True, "applied")
    assert (bench.root / "a.txt").read_bytes() == BEFORE.replace(b"line 15\n", b"")
    rest = await bench.store.changes.find(bench.project, change.id)
    assert rest.status == "pending"
    assert (await bench.apply(rest)).success
    assert (bench.root / "a.txt").read_bytes() == AFTER


async def test_an_applied_hunk_can_be_rewound_alone(bench: ChangeBench, change: PendingChange) -> None:
    first = await bench.pending.settle_hunks("apply", change, {0})
    await bench.apply(await bench.store.changes.find(bench.project, change.id))
    assert (await bench.revert(first.change)).success
    assert (bench.root / "a.txt").read_bytes() == AFTER.replace(b"two\n", b"line 2\n")


async def test_a_rejected_hunk_is_left_out_and_can_be_brought_back(bench: ChangeBench, change: PendingChange) -> None:
    rejected = await bench.pending.settle_hunks("reject", change, {0, 2})
    assert (rejected.success, rejected.change.status) == (True, "rejected")
    assert (bench.root / "a.txt").read_bytes() == BEFORE
    await bench.apply(await bench.store.changes.find(bench.project, change.id))
    assert (bench.root / "a.txt").read_bytes() == BEFORE.replace(b"line 15\n", b"")
    (again,) = await bench.pending.reopen([rejected.change])
    assert again.change.status == "pending"
    assert (await bench.apply(again.change)).success
    assert (bench.root / "a.txt").read_bytes() == AFTER


@pytest.mark.parametrize(("action", "left"), [("apply", AFTER), ("reject", BEFORE)])
async def test_all_hunks_are_the_change_itself(
    bench: ChangeBench, change: PendingChange, action: HunkAction, left: bytes
) -> None:
    outcome = await bench.pending.settle_hunks(action, change, {0, 1, 2})
    assert outcome.change.id == change.id
    assert len(await bench.store.changes.list(bench.project)) == 1
    assert (bench.root / "a.txt").read_bytes() == left


async def test_a_hunk_that_no_longer_fits_leaves_the_change_whole(bench: ChangeBench, change: PendingChange) -> None:
    (bench.root / "a.txt").write_text("mine now\n")
    outcome = await bench.pending.settle_hunks("apply", change, {1})
    assert not outcome.success
    assert await bench.store.changes.list(bench.project) == [change]
    assert (bench.root / "a.txt").read_text() == "mine now\n"


async def test_hunks_of_a_change_that_was_divided_meanwhile_are_refused(
    bench: ChangeBench, change: PendingChange
) -> None:
    await bench.pending.settle_hunks("apply", change, {0})
    late = await bench.pending.settle_hunks("reject", change, {1})
    assert not late.success
    assert "not what you saw" in late.message
    assert len(await bench.store.changes.list(bench.project)) == 2


@pytest.mark.parametrize("action", ["apply", "reject"])
async def test_a_changed_mode_stays_with_the_rest(bench: ChangeBench, action: HunkAction) -> None:
    (bench.root / "run.sh").write_bytes(BEFORE)
    change = await bench.add("run.sh", FileState(BEFORE), FileState(AFTER, "100755"))
    await bench.pending.settle_hunks(action, change, {0})
    assert not (bench.root / "run.sh").stat().st_mode & 0o100
    await bench.apply(await bench.store.changes.find(bench.project, change.id))
    assert (bench.root / "run.sh").stat().st_mode & 0o100


@pytest.mark.parametrize(
    ("before", "after", "hunks", "why"),
    [
        pytest.param(BEFORE, AFTER, {3}, "has 3 hunks", id="no such hunk"),
        pytest.param(None, AFTER, {0}, "as a whole", id="a new file"),
        pytest.param(b"\0", b"\0\1", {0}, "as a whole", id="no text"),
        pytest.param(BEFORE, b"\xef\xbb\xbf" + AFTER, {0}, "another encoding", id="another encoding"),
    ],
)
async def test_what_has_no_such_hunks_says_so(
    bench: ChangeBench, before: bytes | None, after: bytes, hunks: set[int], why: str
) -> None:
    change = await bench.add("b.txt", before, after)
    outcome = await bench.pending.settle_hunks("apply", change, hunks)
    assert not outcome.success
    assert why in outcome.message
