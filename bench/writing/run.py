"""Give every problem to `mulligan fix` and to the plainest use of the same model, and see what comes of it.

`python -m bench quixbugs --root DIR`, `python -m bench write --root DIR`. `--only NAMES`, `--limit N --seed S` and
`--way` run a part; with `--tried FILE` a run that was broken off goes on where it was.
"""

import asyncio
import json
import os
import statistics
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.harness import EMBEDDED, MULLIGAN, environ_with, model_versions, run_measured, tell
from bench.results import Baseline, BenchFailed, Bound, Figure, Table, Yielded, at_least, at_most
from bench.writing.problems import TUNED, Problem, chosen, exercism, quixbugs

if TYPE_CHECKING:
    from bench.writing.plain import Plain
    from mulligan.app.configuration import Configuration

WAYS = ("guided", "plain")
SETS: dict[str, Callable[[Path], list[Problem]]] = {"quixbugs": quixbugs, "write": exercism}
GOAL = "make the tests pass"
QUIXBUGS_SOLVED, QUIXBUGS_SECONDS = 34, 60.0
"""Of 40, and the median."""
TIMES_PLAIN = 1.5
"""What is solved of Exercism, to what plain use solves."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One problem, given to the model in one way."""

    problem: str
    way: str
    solved: bool
    said: str
    calls: int | None
    """None if the run was stopped before it said."""
    checks: int | None
    seconds: float


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--root", type=Path, required=True, help="the folder with the problems")
    parser.add_argument("--only", default="", metavar="NAMES", help="these problems, with commas between them")
    parser.add_argument("--limit", type=int, default=0, help="so many of them, drawn with the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--way", choices=WAYS, action="append", help="one way alone; without it, both")
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--within", type=int, default=600, help="seconds, after which a run is stopped as by Ctrl-C")
    parser.add_argument("--test-seconds", type=int, default=20, help="for one run of the tests: some bugs never end")
    parser.add_argument("--tried", type=Path, help="a file: what stands there is not tried again, the rest is added")
    parser.add_argument("--logs", type=Path, help="a folder for what each run printed")


def measure(name: str, asked: Namespace) -> Iterator[Yielded]:
    problems = chosen(SETS[name](asked.root), only=asked.only, limit=asked.limit, seed=asked.seed)
    ways: list[str] = asked.way or list(WAYS)
    yield from model_versions(asked.model)
    # The Python of this project has pytest, which the problems need, without what else is installed here for it.
    path = f"{MULLIGAN.parent}{os.pathsep}{os.environ['PATH']}"
    with environ_with(PATH=path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"), tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _lend_models(home)
        asyncio.run(_load(asked, home))
        # Both ways one after the other, so that a machine that slows down slows both.
        wanted = [(problem, way) for problem in problems for way in ways]
        tried = [_known(asked.tried, each, way) or _try(asked, each, way, home) for each, way in wanted]
        _stop_model(home)
    note = "put together from runs of single problems, made earlier" if asked.tried else ""
    yield from _figures(name, tried, note, whole=not asked.only and not asked.limit)
    yield _ways_table(name, tried)
    yield _problems_table(name, tried)


measure_quixbugs = partial(measure, "quixbugs")
measure_write = partial(measure, "write")


def _known(kept: Path | None, problem: Problem, way: str) -> Tried | None:
    """What came of it earlier, if this run was broken off."""
    for line in kept.read_text(encoding="utf-8").splitlines() if kept and kept.exists() else ():
        known = json.loads(line)
        if (known["problem"], known["way"]) == (problem.name, way):
            return Tried(**known)
    return None


def _try(asked: Namespace, problem: Problem, way: str, home: Path) -> Tried:
    kept: Path | None = asked.tried
    with tempfile.TemporaryDirectory(prefix="write-") as folder:
        project = Path(folder, problem.name)
        project.mkdir()
        problem.write(project)
        tried = _guided(asked, problem, project, home) if way == "guided" else _plain(asked, problem, project, home)
    if kept:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(tried)) + "\n")
    tell(f"{'solved' if tried.solved else 'OPEN  '} {tried.seconds:6.1f} s  {way:7} {problem.name}: {tried.said}")
    return tried


def _guided(asked: Namespace, problem: Problem, project: Path, home: Path) -> Tried:
    model = ["--base-url", asked.base_url, "--model", asked.model] if asked.base_url else ["--model", asked.model]
    command = ["fix", "--json", "--yes", *model, "--agency", "guided", "--timeout", str(asked.test_seconds)]
    stopped = ["timeout", "--signal=INT", str(asked.within)]
    run = run_measured([*stopped, MULLIGAN, *command, "--verify", problem.verify, "-C", project, GOAL], home=home)
    run.keep(asked.logs, problem.name)
    end = run.last if run.last.get("type") == "run_end" else {}
    spent = end.get("spent", {})
    said = f"{end['verdict']}: {end['reason']}" if end else f"exit code {run.exit_code}: {run.stderr[-200:]}"
    solved = run.exit_code == 0 and end.get("verdict") == "verified"
    return Tried(problem.name, "guided", solved, said, spent.get("model_calls"), spent.get("checks"), run.seconds)


