"""A project with a failing test, and `mulligan fix` on it against a scripted server."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import RunningServer
from tests.e2e.command import Command, Finished
from tests.scripted_server import running

VERIFY = "python3 -m unittest -q"

CODE = """\
def total(items):
    return sum(items) + 1


def mean(items):
    return total(items) / len(items)
"""
FIXED = CODE.replace("sum(items) + 1", "sum(items)")
TESTS = """\
import unittest

from totals import mean, total


class TotalsTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)

    def test_mean(self):
        self.assertEqual(mean([2, 4]), 3)

    def test_types(self):
        self.assertIsInstance(total([]), int)
"""


def plan(step: str) -> dict[str, Any]:
    steps = [{"step": step, "failure": "test_total"}]
    return {"text": json.dumps({"next": "coder", "plan": steps, "reason": "one too many"})}


PLAN = plan("take off the one")
SECOND_PLAN = plan("write the sum anew")
THIRD_PLAN = plan("count by hand")


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def edit(old: str, new: str, path: str = "totals.py") -> dict[str, Any]:
    return call("edit_file", path=path, old=old, new=new)


def say(text: str) -> dict[str, Any]:
    return {"text": text}


RIGHT = edit("    return sum(items) + 1", "    return sum(items)")
WRONG = edit("    return sum(items) + 1", "    return sum(items) + 2")


def three_attempts(action: dict[str, Any]) -> list[dict[str, Any]]:
    """Three plans, and the same done for each of them."""
    return [reply for each in (PLAN, SECOND_PLAN, THIRD_PLAN) for reply in (each, action, say("It is fixed."))]


@dataclass(frozen=True)
class Repository:
    """A git repository with a bug, and the command to fix it."""

    mulligan: Command

    @property
    def folder(self) -> Path:
        return self.mulligan.project

    @property
    def code(self) -> str:
        return (self.folder / "totals.py").read_text()

    @property
    def issues(self) -> str:
        file = self.folder / ".mulligan" / "issues.md"
        return file.read_text() if file.exists() else ""

    def fix(
        self, replies: list[dict[str, Any]], *more: str, goal: str = "make the tests pass", verify: str = VERIFY
    ) -> Finished:
        with running(Script.model_validate({"replies": replies})) as server:
            return self.fix_at(server, *more, goal=goal, verify=verify)

    def fix_with(self, replies: list[dict[str, Any]], environ: dict[str, str]) -> Finished:
        with running(Script.model_validate({"replies": replies})) as server:
            return self.fix_at(server, goal="make the tests pass", verify=VERIFY, environ=environ)

    def fix_at(
        self, server: RunningServer, *more: str, goal: str, verify: str, environ: dict[str, str] | None = None
    ) -> Finished:
        judged = ["--verify", verify] if verify else []
        return self.mulligan("fix", "--json", *self.model(server.base_url), *judged, *more, goal, env=environ)

    @staticmethod
    def model(base_url: str) -> list[str]:
        return ["--base-url", base_url, "--model", "m"]

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout


def make_repository(mulligan: Command) -> Repository:
    return project_with(mulligan, {"totals.py": CODE, "test_totals.py": TESTS})


def project_with(mulligan: Command, files: dict[str, str]) -> Repository:
    """A repository with these files, committed, in place of the project."""
    shutil.rmtree(mulligan.project)
    for path, text in files.items():
        file = mulligan.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    repository = Repository(mulligan)
    repository.git("init", "-q")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "as it was")
    return repository
