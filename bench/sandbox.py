"""What the sandbox adds to a command: the same one bare and under each way, in turn."""

import asyncio
import os
import statistics
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from bench.harness import commit_all, project_of, tell
from bench.results import Baseline, BenchFailed, Figure, Yielded, at_most
from mulligan.types.sandbox import SandboxChoice
from mulligan.workspace.sandbox import Sandbox, find_sandbox

RUNS = 30
WARM_UP = 3
FILES = 200
MAX_MS: dict[SandboxChoice, float] = {"bubblewrap": 35.0, "landlock": 10.0}
NAMES = {"bubblewrap": "bubblewrap", "landlock": "Landlock"}


def measure(_asked: Namespace) -> Iterator[Yielded]:
    ways: list[SandboxChoice] = [way for way in MAX_MS if find_sandbox(way).mechanism == way]
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home:
        commit_all(project)
        tell(f"{RUNS} commands, bare and by {', '.join(ways) or 'nothing else'}, in turn")
        times = asyncio.run(_times(["none", *ways], project, Path(home)))
    bare = statistics.median(times["none"])
    for way in ways:
        over = [ours - theirs for ours, theirs in zip(times[way], times["none"], strict=True)]
        yield Figure(
            f"over a bare command, {NAMES[way]}",
            statistics.median(over),
            "ms",
            at_most(MAX_MS[way]),
            Baseline("bare command", bare),
        )


async def _times(ways: list[SandboxChoice], project: Path, home: Path) -> dict[SandboxChoice, list[float]]:
    """In milliseconds. In turn, so that whatever slows the machine slows all."""
    sandboxes: dict[SandboxChoice, Sandbox] = {way: Sandbox(way, project, home=home) for way in ways}
    times: dict[SandboxChoice, list[float]] = {way: [] for way in ways}
    for number in range(WARM_UP + RUNS):
        for way, sandbox in sandboxes.items():
            began = time.perf_counter()
            ended = await sandbox.run(
                ["/bin/bash", "-c", "true"],
                cwd=project,
                env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home)},
                time_limit=60,
                keep=1000,
                grace=1,
            )
            if ended.end.code != 0:
                raise BenchFailed(f"a command failed by {way}: {ended.end.stderr.text(1000)}")
            if number >= WARM_UP:
                times[way].append((time.perf_counter() - began) * 1000)
    return times
