"""goose beside us: from the command to the first request, started in turn, so that all meet the same machine."""

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.agents import PROGRAMS, agent_command, agent_environ
from bench.harness import MULLIGAN, commit_all, environment_for, project_of, tell
from bench.results import Baseline, BenchFailed, Figure, Version, Yielded, at_most
from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import RunningServer, running

RUNS = 11
BOUNDS = {"ask": 1.0, "code": 1.2}
"""Times what goose takes."""


def find_goose(named: Path | None) -> Path | None:
    """The one that was named, that of `make test-agents`, or the one on the PATH."""
    if named:
        return named
    found = shutil.which("goose")
    return PROGRAMS["goose"] if PROGRAMS["goose"].exists() else Path(found) if found else None


def compare(goose: Path) -> Iterator[Yielded]:
    version = subprocess.run([goose, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    yield Version("goose", version)
    tell(f"{RUNS} starts of goose {version}, of ask and of code, in turn")
    script = Script.model_validate({"replies": [{"text": "In file_1.py."}], "then": "loop"})
    with project_of(17) as project, tempfile.TemporaryDirectory() as folder, running(script) as server:
        commit_all(project)
        home = Path(folder)
        ours = environment_for(home / "mulligan")
        theirs = agent_environ("goose", server.base_url, home)
        starts = {"goose": _Start([str(goose), *agent_command("goose")[1:]], theirs)}
        for verb in BOUNDS:
            asked = [verb, "--json", "--base-url", server.base_url, "--model", "m", "-C", str(project), "Where?"]
            starts[verb] = _Start([str(MULLIGAN), *asked], ours)
        first = {name: start.first_request(project, server) for name, start in starts.items()}
        taken: dict[str, list[float]] = {name: [] for name in starts}
        for _ in range(RUNS):
            for name, start in starts.items():
                taken[name].append(start.first_request(project, server))
    beside = Baseline("goose", statistics.median(taken["goose"]))
    for verb, most in BOUNDS.items():
        took = statistics.median(taken[verb])
        name = f"{verb}: command to first request, beside goose"
        yield Figure(name, took, "s", at_most(most, of="ratio"), beside, f"medians of {RUNS}")
    beside = Baseline("goose", first["goose"])
    yield Figure("ask: the first start ever", first["ask"], "s", None, beside, "one run each: the database is made")


class _Start:
    """A command that asks the scripted model once."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._command = command
        self._environ = environ

    def first_request(self, project: Path, server: RunningServer) -> float:
        """Seconds from the command to the first request."""
        before, started = len(server.requests()), time.monotonic()
        done = subprocess.run(
            self._command, cwd=project, env=self._environ, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        seen = server.requests()[before:]
        if not seen:
            raise BenchFailed(f"{self._command[0]} asked for nothing: {done.stderr.decode(errors='replace')[-400:]}")
        return seen[0]["arrived"] - started
