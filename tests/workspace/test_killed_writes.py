"""Whenever a process is killed: every file is whole, old or new, and once recovered the store agrees with the disk."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from mulligan.types.changes import ChangeStatus, FileState, FileWrite, PendingChange
from mulligan.workspace.files.confined_folders import present_file
from tests.workspace.change_bench import ChangeBench, bench
from tests.workspace.writing_process import LINES, PATHS

__all__ = ["bench"]

KILLS = 40


class Victims:
    """Starts processes that change the project, and kills them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def start(self, bench: ChangeBench, **order: str) -> int:
        assert self._process.stdin is not None
        places = {"root": str(bench.root), "database": str(bench.database)}
        self._process.stdin.write(json.dumps(order | places) + "\n")
        self._process.stdin.flush()
        return int(self._hear())

    def until_gone(self) -> None:
        assert self._hear() == "ended"

    def _hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture(scope="module")
def victims() -> Generator[Victims]:
    script = Path(__file__).with_name("writing_process.py")
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Victims(process)
        process.kill()


def temporary_files(root: Path) -> list[Path]:
    return [file for file in root.rglob("*") if file.name.startswith(".mulligan-")]


def assert_whole(image: FileState | None) -> None:
    if image is not None:
        lines = image.data.splitlines()
        assert (len(lines), len(set(lines))) == (LINES, 1)


def expected_on_disk(change: PendingChange) -> FileState | None:
    return change.after if change.status == "applied" else change.before


async def test_a_process_killed_at_any_moment_leaves_whole_files_and_a_store_that_agrees(
    bench: ChangeBench, victims: Victims
) -> None:
    dice = random.Random(4)
    left = 0
    for _ in range(KILLS):
        pid = victims.start(bench)
        time.sleep(dice.uniform(0.01, 0.08))  # noqa: ASYNC251  the moment of death, no wait for something to happen
        os.kill(pid, signal.SIGKILL)
        victims.until_gone()
        for path in PATHS:
            assert_whole(present_file(bench.root, path))

        left += len(await bench.pending.recover())

        assert temporary_files(bench.root) == []
        changes = await bench.store.changes.list(bench.project)
        assert [change for change in changes if change.under_way] == []
        # Only the newest one of a file can have been half-way.
        for change in {change.path: change for change in changes}.values():
            assert present_file(bench.root, change.path) == expected_on_disk(change)
    assert left, "no write was ever interrupted: the moments are badly chosen"


OLD, NEW = FileState(b"old\n" * 5), FileState(b"new\n" * 5)

PUT_NEW = [("os", "fsync", "before"), ("os", "fsync", "after"), ("os", "link", "before"), ("os", "link", "after")]
PUT_OVER = [*PUT_NEW[:2], ("os", "replace", "before"), ("os", "replace", "after")]
REMOVE = [("os", "unlink", "before"), ("os", "unlink", "after")]
ALWAYS = [("store", "begin_write", "after"), ("store", "end_write", "before"), ("store", "end_write", "after")]

POINTS = [
    pytest.param(action, (before, after), point, id=f"{action} {kind}, {point[2]} {point[1]}")
    for kind, before, after, points in (
        ("a creation", None, NEW, {"apply": PUT_NEW, "revert": REMOVE}),
        ("an edit", OLD, NEW, {"apply": PUT_OVER, "revert": PUT_OVER}),
        ("a deletion", OLD, None, {"apply": REMOVE, "revert": PUT_NEW}),
    )
    for action in ("apply", "revert")
    for point in (*points[action], *ALWAYS)
]


@pytest.fixture
async def change(bench: ChangeBench, action: str, images: tuple[FileState | None, FileState | None]) -> PendingChange:
    """What is about to be applied, or reverted."""
    before, after = images
    if before:
        (bench.root / "src").mkdir()
        (bench.root / "src/a.txt").write_bytes(before.data)
    change = await bench.add("src/a.txt", before, after)
    return change if action == "apply" else (await bench.apply(change)).change


@pytest.mark.parametrize(("action", "images", "point"), POINTS)
async def test_killed_between_any_two_steps_of_a_write_it_is_done_or_not_begun(
    bench: ChangeBench, victims: Victims, change: PendingChange, action: Any, point: tuple[str, str, str]
) -> None:
    where, call, when = point
    former: ChangeStatus = change.status
    finished: ChangeStatus = "applied" if action == "apply" else "reverted"

    victims.start(bench, action=action, change=change.id, where=where, call=call, when=when)
    victims.until_gone()
    image = present_file(bench.root, "src/a.txt")
    assert image in (change.before, change.after)
    is_done = image == (change.after if action == "apply" else change.before)

    outcomes = await bench.pending.recover()

    assert [outcome.success for outcome in outcomes] == ([] if (call, when) == ("end_write", "after") else [True])
    assert await bench.status(change) == (finished if is_done else former)
    assert temporary_files(bench.root) == []
    if not is_done:
        assert (await (bench.apply if action == "apply" else bench.revert)(change)).success
    assert await bench.status(change) == finished
    assert present_file(bench.root, "src/a.txt") == (change.after if action == "apply" else change.before)


@pytest.mark.parametrize(("action", "images"), [("apply", (OLD, NEW))])
async def test_a_file_that_somebody_changed_after_the_kill_is_left_alone_and_said(
    bench: ChangeBench, victims: Victims, change: PendingChange
) -> None:
    victims.start(bench, action="apply", change=change.id, where="os", call="replace", when="before")
    victims.until_gone()
    (bench.root / "src/a.txt").write_text("mine\n")

    (outcome,) = await bench.pending.recover()

    assert (outcome.success, outcome.change.status) == (False, "pending")
    assert "the file changed since" in outcome.message
    assert bench.tree() == {"src/a.txt": b"mine\n"}


@pytest.mark.parametrize(("action", "images"), [("apply", (OLD, NEW))])
async def test_two_that_recover_at_once_settle_a_write_once(
    bench: ChangeBench, victims: Victims, change: PendingChange
) -> None:
    victims.start(bench, action="apply", change=change.id, where="os", call="replace", when="after")
    victims.until_gone()

    both = await asyncio.gather(bench.pending.recover(), bench.pending.recover())

    assert len([outcome for outcomes in both for outcome in outcomes]) == 1
    assert await bench.status(change) == "applied"


@pytest.mark.parametrize(("action", "images"), [("apply", (OLD, NEW))])
async def test_who_comes_late_to_recover_does_not_end_the_write_that_followed(
    bench: ChangeBench, victims: Victims, change: PendingChange, monkeypatch: pytest.MonkeyPatch
) -> None:
    victims.start(bench, action="apply", change=change.id, where="os", call="replace", when="before")
    victims.until_gone()
    left = await bench.store.changes.interrupted_writes(bench.project)
    await bench.pending.recover()
    following = FileWrite("apply", OLD, FileState(b"another\n"))
    await bench.store.changes.begin_write(change.id, following, expected="pending")

    async def seen_before(_project: str) -> list[PendingChange]:
        return left

    monkeypatch.setattr(bench.store.changes, "interrupted_writes", seen_before)

    assert await bench.pending.recover() == []
    assert (await bench.store.changes.find(bench.project, change.id)).under_way == following
