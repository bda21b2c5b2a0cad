"""Where the cure of every bug stands among the changes that Mulligan tries by itself, without a model.

`python -m bench ranks --half tuned` reads what fails, and what ran, from `failures.json`, where it was recorded, so
that it takes seconds; a task that was changed since is run. `--record` writes that file anew. `--run 120` also runs the
tests on so many changes of each task whose cure is not among them as it was written: another change may do as well.
"""

import asyncio
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.fixes.proposals import proposed
from bench.fixes.recorded import Failures, record, recorded
from bench.fixes.tasks import HALVES, Task, load_tasks
from bench.harness import tell
from bench.results import Figure, Table, Yielded, at_least
from bench.writing.problems import TUNED, quixbugs
from mulligan.codecontext.syntax_check import TreeSitterSyntax
from mulligan.core.fault_localisation.plan import TracedRun, plan_trace
from mulligan.core.fix_runs.judging import read_check
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.project_commands import find_commands, given_command
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.syntax.tree_query import read_code
from mulligan.types.commands import CommandResult
from mulligan.types.fixing import Check, ProjectCommand
from mulligan.types.sandbox import ExtraAccess
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.traced_tests import run_traced

GOAL = "make the tests pass"
BUDGET = 700
"""Tokens of a brief for a guided coder."""
FIRST = 120
"""Changes that are tested before a model is asked a second time."""
SECONDS = 20
"""For one run of a task's tests."""
ENVIRON = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "GOFLAGS": "-count=1 -vet=off"}


@dataclass(frozen=True, slots=True)
class Ranked:
    task: Task
    rank: int | None
    """Of the last change that is needed, counted from 1; None where it is not proposed."""
    proposed: int
    note: str = ""


BY_LINES = 50
"""Cures of the tuned half that changes of single lines had among the first, before there were operators on trees."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--half", choices=[*HALVES, "all"], default="all")
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir(), "bench-ranks"), help="of test runs")
    parser.add_argument("--record", action="store_true", help="run the tests of every task, and keep what they say")
    parser.add_argument("--quixbugs", type=Path, help="a checkout: those of its programs that were looked at, too")
    parser.add_argument("--run", type=int, default=0, help="changes of a task that are tested, at most")


def measure(asked: Namespace) -> Iterator[Yielded]:
    tasks = [*load_tasks(asked.half), *(seen_of_quixbugs(asked.quixbugs) if asked.quixbugs else ())]
    tasks = [task for task in tasks if asked.only in task.name and task.runs_here]
    if asked.record:
        record([(task, _failures(task)) for task in tasks if task.half in HALVES])
    found = [rank_of_cure(task, asked.kept, run=asked.run) for task in tasks]
    for half in dict.fromkeys(each.task.half for each in found):
        mine = [each for each in found if each.task.half == half]
        ranks = [each.rank for each in mine if each.rank is not None]
        within = [rank for rank in ranks if rank <= FIRST]
        bound = at_least(BY_LINES) if half == "tuned" and not asked.only else None
        yield Figure(f"cures among the first {FIRST}, {half} half", len(within), f"of {len(mine)}", bound)
        yield Figure(f"cures among the first 10, {half} half", sum(rank <= 10 for rank in ranks), f"of {len(mine)}")
        yield Figure(f"median rank, {half} half", statistics.median(within) if within else 0, "")
        yield Figure(f"changes proposed, {half} half", statistics.median(each.proposed for each in mine), "a task")
    rows = tuple((each.task.name, each.task.language, each.task.bug, each.rank, each.proposed) for each in found)
    yield Table("Rank of each cure", ("task", "language", "bug", "rank", "changes proposed"), rows)


def seen_of_quixbugs(root: Path) -> Iterator[Task]:
    """Their cures are found by tests."""
    for each in quixbugs(root):
        if each.name in TUNED["quixbugs"]:
            files = {path: data.decode("utf-8") for path, data in each.files.items()}
            yield Task(each.name, "python", "of QuixBugs", "quixbugs", files, (), each.verify)


def rank_of_cure(task: Task, kept: Path, *, run: int = 0) -> Ranked:
    with tempfile.TemporaryDirectory(prefix="rank-") as made:
        folder = Path(made).resolve()
        write(task.files, folder)
        brief = brief_of(task, folder)
        files = {path: tuple(task.files[path].split("\n")) for path in (*brief.paths, *brief.references)}
        candidates = unique(proposed(brief, files), files)
        rank = written_rank(task, candidates)
        note = "" if rank is None else candidates[rank - 1].note
        if (rank is None or rank > run) and run:
            tested = tested_rank(task, candidates[:run], folder, kept)
            rank, note = (tested, f"tested: {candidates[tested - 1].note}") if tested else (rank, note)
    tell(f"{rank or '-':>5} of {len(candidates):4}  {task.name} ({task.language}, {task.bug}) {note}")
    return Ranked(task, rank, len(candidates), note)


def unique(candidates: Sequence[Candidate], files: Mapping[str, Sequence[str]]) -> list[Candidate]:
    """Those that change something and parse, each once: what would be tested."""
    syntax = TreeSitterSyntax()
    seen = {tokens(path, lines) for path, lines in files.items()}
    found: list[Candidate] = []
    for each in candidates:
        key = tokens(each.path, each.lines)
        if key in seen:
            continue
        seen.add(key)
        if not syntax.new_problems(each.path, "\n".join(files[each.path]), "\n".join(each.lines)):
            found.append(each)
    return found


def tokens(path: str, lines: Sequence[str]) -> tuple[str, ...]:
    """A file without its spaces, comments and brackets' last commas, and with one kind of quotes."""
    source = read_code(path, "\n".join(lines))
    if source is None:
        return (path, *lines)
    found: list[str] = []
    nodes = [source.root]
    while nodes:
        node = nodes.pop()
        if node.type == "comment":
            continue
        if node.child_count and "string" not in node.type:
            # The depth of a block is meaning where no bracket says it.
            nodes += [*reversed(node.children)]
            if node.type == "block" and node.child(0) is not None and node.children[0].type != "{":
                found.append("{")
        elif text := source.of(node).strip():
            if text in {")", "]", "}"} and found[-1:] == [","]:
                found.pop()
            if text != ";":
                found.append(text.replace("'", '"'))
    return (path, *found)


