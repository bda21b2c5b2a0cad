"""What the tests of each task say before it is cured, recorded so that nothing has to be run to learn it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bench.fixes.tasks import Task
from mulligan.types.fixing import Check

FILE = Path(__file__).with_name("failures.json")


def recorded(task: Task) -> list[Check] | None:
    """None where it was not recorded, or where the task was changed since."""
    found = _all().get(task.name)
    if found is None or found["of"] != _mark(task):
        return None
    return [Check.model_validate(each) for each in found["checks"]]


def record(checked: Sequence[tuple[Task, Sequence[Check]]]) -> None:
    """A line for each task."""
    known = dict(_all())
    for task, checks in checked:
        known[task.name] = {"of": _mark(task), "checks": [each.model_dump(mode="json") for each in checks]}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    _all.cache_clear()


@cache
def _all() -> Mapping[str, Any]:
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def _mark(task: Task) -> str:
    return hashlib.sha256(json.dumps(sorted(task.files.items())).encode()).hexdigest()[:16]
