"""Give every bug to `mulligan fix` with the real model, and print what came of it.

`python -m bench fixes --half fresh --way guided --only NAME --base-url URL --model NAME` runs a part, or another model.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.fixes.tasks import HALVES, Task, load_tasks
from bench.harness import MULLIGAN, print_table, run_measured

EMBEDDED = "embedded:qwen2.5-coder-1.5b"
WAYS = {"guided": ("--agency", "guided"), "agent": ("--agency", "agent")}
SOLVED_AT_LEAST = 0.7
"""Of the fresh half, guided."""
GOAL = "make the tests pass"


@dataclass(frozen=True, slots=True)
class Tried:
    """One bug, given to a run in one way."""

    task: Task
    way: str
    solved: bool
    verdict: str
    calls: int
    checks: int
    attempts: int
    seconds: float


def main(words: Sequence[str] = ()) -> bool:
    """True if enough of the fresh half was solved under guided agency."""
    asked = _options(words)
    tasks = [task for task in load_tasks(asked.half) if asked.only in task.name]
    missing = sorted({task.language for task in tasks if not task.runs_here})
    if missing:
        print(f"left out, since it can't be run here: {', '.join(missing)}", file=sys.stderr)
    model = ["--base-url", asked.base_url, "--model", asked.model] if asked.base_url else ["--model", asked.model]
    ways: list[str] = asked.way or list(WAYS)
    # The Python of this project has pytest, which the tasks need.
    os.environ["PATH"] = f"{MULLIGAN.parent}{os.pathsep}{os.environ['PATH']}"
    # Without what else is installed here for pytest, as a project of that size would have it.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    tried = [_try(task, way, model) for way in ways for task in tasks if task.runs_here]
    _print_tasks(tried)
    _print_ways(tried)
    fresh = [each for each in tried if each.way == "guided" and each.task.half == "fresh"]
    return sum(each.solved for each in fresh) >= SOLVED_AT_LEAST * len(fresh)


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench fixes")
    parser.add_argument("--half", choices=[*HALVES, "all"], default="all")
    parser.add_argument("--way", choices=list(WAYS), action="append")
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--base-url", default="")
    return parser.parse_args(list(words))


def _try(task: Task, way: str, model: Sequence[str]) -> Tried:
    with tempfile.TemporaryDirectory(prefix="fix-") as folder:
        project, home = Path(folder, task.name), Path(folder, "home")
        project.mkdir()
        home.mkdir()
        _lend_models(home)
        task.write(project)
        run = run_measured([MULLIGAN, "fix", "--json", "--yes", *model, *WAYS[way], "-C", project, GOAL], home=home)
        end = run.last if run.last.get("type") == "run_end" else {}
        spent = end.get("spent", {})
        tried = Tried(
            task=task,
            way=way,
            solved=run.exit_code == 0 and end.get("verdict") == "verified",
            verdict=f"{end['verdict']}: {end['reason']}" if end else f"exit code {run.exit_code}: {run.stderr[-200:]}",
            calls=spent.get("model_calls", 0),
            checks=spent.get("checks", 0),
            attempts=end.get("failure_history", {}).get("attempts", 0),
            seconds=run.seconds,
        )
    mark = "solved" if tried.solved else "OPEN  "
    print(f"{mark} {tried.seconds:6.1f} s  {way:7} {task.name} ({task.language}): {tried.verdict}", file=sys.stderr)
    return tried


def _lend_models(home: Path) -> None:
    """The model is not downloaded for every task: the one of this machine is lent."""
    models = Path(os.environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan") / "models"
    if models.is_dir():
        (home / "models").symlink_to(models)


def _print_tasks(tried: Sequence[Tried]) -> None:
    rows = [
        [
            each.task.name,
            each.task.language,
            each.task.bug,
            each.task.half,
            each.way,
            "yes" if each.solved else "no",
            str(each.calls),
            str(each.checks),
            f"{each.seconds:.0f}",
        ]
        for each in tried
    ]
    print_table(
        "Bugs", ["task", "language", "bug", "half", "way", "solved", "model calls", "commands", "seconds"], rows
    )


def _print_ways(tried: Sequence[Tried]) -> None:
    rows: list[list[str]] = []
    for way in dict.fromkeys(each.way for each in tried):
        for half in HALVES:
            mine = [each for each in tried if each.way == way and each.task.half == half]
            if not mine:
                continue
            solved = sum(each.solved for each in mine)
            rows.append(
                [
                    way,
                    half,
                    f"{solved} of {len(mine)}",
                    f"{statistics.mean(each.calls for each in mine):.1f}",
                    f"{statistics.mean(each.checks for each in mine):.1f}",
                    f"{statistics.median(each.seconds for each in mine):.0f}",
                    f"{sum(each.seconds for each in mine):.0f}",
                ]
            )
    columns = ["way", "half", "solved", "model calls a task", "commands a task", "median seconds", "seconds in all"]
    print_table("Ways", columns, rows)
