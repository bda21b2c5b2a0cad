"""The bugs of the bench are bugs, and can be fixed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.fixes.tasks import Task, load_tasks

COMMANDS = {
    "python": [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
    "javascript": ["node", "--test"],
    "go": ["go", "test", "./..."],
}


TASKS = load_tasks()
FIRST = {task.language: task for task in reversed(TASKS)}
"""One for each language. That the other ones are right matters to whoever changes them, or runs the bench."""


@pytest.mark.parametrize(
    "task",
    [pytest.param(task, id=task.name, marks=[] if task in FIRST.values() else [pytest.mark.breadth]) for task in TASKS],
)
def test_the_tests_of_a_task_fail_and_pass_once_it_is_mended(task: Task, tmp_path: Path, compiled: Path) -> None:
    assert task.runs_here, f"{task.language} is not installed: Node 20 or newer, or Go (`make golang`)"
    task.write(tmp_path)
    assert passes(task, tmp_path, compiled) is False
    task.fix(tmp_path)
    assert passes(task, tmp_path, compiled) is True


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Go keeps what it compiled of its own library, for all tasks."""
    return tmp_path_factory.mktemp("go")


def passes(task: Task, folder: Path, compiled: Path) -> bool:
    environ = {**os.environ, "GOFLAGS": "-count=1 -vet=off", "GOCACHE": os.environ.get("GOCACHE", str(compiled))}
    done = subprocess.run(COMMANDS[task.language], cwd=folder, capture_output=True, env=environ, check=False)
    return done.returncode == 0


def test_no_two_tasks_have_one_name() -> None:
    names = [task.name for task in TASKS]
    assert len(names) == len(set(names))
