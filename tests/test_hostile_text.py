"""No text makes a reader take hours, whoever wrote it: a project, a command's output, a model, a server.

Each group runs in a process of its own: a pattern that hangs can't be interrupted.
"""

import subprocess
import sys

import pytest

from tests.hostile_text.patterns import SOURCE
from tests.hostile_text.try_readers import READERS

HANG = 900
"""Seconds: no bound on how fast it is."""


def packages() -> list[str]:
    found = [path for folder in ("mulligan", "mulligan/core") for path in (SOURCE / folder).iterdir()]
    return sorted(
        path.relative_to(SOURCE).with_suffix("").as_posix().replace("/", ".")
        for path in found
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.name not in {"core", "__init__.py"}
    )


CORE = [name for name in packages() if name.startswith("mulligan.core.")]
# Few: each reads the whole source first, for how its patterns are applied.
GROUPS = {"core": CORE, "all else": sorted(set(packages()) - {*CORE})}


@pytest.mark.parametrize("group", GROUPS)
def test_no_pattern_takes_more_than_linear_time(group: str) -> None:
    assert told("tests.hostile_text.try_patterns", *GROUPS[group]) == ""


@pytest.mark.parametrize("group", READERS)
def test_no_reader_takes_more_than_linear_time(group: str) -> None:
    assert told("tests.hostile_text.try_readers", group) == ""


@pytest.mark.breadth
@pytest.mark.parametrize("group", GROUPS)
def test_no_pattern_takes_more_than_linear_time_on_longer_texts(group: str) -> None:
    assert told("tests.hostile_text.try_patterns", "more", *GROUPS[group]) == ""


@pytest.mark.breadth
@pytest.mark.parametrize("group", READERS)
def test_no_reader_takes_more_than_linear_time_on_more_texts(group: str) -> None:
    assert told("tests.hostile_text.try_readers", group, "more") == ""


def told(module: str, *args: str) -> str:
    command = [sys.executable, "-m", module, *args]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=SOURCE.parent, timeout=HANG)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
