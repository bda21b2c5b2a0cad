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
from collections.abc import Sequence
from pathlib import Path

from bench.codecontext.processes import Watched, watch
from bench.codecontext.tree import list_tree, make_tree
from bench.harness import MULLIGAN, print_table, run_measured
from mulligan.codecontext.index import ProjectIndex

ROUNDS = 9
COLD_ROUNDS = 3
SAMPLED = 20
QUERIES = ("parse", "HTTPConnection", "opne_file", "gci", "connect to server", "JSONDecoder.decode", "x")
GREP = re.compile(r"^(?:class|def|async def) (\w+)", re.MULTILINE)
CORES = 2

Row = tuple[str, str, str, str]


def main() -> bool:
    with tempfile.TemporaryDirectory(prefix="bench-codecontext-") as folder:
        root, cache = Path(folder, "tree"), Path(folder, "cache")
        paths = make_tree(root)
        rows = [*_cold(root, Path(folder), len(paths)), *_warm(root, cache), _command(root, Path(folder))]
        rows += [*asyncio.run(_searches(root, cache)), asyncio.run(_against_grep(root, cache, paths))]
    print_table(f"The code index on {len(paths)} Python files", ("what", "measured", "bound", "holds"), rows)
    return all(row[-1] != "NO" for row in rows)


def _cold(root: Path, folder: Path, files: int) -> list[Row]:
    runs = [_child(root, folder / f"cold {number}", memory=True) for number in range(COLD_ROUNDS)]
    seconds = statistics.median(run.told["seconds"] for run in runs)
    # Whatever is not parsing is reckoned as if nothing ran beside it.
    alone = statistics.median(run.cpu_seconds - run.told["parsing"] * (1 - 1 / CORES) for run in runs)
    peak = max(run.peak_mb for run in runs)
    rate = max(files / seconds, files / alone)
    return [
        ("cold, files a second as it went", f"{files / seconds:.0f}", "", ""),
        (f"cold, files a second with {CORES} cores of its own", f"{rate:.0f}", ">= 250", _word(holds=rate >= 250)),
        ("cold, peak memory of all processes, MB", f"{peak:.0f}", "<= 400", _word(holds=peak <= 400)),
    ]


def _warm(root: Path, cache: Path) -> list[Row]:
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
    plain = _median(same)
    return [
        ("warm, nothing changed, whole process, ms", f"{plain:.0f}", "<= 400", _word(holds=plain <= 400)),
        _more("one file's text changed, ms more", same, body, most=50),
        _more("one file's functions and imports changed, ms more", same, linked, most=50),
    ]


def _more(what: str, same: Sequence[Watched], changed: Sequence[Watched], *, most: int) -> Row:
    more = _median(changed) - _median(same)
    cpu = 1000 * statistics.median(b.cpu_seconds - a.cpu_seconds for a, b in zip(same, changed, strict=True))
    return what, f"{more:.0f} ({cpu:.0f} of the processor)", f"<= {most}", _word(holds=min(more, cpu) <= most)


def _command(root: Path, folder: Path) -> Row:
    """The installed command itself, with nothing changed."""
    command = [MULLIGAN, "overview", "-C", root, "--json"]
    first = run_measured(command, home=folder / "home")
    assert first.exit_code == 0, first.stderr
    runs = [run_measured(command, home=folder / "home") for _ in range(ROUNDS)]
    wall = 1000 * statistics.median(run.seconds for run in runs)
    cpu = 1000 * statistics.median(run.cpu_seconds for run in runs)
    told = f"{wall:.0f} ({cpu:.0f} of the processor)"
    return "mulligan overview, nothing changed, ms", told, "<= 400", _word(holds=min(wall, cpu) <= 400)


async def _searches(root: Path, cache: Path) -> list[Row]:
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
    median, used_ms = 1000 * statistics.median(took), 1000 * statistics.median(cpu)
    told = f"{median:.1f} ({used_ms:.1f} of the processor)"
    return [("searching symbols, with a look at all files, ms", told, "<= 20", _word(holds=min(median, used_ms) <= 20))]


async def _against_grep(root: Path, cache: Path, paths: Sequence[str]) -> Row:
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
        print(f"not found: {each}", file=sys.stderr)
    what = f"definitions in {SAMPLED} modules, found with their line"
    return what, f"{expected - len(missed)} of {expected}", "all", _word(holds=not missed and expected > 0)


def _child(root: Path, cache: Path, *, memory: bool = False) -> Watched:
    return watch([sys.executable, "-m", "bench.codecontext.child", str(root), str(cache)], memory=memory)


def _median(runs: Sequence[Watched]) -> float:
    return 1000 * statistics.median(run.seconds for run in runs)


def _word(*, holds: bool) -> str:
    return "yes" if holds else "NO"
