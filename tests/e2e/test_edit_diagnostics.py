"""What an edit broke, told with its own result by the project's checkers."""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e import fix_project
from tests.e2e.command import Command, Finished
from tests.patience import PATIENCE
from tests.scripted_server import running

CALC = "def add(a: int, b: int) -> int:\n    return a + b\n"
SHOP = "import os\nfrom calc import add\n\nbasket: str = add(1, 2)\n\n\ndef total() -> int:\n    return add(3, 4)\n"
"""With an old problem for each checker: `os` is not used, and a basket is no text."""

SLEEP = "98765.4321"
"""Seconds by which a process is told from all others."""


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    return {"name": "edit_file", "arguments": {"path": path, "old": old, "new": new}}


BREAK_CALLS = edit("calc.py", CALC, "import sys\n\n\n" + CALC.replace("b: int", "b: int, c: int"))


@dataclass
class Bench:
    """A project with checkers of its own, and `mulligan code` in it."""

    mulligan: Command
    notes: Path
    """A folder that checkers may write to."""
    env: dict[str, str] = field(default_factory=dict[str, str])

    def own_checker(self, *script: str) -> None:
        """The project's own `ruff`, which notes what it was asked."""
        program = self.mulligan.project / ".venv" / "bin" / "ruff"
        program.write_text("\n".join(["#!/bin/sh", f'echo "$*" >> {self.notes}/asked', *script, ""]))
        program.chmod(0o755)

    def asked(self) -> list[str]:
        """The files that the project's own checker was asked about, call by call."""
        noted = self.notes / "asked"
        lines = noted.read_text().splitlines() if noted.exists() else []
        return [line.partition("concise ")[2] for line in lines]

    def code(self, *replies: dict[str, Any], more: tuple[str, ...] = ()) -> tuple[Finished, list[str]]:
        """The command, and what the model was told of its calls."""
        with running(Script.model_validate({"replies": [*replies, {"text": "Done."}]})) as server:
            asked = threading.Thread(target=self._note_first_request, args=(server,))
            asked.start()
            words = ("code", "--json", "--base-url", server.base_url, "--model", "m", *more, "change it")
            done = self.mulligan(*words, env=self.env)
            asked.join()
            told = [m["content"] for m in server.requests()[-1]["body"]["messages"] if m["role"] == "tool"]
        return done, told

    def _note_first_request(self, server: Any) -> None:
        until = time.monotonic() + PATIENCE
        while not server.requests() and time.monotonic() < until:
            time.sleep(0.02)
        (self.notes / "model-was-asked").touch()


