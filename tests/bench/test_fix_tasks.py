"""The bugs of the bench are bugs, and can be fixed."""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

import pytest

from bench.fixes.run import add_options, is_right, measure
from bench.fixes.tasks import Task, load_tasks
from bench.results import Figure, Table
from mulligan.syntax.testfiles import is_test_file

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
def test_all_tests_of_a_task_fail_and_pass_once_it_is_fixed(task: Task, tmp_path: Path, compiled: Path) -> None:
    assert task.runs_here, f"{task.language} is not installed: Node 20 or newer, or Go (`make golang`)"
    whole, only_hidden = tmp_path / "whole", tmp_path / "only_hidden"
    task.write(whole)
    assert passes(task, whole, compiled) is False
    assert task.hidden, "it has no hidden tests"
    source = {path: text for path, text in task.files.items() if not is_test_file(path)}
    replace(task, files={**source, **task.hidden}).write(only_hidden)
    assert passes(task, only_hidden, compiled) is False
    task.fix(whole)
    task.write_hidden(whole)
    assert passes(task, whole, compiled) is True


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


def test_hidden_tests_tell_a_right_change_from_one_that_passes_by_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    body = "def test_hidden():\n    from shop import double\n    assert double(5) == 10\n"
    task = Task("shop", "python", "", "fresh", {}, (), hidden={"tests/test_hidden.py": body})
    (tmp_path / "conftest.py").touch()
    (tmp_path / "shop.py").write_text("def double(n):\n    return 4\n")
    assert is_right(task, tmp_path, tmp_path) is False
    (tmp_path / "shop.py").write_text("def double(n):\n    return n + n\n")
    assert is_right(task, tmp_path, tmp_path) is True


def test_what_hidden_tests_said_is_shown_and_older_runs_without_them_count_as_unjudged(tmp_path: Path) -> None:
    tried = tmp_path / "tried.jsonl"
    lines = [{"task": "a_1", "right": True}, {"task": "a_2", "right": False}, {"task": "a_3"}]
    known = {"way": "guided", "solved": True, "verdict": "", "calls": 0, "checks": 1, "seconds": 1.0}
    tried.write_text("\n".join(json.dumps(known | line) for line in lines))
    tasks = tmp_path / "tasks.toml"
    entry = '[[tasks]]\nname = "{task}"\nlanguage = "python"\nbug = ""\ncure = []\n[tasks.files]\n'
    tasks.write_text("".join(entry.format(**line) for line in lines))

    parser = ArgumentParser()
    add_options(parser)
    asked = parser.parse_args(["--way", "guided", "--model", "none", "--tried", str(tried), "--tasks", str(tasks)])
    yielded = list(measure(asked))

    figures = {each.name: (each.value, each.unit) for each in yielded if isinstance(each, Figure)}
    assert figures["right by hidden tests, guided, fresh half"] == (1, "of 2 verified")
    bugs = next(each for each in yielded if isinstance(each, Table) and each.title == "Each bug")
    place = bugs.columns.index("right")
    assert [row[place] for row in bugs.rows] == ["yes", "no", None]