def written_rank(task: Task, candidates: Sequence[Candidate]) -> int | None:
    """The rank of the cure as it was written; of several that are independent, that of the last."""
    whole = dict(task.files)
    ranks: list[int | None] = []
    keys = [tokens(each.path, each.lines) for each in candidates]
    for path, old, new in task.cure:
        whole[path] = whole[path].replace(old, new)
        ranks.append(_rank(keys, path, task.files[path].replace(old, new)))
    changed = {path for path, _, _ in task.cure}
    if len(changed) == 1:
        path = changed.pop()
        if (rank := _rank(keys, path, whole[path])) is not None:
            return rank
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def _rank(keys: Sequence[tuple[str, ...]], path: str, text: str) -> int | None:
    wanted = tokens(path, text.split("\n"))
    return next((rank for rank, key in enumerate(keys, 1) if key == wanted), None)


def tested_rank(task: Task, candidates: Sequence[Candidate], folder: Path, kept: Path) -> int | None:
    """The first change with which all tests pass. What a run said is kept: the same change is not tested twice."""
    store = kept / "tested.json"
    known: dict[str, bool] = json.loads(store.read_text("utf-8")) if store.exists() else {}
    for rank, each in enumerate(candidates, 1):
        text = "\n".join(each.lines)
        key = hashlib.sha256(f"{task.name}\0{each.path}\0{text}".encode()).hexdigest()[:20]
        if key not in known:
            write({each.path: text}, folder)
            known[key] = all(check.passed for check in run_tests(task, folder))
            write({each.path: task.files[each.path]}, folder)
            if rank % 10 == 0 or known[key]:
                kept.mkdir(parents=True, exist_ok=True)
                store.write_text(json.dumps(known), encoding="utf-8")
        if known[key]:
            return rank
    return None


def brief_of(task: Task, folder: Path) -> Brief:
    """What a guided coder would be given. The folder holds the task's files."""
    failures = recorded(task) or run_and_trace(task, folder)
    return make_brief(failures.checks, folder, failures.traces)


def _failures(task: Task) -> Failures:
    with tempfile.TemporaryDirectory(prefix="rank-") as made:
        folder = Path(made).resolve()
        write(task.files, folder)
        return run_and_trace(task, folder)


def make_brief(checks: Sequence[Check], folder: Path, traces: Sequence[str] = ()) -> Brief:
    files = ProjectFiles(folder)
    return asyncio.run(gather_brief(GOAL, checks, files=files, traces=traces, budget_tokens=BUDGET))


def run_and_trace(task: Task, folder: Path) -> Failures:
    checks = run_tests(task, folder)
    planned = [plan_trace(each, 0.0) for each in checks if not each.passed]
    found = [text for each in planned if each for text in _traces(each, folder)]
    # The folder is another one in the next run, and everything that is not the project's is left out when it is read.
    return Failures(checks, [text.replace(f"{folder}/", "") for text in found])


def _traces(planned: TracedRun, folder: Path) -> Sequence[str]:
    async def run(command: str, *, time_limit: float, access: ExtraAccess) -> CommandResult:
        del access  # nothing is confined here
        return await asyncio.to_thread(_result, command, folder, time_limit)

    return asyncio.run(run_traced(run, folder, planned))


def run_tests(task: Task, folder: Path) -> list[Check]:
    return [_run(each, folder) for each in commands_of(task) if each.kind == "test"]


def commands_of(task: Task) -> Sequence[ProjectCommand]:
    return [given_command(task.verify)] if task.verify else find_commands(task.files, list(task.files))


def _run(command: ProjectCommand, folder: Path) -> Check:
    return read_check(_result(command.command, folder, SECONDS), command=command.command)


def _result(command: str, folder: Path, time_limit: float) -> CommandResult:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, **ENVIRON, "PATH": path}
    try:
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environ, capture_output=True, text=True, timeout=time_limit,
            check=False,
        )  # fmt: skip
        output = (done.stdout, done.stderr, done.returncode)
    except subprocess.TimeoutExpired:
        output = ("", "", None)
    stdout, stderr = (text.replace(f"{folder}/", "") for text in output[:2])
    return CommandResult(command, output[2], output[2] is None, stdout, stderr, 1.0)


def write(files: Mapping[str, str], folder: Path) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
