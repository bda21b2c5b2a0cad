"""The index of a tree as large as they come: 12 copies of the standard library, cold, warm, searched and given up.

The tree and its index may be kept in a folder (`--keep`): a second run then makes no tree.
"""

import asyncio
import gc
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from bench.codecontext.processes import watch
from bench.codecontext.run import CORES, QUERIES, smaller
from bench.codecontext.tree import COPIES, list_tree, make_copies
from bench.harness import MULLIGAN, environment_for, run_measured, tell
from bench.results import BenchFailed, Figure, Yielded, at_least, at_most
from mulligan.codecontext.index import ProjectIndex

ROUNDS = 5
SEARCHES = 30
WHILE_READING = (0.4, 0.8, 2.0, 4.0)
"""Seconds: it starts, it lists files, it parses them."""
WHILE_LINKING = (1.2, 2.0, 4.0, 6.0)


def add_options(options: ArgumentParser) -> None:
    options.add_argument("--keep", type=Path, help="folder for the tree and its index, made where it is missing")


def measure(asked: Namespace) -> Iterator[Yielded]:
    with ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-index-")))
        root = folder / "tree"
        tell(f"{COPIES} copies of the standard library")
        paths = make_copies(root) if not root.exists() else [each for each in list_tree(root) if each.endswith(".py")]
        tell("given up while it reads")
        took = [_given_up_after(seconds, root, folder / f"home {seconds}") for seconds in WHILE_READING]
        yield _given_up("Ctrl-C while it reads files", took)
        tell(f"{len(paths):,} Python files, cold")
        yield from _cold(root, folder / "home" / "index", len(paths))
        tell("given up while it links")
        _forget_links(folder / "home" / "index")
        took = [_given_up_after(seconds, root, folder / "home") for seconds in WHILE_LINKING]
        yield _given_up("Ctrl-C while it links them", took)
        tell("warm")
        yield _warm(root, folder / "home")
        tell("searching")
        yield asyncio.run(_searches(root, folder / "home" / "index"))


def _cold(root: Path, cache: Path, files: int) -> Iterator[Figure]:
    for each in cache.glob("*"):
        each.unlink()
    run = watch([sys.executable, "-m", "bench.codecontext.child", str(root), str(cache)], memory=True)
    alone = run.cpu_seconds - run.told["parsing"] * (1 - 1 / CORES)
    seconds = run.told["seconds"]
    note = (
        f"{files / seconds:.0f} as it went; with other files {run.told['files'] / min(alone, seconds):.0f};"
        f" {run.cpu_seconds:.0f} s of the processor"
    )
    rate = files / min(alone, seconds)
    yield Figure(f"cold, Python files, with {CORES} cores of its own", rate, "files a second", at_least(350), note=note)
    yield Figure("cold, peak memory of all processes", run.peak_mb, "MB", at_most(250))


def _warm(root: Path, home: Path) -> Figure:
    runs = [run_measured([MULLIGAN, "overview", "-C", root, "--json"], home=home) for _ in range(ROUNDS)]
    if any(run.exit_code for run in runs):
        raise BenchFailed(f"mulligan overview ended with {runs[0].exit_code}: {runs[0].stderr}")
    wall = 1000 * statistics.median(run.seconds for run in runs)
    cpu = 1000 * statistics.median(run.cpu_seconds for run in runs)
    return smaller("`mulligan overview`, nothing changed", wall, cpu, at_most(800))


async def _searches(root: Path, cache: Path) -> Figure:
    async def list_files() -> Sequence[str]:
        return list_tree(root)

    gc.set_threshold(100_000, 20, 20)  # as the command has it
    index = ProjectIndex(root, cache, list_files)
    for _ in range(3):  # from the second look on the disk is watched
        await index.search_symbols("warm up")
    took: list[float] = []
    cpu: list[float] = []
    for _ in range(SEARCHES):
        for query in QUERIES:
            started, used = time.perf_counter(), time.process_time()
            await index.search_symbols(query)
            took.append(1000 * (time.perf_counter() - started))
            cpu.append(1000 * (time.process_time() - used))
    index.close()
    wall, processor = (sorted(each)[int(len(each) * 0.99)] for each in (took, cpu))
    return smaller(f"searching symbols, 99 of 100, of {len(took)}", wall, processor, at_most(20))


def _forget_links(cache: Path) -> None:
    for path in cache.glob("*.db"):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM computed")


def _given_up_after(seconds: float, root: Path, home: Path) -> float:
    """Milliseconds until the command has ended."""
    process = subprocess.Popen(
        [MULLIGAN, "overview", "-C", root],
        env=environment_for(home),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    time.sleep(seconds)
    started = time.perf_counter()
    os.killpg(process.pid, signal.SIGINT)
    code = process.wait()
    if code != 130:
        raise BenchFailed(f"given up after {seconds} s, mulligan overview ended with {code}")
    return 1000 * (time.perf_counter() - started)


def _given_up(what: str, took: Sequence[float]) -> Figure:
    note = ", ".join(f"{each:.0f}" for each in took)
    return Figure(f"{what}, until the process has ended", max(took), "ms", at_most(300), note=note)
