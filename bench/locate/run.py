"""Plant bugs in real packages, and see how high a fix run ranks the function that holds each; also for the tuned tasks.

`python -m bench locate --root DIR` fetches packages into DIR, which lies outside of this project. `--half`, `--only`
and `--bugs N --seed S` run a part; with `--tried FILE` a run that was broken off goes on where it was.
"""

import asyncio
import json
import os
import shutil
import statistics
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from bench.fixes.tasks import Task, load_tasks
from bench.harness import MULLIGAN, environ_with, tell
from bench.locate.locating import TestedFolder
from bench.locate.packages import COMMAND, PACKAGES, Package
from bench.locate.planting import Planted, planted
from bench.results import BenchFailed, Figure, Table, Yielded, at_least
from mulligan.syntax.functions import functions_in, innermost
from mulligan.types.fixing import Check

HALVES = ("tuned", "held out")
TASKS = "tuned tasks"
FIRST = 3
"""Functions of which the wrong one has to be one."""
SHARE = 0.9
TRIES = 12
"""Bugs that are planted for each one that is kept: many make no test fail."""
TIME_LIMIT = 300.0
COMMANDS = {"python": COMMAND, "javascript": "node --test", "go": "go test ./..."}


@dataclass(frozen=True, slots=True)
class Ranked:
    """One bug, and where the function that holds it stands."""

    bug: str
    half: str
    what: str
    rank: int | None
    """From 1, with what ran; None if it is not among those that are suspected."""
    without: int | None
    """By tracebacks, names and imports alone."""
    functions: int
    """That ran in failing tests."""
    failing: int
    plain_seconds: float
    """Of the tests as they are run anyway."""
    traced_seconds: float


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--root", type=Path, required=True, help="a folder for packages")
    parser.add_argument("--half", choices=[*HALVES, TASKS, "all"], default="all")
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--bugs", type=int, default=3, help="in each package")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--tried", type=Path, help="a file: what stands there is not tried again, the rest is added")


