"""What Mulligan itself costs: between steps, at the start, in memory, in tokens.

The baseline is a bare client in the same run: Python and the standard library, the same requests, no agent at all.
"""

import itertools
import json
import statistics
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import peers
from bench.beside_goose import compare, find_goose
from bench.harness import MULLIGAN, project_of, run_measured, tell
from bench.results import Baseline, BenchFailed, Bound, Figure, Yielded, at_most
from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import running

READS = 17
RUNS = 7

BARE_CLIENT = """
import http.client, json, sys
host, requests = sys.argv[1], int(sys.argv[2])
connection = http.client.HTTPConnection(host)
messages = [{"role": "user", "content": "Where is it?"}]
for _ in range(requests):
    body = json.dumps({"model": "m", "stream": True, "messages": messages})
    connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
    reply = connection.getresponse().read().decode()
    messages += [{"role": "assistant", "content": reply[:200]}, {"role": "user", "content": "Go on."}]
"""


@dataclass(frozen=True, slots=True)
class Sample:
    first_request: float
    """Seconds from the command to the first request."""
    gaps: list[float]
    """Seconds from the end of a reply to the next request."""
    cpu_seconds: float
    peak_mb: float
    first_body: dict[str, Any]


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--goose", type=Path, help="the program, if it is neither on the PATH nor under requirements")


def measure(asked: Namespace) -> Iterator[Yielded]:
    goose = find_goose(asked.goose)
    if goose:
        yield from compare(goose)
    else:
        tell("goose is not installed: `npm install @aaif/goose-binary-linux-x64` gets it, --goose says where it is")
    with project_of(READS) as project, tempfile.TemporaryDirectory() as home:
        tell(f"{RUNS} runs of {READS} file reads and of one")
        ours = [_mulligan(READS, project, Path(home)) for _ in range(RUNS)]
        short = [_mulligan(1, project, Path(home)) for _ in range(RUNS)]
        tell("the same with a bare client")
        bare = [_bare(READS, Path(home)) for _ in range(RUNS)]
        bare_short = [_bare(1, Path(home)) for _ in range(RUNS)]
    yield _figure("command to first request", "s", at_most(0.35), _start(ours), _start(bare))
    yield _figure("gap between steps, median", "ms", at_most(10), _gap(ours), _gap(bare))
    yield _figure("CPU a step", "ms", at_most(10), _cpu_a_step(ours, short), _cpu_a_step(bare, bare_short))
    yield _figure("peak memory", "MB", at_most(120), _peak(ours), _peak(bare))
    yield Figure("first request", _tokens(ours[0].first_body), "tokens", at_most(1900), note="characters / 4")
    yield peers.STEPS


def _mulligan(reads: int, project: Path, home: Path) -> Sample:
    views = [
        {"tool_calls": [{"name": "view_file", "arguments": {"path": f"file_{number}.py"}}]}
        for number in range(1, reads + 1)
    ]
    script = Script.model_validate({"replies": [*views, {"text": "In file_1.py."}]})
    with running(script) as server:
        command = [MULLIGAN, "ask", "--json", "--base-url", server.base_url, "--model", "m", "-C", project, "Where?"]
        run = run_measured(command, home=home)
        seen = server.requests()
    if run.exit_code != 0 or len(seen) != reads + 1:
        raise BenchFailed(f"exit code {run.exit_code} after {len(seen)} requests: {run.stderr}")
    return _sample(run.started, seen, run.cpu_seconds, run.peak_mb)


def _bare(reads: int, home: Path) -> Sample:
    script = Script.model_validate({"replies": [{"text": "Go on."}], "then": "loop"})
    with running(script) as server:
        host = server.base_url.removeprefix("http://").removesuffix("/v1")
        run = run_measured([sys.executable, "-c", BARE_CLIENT, host, str(reads + 1)], home=home)
        seen = server.requests()
    return _sample(run.started, seen, run.cpu_seconds, run.peak_mb)


def _sample(started: float, seen: list[dict[str, Any]], cpu_seconds: float, peak_mb: float) -> Sample:
    gaps = [after["arrived"] - before["finished"] for before, after in itertools.pairwise(seen)]
    return Sample(seen[0]["arrived"] - started, gaps, cpu_seconds, peak_mb, seen[0]["body"])


def _gap(samples: list[Sample]) -> float:
    return statistics.median(gap * 1000 for sample in samples for gap in sample.gaps)


def _start(samples: list[Sample]) -> float:
    return statistics.median(sample.first_request for sample in samples)


def _cpu_a_step(many: list[Sample], one: list[Sample]) -> float:
    """The difference between a run of many steps and one of a single step: what a start costs falls out."""
    total = statistics.median(sample.cpu_seconds for sample in many) - statistics.median(s.cpu_seconds for s in one)
    return max(total, 0.0) * 1000 / (READS - 1)


def _peak(samples: list[Sample]) -> float:
    return max(sample.peak_mb for sample in samples)


def _tokens(body: dict[str, Any]) -> int:
    return len(json.dumps([body["messages"], body["tools"]], ensure_ascii=False, separators=(",", ":"))) // 4


def _figure(name: str, unit: str, bound: Bound, ours: float, bare: float) -> Figure:
    return Figure(name, ours, unit, bound, Baseline("bare client", bare))
