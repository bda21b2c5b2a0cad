"""A command with all the processes it starts: how long, how much processor time, how much memory together."""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVERY = 0.02
"""Seconds between two looks at the memory."""


@dataclass(frozen=True, slots=True)
class Watched:
    told: dict[str, Any]
    """What it printed."""
    seconds: float
    cpu_seconds: float
    peak_mb: float
    """Of all its processes at one time; pages they share are counted once."""


def watch(command: Sequence[str], *, memory: bool = False) -> Watched:
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stdin=subprocess.DEVNULL)
        peak = 0.0
        if memory:
            while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                peak = max(peak, sum(_proportional_kb(pid) for pid in _family(process.pid)) / 1024)
                time.sleep(EVERY)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, f"{command} ended with {process.returncode}"
        out.seek(0)
        return Watched(json.loads(out.read()), seconds, usage.ru_utime + usage.ru_stime, peak)


def _family(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    children = {int(each) for path in threads for each in _read(path).split()} | {int(each) for each in text.split()}
    return [pid, *(each for child in children for each in _family(child))]


def _proportional_kb(pid: int) -> int:
    rows = _read(Path(f"/proc/{pid}/smaps_rollup")).split("\n")
    return next((int(row.split()[1]) for row in rows if row.startswith("Pss:")), 0)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended
        return ""
