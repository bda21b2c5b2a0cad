"""Give every bug to `mulligan fix` with the real model, and see what comes of it.

`python -m bench fixes --half fresh --way guided --only NAME --base-url URL --model NAME` runs a part, or another model.
"""

import json
import os
import statistics
import subprocess
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.fixes.tasks import HALVES, TESTS, Task, load_tasks
from bench.harness import EMBEDDED, MULLIGAN, environ_with, environment_for, model_versions, run_measured, tell
from bench.results import BenchFailed, Figure, Table, Yielded, at_least

WAYS = {"guided": ("--agency", "guided"), "agent": ("--agency", "agent")}
SOLVED_AT_LEAST = 0.7
"""Of the fresh half, guided."""
GOAL = "make the tests pass"
YES_OR_NO = {True: "yes", False: "no", None: None}
HIDDEN_WITHIN = 60
"""Seconds, after which the hidden tests are stopped and count as failed."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One bug, given to a run in one way."""

    task: Task
    way: str
    solved: bool
    verdict: str
    calls: int | None
    """None if the run was stopped before it said."""
    checks: int | None
    seconds: float
    right: bool | None = None
    """By the hidden tests. None if there are none, or if it was not verified."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--half", choices=[*HALVES, "all"], default="all")
    parser.add_argument("--tasks", type=Path, metavar="FILE", help="other tasks, in the same form: they count as fresh")
    parser.add_argument("--way", choices=list(WAYS), action="append")
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--within", type=int, default=0, help="seconds, after which a run is stopped as by Ctrl-C")
    parser.add_argument("--tried", type=Path, help="a file: what stands there is not tried again, the rest is added")
    parser.add_argument("--logs", type=Path, help="a folder for what each run printed")


def measure(asked: Namespace) -> Iterator[Yielded]:
    tasks = [task for task in load_tasks(asked.half, asked.tasks) if asked.only in task.name]
    missing = sorted({task.language for task in tasks if not task.runs_here})
    if missing:
        tell(f"left out, since it can't be run here: {', '.join(missing)}")
    model = ["--base-url", asked.base_url, "--model", asked.model] if asked.base_url else ["--model", asked.model]
    ways: list[str] = asked.way or list(WAYS)
    yield from model_versions(asked.model)
    # The Python of this project has pytest, which the tasks need.
    path = f"{MULLIGAN.parent}{os.pathsep}{os.environ['PATH']}"
    # Without what else is installed here for pytest, as a project of that size would have it.
    with environ_with(PATH=path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"):
        wanted = [(task, way) for way in ways for task in tasks if task.runs_here]
        tried = [_known(task, way, asked.tried) or _try(task, way, model, asked) for task, way in wanted]
    if not tried:
        raise BenchFailed("there is no such task that can be run here")
    note = "put together from runs of single tasks, made earlier" if asked.tried else ""
    yield from _solved(tried, note)
    yield _ways_table(tried)
    yield _bugs_table(tried)


def _known(task: Task, way: str, kept: Path | None) -> Tried | None:
    """What came of it earlier, if this run was broken off."""
    lines = kept.read_text(encoding="utf-8").splitlines() if kept and kept.exists() else []
    for line in lines:
        known: dict[str, Any] = json.loads(line)
        if (known.pop("task"), known["way"]) == (task.name, way):
            return Tried(task, **known)
    return None


def _try(task: Task, way: str, model: Sequence[str], asked: Namespace) -> Tried:
    stopped: list[str | Path] = ["timeout", "--signal=INT", str(asked.within)] if asked.within else []
    kept: Path | None = asked.tried
    with tempfile.TemporaryDirectory(prefix="fix-") as folder:
        project, home = Path(folder, task.name), Path(folder, "home")
        project.mkdir()
        home.mkdir()
        _lend_models(home)
        task.write(project)
        command = [MULLIGAN, "fix", "--json", "--yes", *model, *WAYS[way], "-C", project, GOAL]
        run = run_measured([*stopped, *command], home=home)
        run.keep(asked.logs, f"{task.name}.{way}")
        end = run.last if run.last.get("type") == "run_end" else {}
        spent = end.get("spent", {})
        solved = run.exit_code == 0 and end.get("verdict") == "verified"
        tried = Tried(
            task=task,
            way=way,
            solved=solved,
            verdict=f"{end['verdict']}: {end['reason']}" if end else f"exit code {run.exit_code}: {run.stderr[-200:]}",
            calls=spent.get("model_calls"),
            checks=spent.get("checks"),
            seconds=run.seconds,
            right=is_right(task, project, home) if solved and task.hidden else None,
        )
    if kept:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(tried), "task": task.name}) + "\n")
    mark = "WRONG " if tried.right is False else "solved" if tried.solved else "OPEN  "
    tell(f"{mark} {tried.seconds:6.1f} s  {way:7} {task.name} ({task.language}): {tried.verdict}")
    return tried


def is_right(task: Task, project: Path, home: Path) -> bool:
    """Whether all tests pass in the project as it was left, the hidden ones too."""
    task.write_hidden(project)
    # It stops the processes that the tests started as well.
    command = ["timeout", "--signal=KILL", str(HIDDEN_WITHIN), *TESTS[task.language]]
    quiet = subprocess.DEVNULL
    done = subprocess.run(command, cwd=project, env=environment_for(home), stdout=quiet, stderr=quiet, check=False)
    return done.returncode == 0


def _lend_models(home: Path) -> None:
    """The model is not downloaded for every task: the one of this machine is lent."""
    models = Path(os.environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan") / "models"
    if models.is_dir():
        (home / "models").symlink_to(models)


def _solved(tried: Sequence[Tried], note: str) -> Iterator[Figure]:
    for way, half, mine in _by_way_and_half(tried):
        solved = sum(each.solved for each in mine)
        bound = at_least(SOLVED_AT_LEAST * len(mine)) if (way, half) == ("guided", "fresh") else None
        yield Figure(f"solved, {way}, {half} half", solved, f"of {len(mine)}", bound, note=note)
        judged = [each.right for each in mine if each.right is not None]
        if judged:
            name = f"right by hidden tests, {way}, {half} half"
            yield Figure(name, sum(judged), f"of {len(judged)} verified", note=note)


def _ways_table(tried: Sequence[Tried]) -> Table:
    rows = tuple(
        (
            way,
            half,
            f"{sum(each.solved for each in mine)} of {len(mine)}",
            _mean(each.calls for each in mine),
            _mean(each.checks for each in mine),
            statistics.median(each.seconds for each in mine),
            sum(each.seconds for each in mine),
        )
        for way, half, mine in _by_way_and_half(tried)
    )
    columns = ("way", "half", "solved", "model calls a task", "commands a task", "median seconds", "seconds in all")
    return Table("What it cost to fix them", columns, rows)


def _mean(told: Iterable[int | None]) -> float | None:
    known = [each for each in told if each is not None]
    return statistics.mean(known) if known else None


def _bugs_table(tried: Sequence[Tried]) -> Table:
    rows = tuple(
        (
            each.task.name,
            each.task.language,
            each.task.bug,
            each.task.half,
            each.way,
            YES_OR_NO[each.solved],
            YES_OR_NO[each.right],
            each.calls,
            each.checks,
            each.seconds,
        )
        for each in tried
    )
    columns = ("task", "language", "bug", "half", "way", "solved", "right", "model calls", "commands", "seconds")
    return Table("Each bug", columns, rows)


def _by_way_and_half(tried: Sequence[Tried]) -> Iterator[tuple[str, str, list[Tried]]]:
    for way in dict.fromkeys(each.way for each in tried):
        for half in HALVES:
            mine = [each for each in tried if (each.way, each.task.half) == (way, half)]
            if mine:
                yield way, half, mine
