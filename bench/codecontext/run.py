"""The index of a tree with 2,000 Python files: cold, warm, after a change, searched; and held against a plain grep.

A machine that is busy with other things slows all of it. So beside the time that passed stands the time that two cores
would take with nothing else to do: the processor time of the parsing processes by two, and that of the rest.
"""

import asyncio
import random
import re
import statistics
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.codecontext.processes import Watched, watch
from bench.codecontext.tree import list_tree, make_tree
from bench.harness import MULLIGAN, run_measured, tell
from bench.results import BenchFailed, Bound, Figure, Yielded, at_least, at_most
from mulligan.codecontext.index import ProjectIndex

ROUNDS = 9
COLD_ROUNDS = 3
SAMPLED = 20
QUERIES = ("parse", "HTTPConnection", "opne_file", "gci", "connect to server", "JSONDecoder.decode", "x")
GREP = re.compile(r"^(?:class|def|async def) (\w+)", re.MULTILINE)
CORES = 2


def measure(_asked: Namespace) -> Iterator[Yielded]:
    with tempfile.TemporaryDirectory(prefix="bench-codecontext-") as folder:
        root, cache = Path(folder, "tree"), Path(folder, "cache")
        paths = make_tree(root)
        tell(f"{len(paths):,} files, cold")
        yield from _cold(root, Path(folder), len(paths))
        tell("warm, and after a change")
        yield from _warm(root, cache)
        yield _command(root, Path(folder))
        tell("searching")
        yield asyncio.run(_searches(root, cache))
        yield asyncio.run(_against_grep(root, cache, paths))


def _cold(root: Path, folder: Path, files: int) -> Iterator[Figure]:
    runs = [_child(root, folder / f"cold {number}", memory=True) for number in range(COLD_ROUNDS)]
    seconds = statistics.median(run.told["seconds"] for run in runs)
    # Whatever is not parsing is counted as if nothing ran beside it.
    alone = statistics.median(run.cpu_seconds - run.told["parsing"] * (1 - 1 / CORES) for run in runs)
    rate, note = max(files / seconds, files / alone), f"{files / seconds:.0f} as it went"
    yield Figure(f"cold, with {CORES} cores of its own", rate, "files a second", at_least(350), note=note)
    peak = max(run.peak_mb for run in runs)
    yield Figure("cold, peak memory of all processes", peak, "MB", at_most(250))


def _warm(root: Path, cache: Path) -> Iterator[Figure]:
    _child(root, cache)
    changed = root / "library/json/decoder.py"
    text = changed.read_text()
    same: list[Watched] = []
    body: list[Watched] = []
    linked: list[Watched] = []
    for number in range(ROUNDS):
        same.append(_child(root, cache))
        changed.write_text(f"{text}\n# {number}\n")
        body.append(_child(root, cache))
        changed.write_text(
            f"{text}\nimport ast\n\n\ndef made_{number}():\n    return ast.parse('{number}')\n" * (1 + number % 2)
        )
        linked.append(_child(root, cache))
        changed.write_text(text)
        _child(root, cache)
    yield Figure("warm, nothing changed, whole process", _median(same), "ms", at_most(400))
    yield _more("one file's text changed, more than that", same, body)
    yield _more("one file's functions and imports changed, more than that", same, linked)


def _more(what: str, same: Sequence[Watched], changed: Sequence[Watched]) -> Figure:
    more = _median(changed) - _median(same)
    cpu = 1000 * statistics.median(b.cpu_seconds - a.cpu_seconds for a, b in zip(same, changed, strict=True))
    return smaller(what, more, cpu, at_most(50))


def smaller(what: str, wall_ms: float, cpu_ms: float, bound: Bound) -> Figure:
    """Other work on the machine adds to the one and not to the other."""
    note = f"{wall_ms:.1f} as it went, {cpu_ms:.1f} of the processor"
    return Figure(what, min(wall_ms, cpu_ms), "ms", bound, note=note)


def _command(root: Path, folder: Path) -> Figure:
    """The installed command itself, with nothing changed."""
    command = [MULLIGAN, "overview", "-C", root, "--json"]
    first = run_measured(command, home=folder / "home")
    if first.exit_code != 0:
        raise BenchFailed(f"mulligan overview ended with {first.exit_code}: {first.stderr}")
    runs = [run_measured(command, home=folder / "home") for _ in range(ROUNDS)]
    wall = 1000 * statistics.median(run.seconds for run in runs)
    cpu = 1000 * statistics.median(run.cpu_seconds for run in runs)
    return smaller("`mulligan overview`, nothing changed", wall, cpu, at_most(400))


async def _searches(root: Path, cache: Path) -> Figure:
    paths = list_tree(root)

    async def list_files() -> Sequence[str]:
        return paths

    index = ProjectIndex(root, cache, list_files)
    await index.search_symbols("warm up")
    took: list[float] = []
    cpu: list[float] = []
    for _ in range(ROUNDS):
        for query in QUERIES:
            started, used = time.perf_counter(), time.process_time()
            await index.search_symbols(query)
            took.append(time.perf_counter() - started)
            cpu.append(time.process_time() - used)
    index.close()
    wall, used_ms = 1000 * statistics.median(took), 1000 * statistics.median(cpu)
    return smaller("searching symbols, with a look at all files", wall, used_ms, at_most(20))


async def _against_grep(root: Path, cache: Path, paths: Sequence[str]) -> Figure:
    async def list_files() -> Sequence[str]:
        return paths

    index = ProjectIndex(root, cache, list_files)
    chosen = random.Random(6).sample([path for path in paths if (root / path).stat().st_size > 4_000], SAMPLED)
    missed: list[str] = []
    expected = 0
    for path in chosen:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        known = {(symbol.name, symbol.line) for symbol in (await index.file(path)).symbols}
        for found in GREP.finditer(text):
            expected += 1
            place = (found[1], text.count("\n", 0, found.start()) + 1)
            if place not in known:
                missed.append(f"{path}:{place[1]} {place[0]}")
    index.close()
    for each in missed:
        tell(f"not found: {each}")
    what = f"definitions in {SAMPLED} modules, found with their line"
    return Figure(what, expected - len(missed), f"of {expected:,}", at_least(expected), note="beside a plain grep")


def _child(root: Path, cache: Path, *, memory: bool = False) -> Watched:
    return watch([sys.executable, "-m", "bench.codecontext.child", str(root), str(cache)], memory=memory)


def _median(runs: Sequence[Watched]) -> float:
    return 1000 * statistics.median(run.seconds for run in runs)