@pytest.fixture
def bench(mulligan: Command, tmp_path: Path) -> Bench:
    project, notes = mulligan.project, tmp_path / "notes"
    notes.mkdir()
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "pyvenv.cfg").write_text("")
    (project / ".gitignore").write_text(".venv/\n")
    (project / "pyproject.toml").write_text("[tool.ruff]\n")
    (project / "calc.py").write_text(CALC)
    (project / "shop.py").write_text(SHOP)
    named = ["git", "-c", "user.name=A", "-c", "user.email=a@localhost"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "as it was"]):
        subprocess.run([*named, *words], cwd=project, check=True, capture_output=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # Long: these tests are not about time, and the machine may be busy.
    limits = {"MULLIGAN_DIAGNOSTICS_TIMEOUT": str(PATIENCE / 2), "MULLIGAN_SANDBOX_WRITE": str(notes)}
    return Bench(mulligan, notes, {"PATH": path, **limits})


def new_lines(told: str) -> list[str]:
    return [line for line in told.splitlines() if line.startswith(("New since", "[No answer"))]


def sleepers() -> list[str]:
    """Processes of checkers that never end."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found.append((process / "cmdline").read_text())
    return [words for words in found if SLEEP in words]


def all_end() -> bool:
    """No checker is left; the kernel ends what was in the sandbox a moment after the sandbox itself."""
    until = time.monotonic() + PATIENCE
    while sleepers() and time.monotonic() < until:
        time.sleep(0.02)
    return not sleepers()


def test_the_next_request_holds_what_an_edit_broke_in_another_file_and_no_old_problem(bench: Bench) -> None:
    (bench.mulligan.project / "pyproject.toml").write_text("[tool.ruff]\n[tool.pyright]\n")
    done, told = bench.code({"tool_calls": [BREAK_CALLS]})

    assert new_lines(told[0]) == [
        "New since this edit (ruff): calc.py:1: `sys` imported but unused [F401]",
        'New since this edit (pyright): shop.py:4: Argument missing for parameter "c" [reportCallIssue]',
        'New since this edit (pyright): shop.py:8: Argument missing for parameter "c" [reportCallIssue]',
    ]
    assert (bench.mulligan.project / "calc.py").read_text() == CALC
    assert done.end["pending"] == 1


def test_edits_that_are_applied_at_once_are_compared_with_the_files_before_them(bench: Bench) -> None:
    use = edit("shop.py", "return add(3, 4)", "return add(3, four)")
    _, told = bench.code({"tool_calls": [BREAK_CALLS]}, {"tool_calls": [use]}, more=("--yes",))

    assert new_lines(told[0]) == ["New since this edit (ruff): calc.py:1: `sys` imported but unused [F401]"]
    assert new_lines(told[1]) == ["New since this edit (ruff): shop.py:8: Undefined name `four` [F821]"]


def test_what_is_still_broken_at_the_end_is_said_to_the_user(bench: Bench) -> None:
    use = edit("shop.py", "return add(3, 4)", "return add(3, four)")
    fixed = edit("calc.py", "import sys\n\n\n", "")
    done, _ = bench.code({"tool_calls": [BREAK_CALLS]}, {"tool_calls": [use]}, {"tool_calls": [fixed]})

    left = "shop.py:8: Undefined name `four` [F821] (ruff)"
    assert done.end["work"]["broken"] == [left]
    assert done.end["work"]["text"].endswith(f"New problems in the code: {left}.")


def test_problems_of_a_file_that_the_turn_made_and_deleted_are_not_said_at_the_end(bench: Bench) -> None:
    made = {"name": "create_file", "arguments": {"path": "extra.py", "content": "import sys\n"}}
    gone = {"name": "delete_file", "arguments": {"path": "extra.py"}}
    done, told = bench.code({"tool_calls": [made]}, {"tool_calls": [gone]})

    assert new_lines(told[0]) == ["New since this edit (ruff): extra.py:1: `sys` imported but unused [F401]"]
    assert done.end["work"]["broken"] == []


def test_edits_of_one_reply_are_checked_together_and_told_with_the_last(bench: Bench) -> None:
    bench.own_checker('case "$*" in *shop.py*) echo "shop.py:1:1: E999 worse"; exit 1;; esac')
    unharmed = edit("calc.py", "a + b", "b + a")
    _, told = bench.code({"tool_calls": [unharmed, edit("shop.py", "add(3, 4)", "add(4, 3)")]})

    assert bench.asked() == [".", "./calc.py ./shop.py"]
    assert [new_lines(each) for each in told] == [[], ["New since this edit (ruff): shop.py:1: worse [E999]"]]


def test_the_first_request_does_not_wait_for_the_checkers(bench: Bench) -> None:
    wait = f"while [ ! -e {bench.notes}/model-was-asked ]; do sleep 0.05; done"
    bench.own_checker(wait, 'case "$*" in *calc.py) echo "calc.py:1:1: E999 worse"; exit 1;; esac')
    _, told = bench.code({"tool_calls": [BREAK_CALLS]})

    assert new_lines(told[0]) == ["New since this edit (ruff): calc.py:1: worse [E999]"]


@pytest.mark.parametrize("hangs", ["at once", "after the edit"])
def test_an_edit_does_not_fail_with_a_checker_that_hangs_and_that_is_said_once(bench: Bench, hangs: str) -> None:
    bench.env["MULLIGAN_DIAGNOSTICS_TIMEOUT"] = "3"
    bench.own_checker(f'case "$*" in *{"" if hangs == "at once" else "calc.py"}) exec sleep {SLEEP};; esac')
    again = edit("calc.py", "return a + b", "return b + a")
    done, told = bench.code({"tool_calls": [BREAK_CALLS]}, {"tool_calls": [again]})

    assert [new_lines(each) for each in told] == [
        ["[No answer within 3 s: ruff. Not asked again in this turn.]"],
        [],
    ]
    assert [each.get("failure") for each in done.frames if each["type"] == "tool_result"] == [None, None]
    assert done.end["pending"] == 2
    assert all_end()


def test_a_turn_without_edits_ends_its_checkers_and_leaves_no_work_tree(bench: Bench) -> None:
    bench.own_checker(f"touch {bench.notes}/runs", f"exec sleep {SLEEP}")
    wait = f"while [ ! -e {bench.notes}/runs ]; do sleep 0.05; done"
    _, told = bench.code({"tool_calls": [{"name": "run_command", "arguments": {"command": wait}}]})

    assert told[0].startswith("exit code 0")
    assert all_end()
    trees = bench.mulligan.home / "worktrees"
    assert not trees.exists() or not list(trees.rglob("calc.py"))


@pytest.mark.parametrize(
    ("settings", "manifest"),
    [
        ({"MULLIGAN_DIAGNOSTICS": "off"}, "[tool.ruff]\n"),
        ({"MULLIGAN_APPROVALS": "all"}, "[tool.ruff]\n"),
        ({"MULLIGAN_SANDBOX": "none"}, "[tool.ruff]\n"),
        ({"MULLIGAN_DENY_COMMANDS": "ruff"}, "[tool.ruff]\n"),
        ({}, "[project]\n"),
    ],
    ids=["switched off", "all commands need a yes", "no sandbox", "denied", "not configured"],
)
def test_no_checker_runs_where(bench: Bench, settings: dict[str, str], manifest: str) -> None:
    (bench.mulligan.project / "pyproject.toml").write_text(manifest)
    bench.env.update(settings)
    bench.own_checker("echo calc.py:1:1: E999 worse; exit 1")
    _, told = bench.code({"tool_calls": [BREAK_CALLS]}, more=("--yes",))

    assert (bench.asked(), new_lines(told[0])) == ([], [])


def test_without_git_pending_edits_are_not_checked(bench: Bench) -> None:
    (bench.mulligan.project / ".git").rename(bench.notes / "git")
    bench.own_checker("echo calc.py:1:1: E999 worse; exit 1")
    _, told = bench.code({"tool_calls": [BREAK_CALLS]})

    assert (bench.asked(), new_lines(told[0])) == ([], [])


def test_the_coder_of_a_fix_run_is_told_before_the_verifier_is_asked(mulligan: Command) -> None:
    repository = fix_project.make_repository(mulligan)
    (repository.folder / "ruff.toml").write_text("")
    slip = fix_project.edit("    return sum(items) + 1", "    return sum(item)")
    right = fix_project.edit("    return sum(item)", "    return sum(items)")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "MULLIGAN_DIAGNOSTICS_TIMEOUT": str(PATIENCE / 2)}
    done = repository.fix_with([fix_project.PLAN, slip, right, fix_project.say("It is fixed.")], environ)

    told = [new_lines(frame["content"]) for frame in done.frames if frame["type"] == "tool_result"]
    assert told == [["New since this edit (ruff): totals.py:2: Undefined name `item` [F821]"], []]
    assert done.end["verdict"] == "verified"