def _plain(asked: Namespace, problem: Problem, project: Path, home: Path) -> Tried:
    came = asyncio.run(_ask_plainly(asked, problem, project, home))
    said = "passes" if came.solved else "still fails"
    return Tried(problem.name, "plain", came.solved, said, came.calls, came.calls + 1, came.seconds)


async def _ask_plainly(asked: Namespace, problem: Problem, project: Path, home: Path) -> "Plain":
    from bench.writing.plain import ask_plainly
    from mulligan.app.open_session import open_session

    async with open_session(_configuration(asked, project, home)) as session:
        ready = await session.models.ready(asked.model)
        return await ask_plainly(session, ready.model, problem, limit=asked.test_seconds)


async def _load(asked: Namespace, home: Path) -> None:
    """Before anything is timed."""
    from mulligan.app.open_session import open_session

    async with open_session(_configuration(asked, home, home)) as session:
        ready = await session.models.ready(asked.model)
        if ready.embedded:
            tell("loading the model")
            await ready.embedded.start()


def _configuration(asked: Namespace, project: Path, home: Path) -> "Configuration":
    from mulligan.app.configuration import load_configuration

    flags = {"model": asked.model, "base_url": asked.base_url or None}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN_")}
    return load_configuration(project, flags, {**clean, "MULLIGAN_HOME": str(home)})


def _lend_models(home: Path) -> None:
    """The model is not downloaded again: the one of this machine is lent."""
    models = Path(os.environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan") / "models"
    if models.is_dir():
        (home / "models").symlink_to(models)


def _stop_model(home: Path) -> None:
    from mulligan.models.embedded.servers import EmbeddedServers

    asyncio.run(EmbeddedServers(home).stop_all())


def _figures(name: str, tried: Sequence[Tried], note: str, *, whole: bool) -> Iterator[Figure]:
    if not tried:
        raise BenchFailed("there is no such problem")
    held_out = [each for each in tried if each.problem not in TUNED[name]]
    for title, some in (("all", tried), ("held out", held_out)):
        guided, plain = ([each for each in some if each.way == way] for way in WAYS)
        if not guided:
            continue
        solved = sum(each.solved for each in guided)
        beside = Baseline("plain use", sum(each.solved for each in plain)) if plain else None
        bound: Bound | None = None
        if whole and title == "all":
            bound = at_least(QUIXBUGS_SOLVED) if name == "quixbugs" else Bound("at least", TIMES_PLAIN, "ratio")
        yield Figure(f"solved, {title}", solved, f"of {len(guided)}", bound, beside, note)
        seconds = [each.seconds for each in guided]
        others = [each.seconds for each in plain]
        compared = Baseline("plain use", statistics.median(others)) if others else None
        limit = at_most(QUIXBUGS_SECONDS) if whole and (title, name) == ("all", "quixbugs") else None
        yield Figure(f"median time, {title}", statistics.median(seconds), "s", limit, compared)


def _ways_table(name: str, tried: Sequence[Tried]) -> Table:
    rows: list[tuple[str | float, ...]] = []
    for way in WAYS:
        mine = [each for each in tried if each.way == way]
        for title, some in (
            ("tuned", [each for each in mine if each.problem in TUNED[name]]),
            ("held out", [each for each in mine if each.problem not in TUNED[name]]),
        ):
            if some:
                calls = statistics.mean(each.calls or 0 for each in some)
                solved = f"{sum(each.solved for each in some)} of {len(some)}"
                rows.append((way, title, solved, calls, statistics.median(e.seconds for e in some), _sum(some)))
    columns = ("way", "set", "solved", "model calls a problem", "median seconds", "seconds in all")
    return Table("Written with Mulligan, and plainly", columns, tuple(rows))


def _sum(tried: Sequence[Tried]) -> float:
    return sum(each.seconds for each in tried)


def _problems_table(name: str, tried: Sequence[Tried]) -> Table:
    by_name: dict[str, dict[str, Tried]] = {}
    for each in tried:
        by_name.setdefault(each.problem, {})[each.way] = each
    rows = tuple(
        (
            problem,
            "tuned" if problem in TUNED[name] else "held out",
            *(cell for way in WAYS for cell in _cells(by.get(way))),
        )
        for problem, by in by_name.items()
    )
    each_way = tuple(f"{what}, {way}" for way in WAYS for what in ("solved", "calls", "seconds"))
    return Table("Each problem", ("problem", "set", *each_way), rows)


def _cells(tried: Tried | None) -> tuple[bool | int | float | None, ...]:
    return (tried.solved, tried.calls, tried.seconds) if tried else (None, None, None)
