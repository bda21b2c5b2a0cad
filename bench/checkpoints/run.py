"""What checkpoints and restores cost on a large repository, and whether random histories lose anything.

All numbers are ratios to git commands timed in the same run, in turn, so that a busy machine slows both alike.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bench.checkpoints.histories import IDENTITY
from bench.checkpoints.trial import Lost, run_history
from bench.harness import print_table
from mulligan.workspace.checkpoints import capture, carry_out, plan_restore

FILES = 20_000
CHANGES = 10
ROUNDS = 11
UNCHANGED = 100


def main(words: Sequence[str] = ()) -> bool:
    parser = argparse.ArgumentParser(prog="python -m bench checkpoints", description=__doc__)
    parser.add_argument("--histories", type=int, default=0, help="try so many random histories instead of timing")
    parser.add_argument("--first", type=int, default=0, help="the first one's seed")
    given = parser.parse_args(words)
    if given.histories:
        return _histories(range(given.first, given.first + given.histories))
    with tempfile.TemporaryDirectory(prefix="bench-checkpoints-") as folder:
        return asyncio.run(_timed(Path(folder)))


def _histories(seeds: Sequence[int]) -> bool:
    started = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        lost = [words for words in pool.map(_lost, seeds, chunksize=10) if words]
    for words in lost:
        print(words, file=sys.stderr)
    took = time.perf_counter() - started
    print_table(
        "Random histories: a checkpoint, a restore, an undo",
        ("histories", "lost", "seconds", "holds"),
        [(len(seeds), len(lost), round(took), "NO" if lost else "yes")],
    )
    return not lost


def _lost(seed: int) -> str | None:
    try:
        asyncio.run(run_history(seed))
    except Lost as error:
        return str(error)
    return None


@dataclass(slots=True)
class Times:
    status: list[float] = field(default_factory=list[float])
    recipe: list[float] = field(default_factory=list[float])
    checkpoint: list[float] = field(default_factory=list[float])
    restore: list[float] = field(default_factory=list[float])
    safe_restore: list[float] = field(default_factory=list[float])


async def _timed(folder: Path) -> bool:
    root = folder / "work"
    os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
    _make(root)
    times = Times()
    await capture(root, checkpoint_id="first")
    for number in range(ROUNDS):
        await _take_one(root, number, times)
    for number in range(ROUNDS):
        await _restore_one(root, number, times)
    added = await _added_by_unchanged(root)
    status, recipe = statistics.median(times.status), statistics.median(times.recipe)
    checkpoint = statistics.median(times.checkpoint)
    rows = [
        _row(f"checkpoint after {CHANGES} changes, to the plain recipe", checkpoint, recipe, 1 / 8),
        _row(f"checkpoint after {CHANGES} changes, to git status", checkpoint, status, 2.5),
        _row(f"restore of {CHANGES} files, to git status", statistics.median(times.restore), status, 3),
        _row("the same with its safety checkpoint", statistics.median(times.safe_restore), status, 3),
    ]
    print_table(
        f"Checkpoints on {FILES} files, median of {ROUNDS} rounds",
        ("what", "ms", "git, ms", "ratio", "at most", "holds"),
        rows,
    )
    small = added < 1_000_000
    print_table(
        f"{UNCHANGED} checkpoints of an unchanged tree",
        ("bytes on disk", "at most", "holds"),
        [(added, 1_000_000, _word(small))],
    )
    return small and all(row[-1] != "NO" for row in rows)


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
    await carry_out(root, plan)
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
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "all")


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


def _row(what: str, ours: float, theirs: float, bound: float) -> tuple[str, float, float, str, str, str]:
    ratio = ours / theirs
    return what, round(ours * 1000, 1), round(theirs * 1000, 1), f"{ratio:.3g}", f"{bound:.3g}", _word(ratio <= bound)


def _word(holds: bool) -> str:  # noqa: FBT001  it is all that it takes
    return "yes" if holds else "NO"
