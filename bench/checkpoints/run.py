"""What checkpoints and restores cost on a large repository, and whether random histories lose anything.

All numbers are ratios to git commands timed in the same run, in turn, so that a busy machine slows both alike.
"""

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bench import pending_commands
from bench.checkpoints.histories import IDENTITY
from bench.checkpoints.trial import Lost, run_history
from bench.harness import environ_with, tell
from bench.results import Baseline, Figure, Yielded, at_most
from mulligan.workspace.checkpoints import capture, execute_restore, plan_restore

FILES = 20_000
CHANGES = 10
ROUNDS = 11
UNCHANGED = 100
HISTORIES = 200


@dataclass(slots=True)
class Times:
    status: list[float] = field(default_factory=list[float])
    recipe: list[float] = field(default_factory=list[float])
    checkpoint: list[float] = field(default_factory=list[float])
    restore: list[float] = field(default_factory=list[float])
    safe_restore: list[float] = field(default_factory=list[float])


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--histories", type=int, default=HISTORIES, help="try so many random histories")
    parser.add_argument("--first", type=int, default=0, help="the first one's seed")
    parser.add_argument("--untimed", action="store_true", help="random histories alone")


def measure(asked: Namespace) -> Iterator[Yielded]:
    if not asked.untimed:
        with tempfile.TemporaryDirectory() as folder, environ_with(GIT_CONFIG_GLOBAL=os.devnull):
            times, added = asyncio.run(_timed(Path(folder)))
        yield from _figures(times)
        note = f"{UNCHANGED} checkpoints of an unchanged tree"
        yield Figure("bytes on disk, nothing changed", added, "bytes", at_most(1_000_000), note=note)
        yield from pending_commands.figures()
    if asked.histories:
        lost = _histories(range(asked.first, asked.first + asked.histories))
        yield Figure("random histories that lost something", lost, f"of {asked.histories:,}", at_most(0))


def _figures(times: Times) -> Iterator[Figure]:
    status = Baseline("git status", _median_ms(times.status))
    recipe = Baseline("the plain recipe: read-tree, add, write-tree, commit-tree", _median_ms(times.recipe))
    checkpoint, note = _median_ms(times.checkpoint), f"median of {ROUNDS}"
    taken, restored = f"checkpoint after {CHANGES} changes", f"restore of {CHANGES} files"
    yield Figure(taken, checkpoint, "ms", at_most(1 / 8, of="ratio"), recipe, note)
    yield Figure(taken, checkpoint, "ms", at_most(2.5, of="ratio"), status, note)
    yield Figure(restored, _median_ms(times.restore), "ms", at_most(3, of="ratio"), status, note)
    safe = f"{restored}, with its safety checkpoint"
    yield Figure(safe, _median_ms(times.safe_restore), "ms", at_most(3, of="ratio"), status, note)


def _histories(seeds: Sequence[int]) -> int:
    """How many of them lost something."""
    tell(f"{len(seeds):,} random histories")
    with ProcessPoolExecutor() as pool:
        lost = [words for words in pool.map(_lost, seeds, chunksize=10) if words]
    for words in lost:
        tell(words)
    return len(lost)


def _lost(seed: int) -> str | None:
    try:
        asyncio.run(run_history(seed))
    except Lost as error:
        return str(error)
    return None


async def _timed(folder: Path) -> tuple[Times, int]:
    """Also the bytes that checkpoints of an unchanged tree add."""
    root = folder / "work"
    tell(f"a repository of {FILES:,} files is made")
    _make(root)
    times = Times()
    await capture(root, checkpoint_id="first")
    tell(f"{ROUNDS} checkpoints and {ROUNDS} restores, in turn with git")
    for number in range(ROUNDS):
        await _take_one(root, number, times)
    for number in range(ROUNDS):
        await _restore_one(root, number, times)
    tell(f"{UNCHANGED} checkpoints of an unchanged tree")
    return times, await _added_by_unchanged(root)


async def _take_one(root: Path, number: int, times: Times) -> None:
    _change(root, f"before {number}")
    times.status.append(_clock(lambda: _git(root, "status")))
    times.recipe.append(_clock(lambda: _recipe(root)))
    started = time.perf_counter()
    await capture(root, checkpoint_id=f"c{number}")
    times.checkpoint.append(time.perf_counter() - started)


async def _restore_one(root: Path, number: int, times: Times) -> None:
    _change(root, f"target {number}")
    target = await capture(root, checkpoint_id=f"t{number}")
    _change(root, f"after {number}")
    times.status.append(_clock(lambda: _git(root, "status")))
    started = time.perf_counter()
    safety = await capture(root, checkpoint_id=f"s{number}", before=target)
    half = time.perf_counter()
    plan = await plan_restore(root, target, safety, restore_id=f"r{number}")
    await execute_restore(root, plan)
    ended = time.perf_counter()
    assert len(plan.writes) == CHANGES
    times.restore.append(ended - half)
    times.safe_restore.append(ended - started)


async def _added_by_unchanged(root: Path) -> int:
    await capture(root, checkpoint_id="unchanged")
    before = _size(root / ".git")
    for number in range(UNCHANGED):
        await capture(root, checkpoint_id=f"unchanged{number}")
    return _size(root / ".git") - before


def _make(root: Path) -> None:
    for number in range(FILES):
        path = _path(root, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A few kilobytes each, as source files have.
        path.write_text("".join(f"line {line} of file {number}\n" for line in range(50 + number % 350)))
    (root / ".gitignore").write_text("*.pyc\n__pycache__/\n.venv/\nnode_modules/\nbuild/\n")
    _git(root, "init", "-q")
    # Left to itself git packs in the background, and the bytes on disk would be its doing.
    _git(root, "config", "gc.auto", "0")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "all")
    _git(root, "gc", "-q")


def _path(root: Path, number: int) -> Path:
    return root / f"package{number // 1000}" / f"part{number // 20 % 50}" / f"file{number}.py"


def _change(root: Path, text: str) -> None:
    for number in range(0, FILES, FILES // CHANGES):
        _path(root, number).write_text(f"{text} {number}\n")


def _recipe(root: Path) -> None:
    """How a checkpoint is taken by the book: a fresh index, everything added to it."""
    index = root.parent / "recipe-index"
    index.unlink(missing_ok=True)
    env = {"GIT_INDEX_FILE": str(index)}
    _git(root, "read-tree", "HEAD", env=env)
    _git(root, "add", "-A", env=env)
    tree = _git(root, "write-tree", env=env)
    _git(root, "commit-tree", "-p", "HEAD", "-m", "checkpoint", tree, env=env)


def _git(root: Path, *args: str, env: dict[str, str] | None = None) -> str:
    given = os.environ | IDENTITY | (env or {})
    return subprocess.run(
        ["git", *args], cwd=root, env=given, check=True, capture_output=True, text=True
    ).stdout.strip()


def _clock(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _size(folder: Path) -> int:
    """As the disk counts it, in blocks."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def _median_ms(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) * 1000
