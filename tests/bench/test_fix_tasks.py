"""The bugs of the bench are bugs, and can be mended."""

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


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.name)
def test_the_tests_of_a_task_fail_and_pass_once_it_is_mended(task: Task, tmp_path: Path) -> None:
    if not task.runs_here:
        pytest.skip(f"{task.language} is not installed")
    task.write(tmp_path)
    assert passes(task, tmp_path) is False
    task.mend(tmp_path)
    assert passes(task, tmp_path) is True


def passes(task: Task, folder: Path) -> bool:
    # What is installed here for the project's own tests would take longer to load than the task's to run.
    lean = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environ = {**os.environ, **lean, "GOFLAGS": "-count=1", "GOCACHE": os.environ.get("GOCACHE", str(folder / ".go"))}
    done = subprocess.run(COMMANDS[task.language], cwd=folder, capture_output=True, env=environ, check=False)
    return done.returncode == 0


def test_no_two_tasks_have_one_name() -> None:
    names = [task.name for task in load_tasks()]
    assert len(names) == len(set(names))
