"""Where the time of a start goes: the interpreter, imports by package, settings, the store, the model, the request.

Each figure is the least of many runs: other work can only make a start slower. `python -c pass` is timed in turn with
the commands, so that all meet the same machine.
"""

import re
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.harness import MULLIGAN, environment_for, project_of, run_measured, tell
from bench.results import Baseline, BenchFailed, Figure, Table, Yielded, at_most
from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import RunningServer, running

RUNS = 15
PHASES = Path(__file__).with_name("startup_phases.py")
LISTED = 12
"""Packages; the others are summed up."""
_IMPORTED = re.compile(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)
"""Microseconds of a module itself, without what it imports."""


def measure(_asked: Namespace) -> Iterator[Yielded]:
    script = Script.model_validate({"replies": [{"text": "In file_1.py."}], "then": "loop"})
    with project_of(3) as project, tempfile.TemporaryDirectory() as home, running(script) as server:
        ask = ["ask", "--json", "--base-url", server.base_url, "--model", "m", "-C", str(project), "Where?"]
        tell("the first start of all")
        first = _first_request(ask, Path(home), server)
        tell(f"{RUNS} starts of each")
        bare, version, help_text, asked = 9.0, 9.0, 9.0, 9.0
        for _ in range(RUNS):
            bare = min(bare, run_measured([sys.executable, "-c", "pass"], home=Path(home)).seconds)
            version = min(version, run_measured([MULLIGAN, "--version"], home=Path(home)).seconds)
            help_text = min(help_text, run_measured([MULLIGAN, "--help"], home=Path(home)).seconds)
            asked = min(asked, _first_request(ask, Path(home), server))
        imports = _imports(ask, Path(home))
        phases = _phases(ask, Path(home))
    nothing = Baseline("python -c pass", bare * 1000)
    yield Figure("mulligan --version", version * 1000, "ms", at_most(60), nothing)
    yield Figure("mulligan --help", help_text * 1000, "ms", at_most(150), nothing)
    yield Figure("ask: command to first request", asked * 1000, "ms", None, nothing)
    yield Figure("ask: the same at the first start of all", first * 1000, "ms", note="one run: the database is made")
    yield _table(bare * 1000, imports, phases, asked * 1000)


def _first_request(ask: Sequence[str], home: Path, server: RunningServer) -> float:
    """Seconds from the command to its request."""
    before = len(server.requests())
    run = run_measured([MULLIGAN, *ask], home=home)
    seen = server.requests()[before:]
    if run.exit_code != 0 or not seen:
        raise BenchFailed(f"exit code {run.exit_code} after {len(seen)} requests: {run.stderr}")
    return seen[0]["arrived"] - run.started


def _imports(ask: Sequence[str], home: Path) -> dict[str, float]:
    command = [sys.executable, "-X", "importtime"]
    told = [_run([*command, str(MULLIGAN), *ask], home).stderr for _ in range(RUNS)]
    return by_package(told, without=_run([*command, "-c", ""], home).stderr)


def by_package(told: Sequence[str], *, without: str) -> dict[str, float]:
    """Milliseconds, the most first: of every module the least of the runs, `without` those of a bare interpreter."""
    own = {module for _, module in _IMPORTED.findall(without)}
    best: dict[str, int] = {}
    for run in told:
        for micros, module in _IMPORTED.findall(run):
            best[module] = min(best.get(module, sys.maxsize), int(micros))
    packages: Counter[str] = Counter()
    for module, micros in best.items():
        if module not in own:
            packages[_package(module)] += micros
    return {name: micros / 1000 for name, micros in packages.most_common()}


def _package(module: str) -> str:
    top, _, rest = module.partition(".")
    if top == "mulligan":
        return f"mulligan.{rest.partition('.')[0]}" if rest else top
    return "the standard library" if top in sys.stdlib_module_names else top


def _phases(ask: Sequence[str], home: Path) -> dict[str, float]:
    """Milliseconds by what is done once everything is imported."""
    best: dict[str, float] = {}
    for _ in range(RUNS):
        for line in _run([sys.executable, str(PHASES), *ask], home).stderr.splitlines():
            name, _, milliseconds = line.rpartition("\t")
            if name:
                best[name] = min(best.get(name, 1e9), float(milliseconds))
    return best


def _table(bare: float, imports: dict[str, float], phases: dict[str, float], total: float) -> Table:
    named, others = list(imports.items())[:LISTED], list(imports.values())[LISTED:]
    rows = [("the interpreter", bare)]
    rows += [(f"imports: {name}", milliseconds) for name, milliseconds in named]
    rows += [(f"imports: {len(others)} other packages", sum(others))]
    rows += list(phases.items())
    parts = sum(milliseconds for _, milliseconds in rows)
    rows += [("all of these", parts), ("measured, from the command to the request", total)]
    return Table(
        "Where the time to the first request goes",
        ("part of `mulligan ask`", "ms"),
        tuple((name, round(milliseconds, 1)) for name, milliseconds in rows),
        "Imports are timed by Python's own `-X importtime`, which makes them slower than they are; a phase is timed in "
        "a process that has done it once, without its imports.",
    )


def _run(command: Sequence[str], home: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, env=environment_for(home), check=True, capture_output=True, text=True)
