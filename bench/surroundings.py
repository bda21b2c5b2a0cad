"""The environment of a bench: the machine, the versions, the commit."""

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

from bench.results import Machine

ROOT = Path(__file__).resolve().parent.parent
MADE_HERE = ("bench/results.json", "docs/results.md")
"""Files that a bench writes. They don't count as changes to what is measured."""


def this_machine() -> Machine:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    # The cores this process may use: a container may have fewer than the machine.
    cores = len(os.sched_getaffinity(0))
    return Machine(_cpu_name(), cores, round(memory, 1), f"{platform.system()} {platform.machine()}")


def versions() -> dict[str, str]:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    return {
        "Python": platform.python_version(),
        "Mulligan": importlib.metadata.version("mulligan"),
        "git": git.removeprefix("git version ").strip(),
    }


def commit() -> str:
    """The commit that is measured, and whether that is all of it."""
    short = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--", ".", *(f":(exclude){path}" for path in MADE_HERE))
    return f"{short} with changes" if changed else short


def load() -> float:
    """Of the last minute."""
    return round(os.getloadavg()[0], 1)


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # another system than Linux
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"
