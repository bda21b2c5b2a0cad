"""`mulligan commit` with a user who says yes, no or edit."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.script import ScriptedReply
from mulligan.models.scripted.server import RunningServer
from tests.cli.conftest import Terminal

Start = Callable[..., Terminal]
Serve = Callable[..., RunningServer]
GOOD = ScriptedReply(text="Return the one letter")


def log(project: Path) -> str:
    done = subprocess.run(["git", "log", "--format=%s"], cwd=project, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def staged(project: Path, environment: dict[str, str]) -> None:
    user: dict[str, Any] = {
        f"GIT_{who}_{what}": "ada@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment.update(user)
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(["git", *words], cwd=project, check=True)


def test_yes_commits(in_terminal: Start, serve: Serve, project: Path) -> None:
    serve(GOOD)
    terminal = in_terminal("commit")
    terminal.sees("Return the one letter")
    terminal.sees("commit?")
    terminal.types("y\r")
    assert terminal.leaves() == 0
    assert log(project) == "Return the one letter"


def test_no_commits_nothing(in_terminal: Start, serve: Serve, project: Path) -> None:
    serve(GOOD)
    terminal = in_terminal("commit")
    terminal.sees("commit?")
    terminal.types("\r")
    terminal.sees("nothing was committed")
    assert terminal.leaves() == 6
    assert log(project) == ""


def test_the_last_try_can_be_edited(
    in_terminal: Start, serve: Serve, project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho "Begin with a turn" > "$1"\n')
    editor.chmod(0o755)
    environment["GIT_EDITOR"] = str(editor)
    serve(ScriptedReply(text="Update code"), ScriptedReply(text="Update files"))
    terminal = in_terminal("commit")
    terminal.sees("in two tries")
    terminal.sees("commit it anyway?")
    terminal.types("e\r")
    assert terminal.leaves() == 0
    assert log(project) == "Begin with a turn"


def test_ctrl_c_at_the_question_commits_nothing(in_terminal: Start, serve: Serve, project: Path) -> None:
    serve(GOOD)
    terminal = in_terminal("commit")
    terminal.sees("commit?")
    terminal.types("\x03")
    assert terminal.leaves() == 130
    assert log(project) == ""