def measure(asked: Namespace) -> Iterator[Yielded]:
    root: Path = asked.root
    path = f"{MULLIGAN.parent}{os.pathsep}{os.environ['PATH']}"
    # The Python of this project has pytest, without what else is installed here for it.
    with environ_with(PATH=path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"):
        ranked = asyncio.run(_all(root.resolve(), asked))
    if not ranked:
        raise BenchFailed("there is nothing of that name that can be run here")
    note = "put together from runs made earlier" if asked.tried else ""
    for half in dict.fromkeys(each.half for each in ranked):
        mine = [each for each in ranked if each.half == half]
        bound = at_least(SHARE * len(mine)) if half == "held out" else None
        unit = f"of {len(mine)}"
        first = _first(each.rank for each in mine)
        yield Figure(f"wrong function among the first {FIRST}, {half}", first, unit, bound, note=note)
        yield Figure(f"the same without what ran, {half}", _first(each.without for each in mine), unit)
        times = [each.traced_seconds / each.plain_seconds for each in mine if each.traced_seconds]
        if times:
            yield Figure(f"a traced run to a plain one, {half}", statistics.median(times), "times, median")
    yield _table(ranked)


async def _all(root: Path, asked: Namespace) -> list[Ranked]:
    known = _known(asked.tried)
    found: list[Ranked] = []
    for package in PACKAGES:
        if asked.only in package.name and asked.half in {package.half, "all"}:
            mine = [each for name, each in known.items() if name.startswith(f"{package.name} ")]
            if len(mine) < asked.bugs:
                mine = [each async for each in _in_package(package, root, asked)]
            found += mine
    for task in load_tasks("tuned") if asked.half in {TASKS, "all"} else ():
        if asked.only in task.name and task.runs_here and _wrong_lines(task):
            found.append(known.get(f"task {task.name}") or await _in_task(task, asked))
    return found


async def _in_package(package: Package, root: Path, asked: Namespace) -> AsyncIterator[Ranked]:
    async for bug in noticed_bugs(package, root, asked.bugs, asked.seed):
        located = await bug.tested.locate(bug.check, bug.took)
        plain = await bug.tested.locate(bug.check, bug.took, traced=False)
        ranked = Ranked(
            bug=f"{package.name} {bug.bug.path}:{bug.bug.line}",
            half=package.half,
            what=bug.bug.what,
            rank=located.rank_of(bug.bug.path, bug.bug.line),
            without=plain.rank_of(bug.bug.path, bug.bug.line),
            functions=located.brief.functions_ran,
            failing=len(bug.check.report.failing),
            plain_seconds=bug.took,
            traced_seconds=located.traced_seconds,
        )
        yield _told(ranked, asked.tried)


@dataclass(frozen=True, slots=True)
class NoticedBug:
    """A bug that stands in a package's folder, and what the tests say of it."""

    folder: Path
    tested: TestedFolder
    bug: Planted
    check: Check
    took: float


async def noticed_bugs(package: Package, root: Path, bugs: int, seed: str) -> AsyncIterator[NoticedBug]:
    """As many bugs as are asked for, each of which some tests notice, and not all."""
    folder = package.unpacked(root)
    with tempfile.TemporaryDirectory(prefix="locate-") as scratch:
        place, home = Path(scratch, package.name), Path(scratch, "home")
        shutil.copytree(folder, place)
        tested = TestedFolder(place, COMMAND, home=home)
        check, took = await tested.check(time_limit=TIME_LIMIT)
        if not check.passed:
            raise BenchFailed(f"the tests of {package.name} fail as it is: {check.summary}")
        lines = await tested.lines_run()
        texts = {path: (place / path).read_bytes().decode() for path in lines}
        kept = 0
        for bug in islice(planted(texts, lines, f"{seed} {package.name}"), TRIES * bugs):
            (place / bug.path).write_bytes(bug.after.encode())
            check, seconds = await tested.check(time_limit=max(30.0, 4 * took))
            counts = check.report.counts
            if not check.passed and not check.report.blocked and check.report.failing and counts and counts.passed:
                kept += 1
                yield NoticedBug(place, tested, bug, check, seconds)
            (place / bug.path).write_bytes(bug.before.encode())
            if kept == bugs:
                return


async def _in_task(task: Task, asked: Namespace) -> Ranked:
    with tempfile.TemporaryDirectory(prefix="locate-") as scratch:
        folder = Path(scratch, task.name)
        task.write(folder)
        tested = TestedFolder(folder, COMMANDS[task.language], home=Path(scratch, "home"))
        check, took = await tested.check(time_limit=TIME_LIMIT)
        located = await tested.locate(check, took)
        plain = await tested.locate(check, took, traced=False)
        ranks = [[each.rank_of(*place) for place in _wrong_lines(task)] for each in (located, plain)]
        ranked = Ranked(
            bug=f"task {task.name}",
            half=TASKS,
            what=task.bug,
            rank=min((each for each in ranks[0] if each), default=None),
            without=min((each for each in ranks[1] if each), default=None),
            functions=located.brief.functions_ran,
            failing=len(check.report.failing),
            plain_seconds=took,
            traced_seconds=located.traced_seconds,
        )
    return _told(ranked, asked.tried)


def _wrong_lines(task: Task) -> list[tuple[str, int]]:
    """Paths and lines that a task's cure changes, as far as a function holds them: a constant has no rank."""
    found: list[tuple[str, int]] = []
    for path, old, _ in task.cure:
        before, _, after = task.files[path].partition(old)
        line = before.count("\n") + 1
        lines = (before + old + after).splitlines()
        if innermost(functions_in(path, lines), line):
            found.append((path, line))
    return found


def _told(ranked: Ranked, kept: Path | None) -> Ranked:
    tell(f"{ranked.rank or '-'} ({ranked.without or '-'} without what ran)  {ranked.bug}: {ranked.what}")
    if kept:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(ranked)) + "\n")
    return ranked


def _known(kept: Path | None) -> dict[str, Ranked]:
    lines = kept.read_text(encoding="utf-8").splitlines() if kept and kept.exists() else []
    return {each.bug: each for each in (Ranked(**json.loads(line)) for line in lines)}


def _first(ranks: Iterator[int | None]) -> int:
    return sum(rank is not None and rank <= FIRST for rank in ranks)


def _table(ranked: Sequence[Ranked]) -> Table:
    columns = ("bug", "set", "change", "rank", "without what ran", "functions that ran", "failing tests")
    rows = tuple(
        (each.bug, each.half, each.what, each.rank, each.without, each.functions, each.failing) for each in ranked
    )
    return Table("Each bug", columns, rows)
