"""What the tests of each task say and run before it is cured, recorded so that nothing has to be run to learn it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.fixes.tasks import Task
from mulligan.types.fixing import Check

FILE = Path(__file__).with_name("failures.json")


@dataclass(frozen=True, slots=True)
class Failures:
    checks: Sequence[Check]
    traces: Sequence[str]
    """Which lines each test ran, as tracers wrote it."""


def recorded(task: Task) -> Failures | None:
    """None where it was not recorded, or where the task was changed since."""
    found = _all().get(task.name)
    if found is None or found["of"] != _mark(task):
        return None
    return Failures([Check.model_validate(each) for each in found["checks"]], found["traces"])


def record(failed: Sequence[tuple[Task, Failures]]) -> None:
    """A line for each task."""
    known = dict(_all())
    for task, each in failed:
        checks = [check.model_dump(mode="json") for check in each.checks]
        known[task.name] = {"of": _mark(task), "checks": checks, "traces": each.traces}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    _all.cache_clear()


@cache
def _all() -> Mapping[str, Any]:
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def _mark(task: Task) -> str:
    return hashlib.sha256(json.dumps(sorted(task.files.items())).encode()).hexdigest()[:16]
