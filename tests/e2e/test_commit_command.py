"""`mulligan commit` on a real repository: what is committed, and what is not."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.script import Script
from tests.e2e.command import Command, Finished
from tests.scripted_server import running

USER = {
    "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@localhost",
    "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@localhost",
}  # fmt: skip
GOOD = {"text": "Return twice the letter"}

Commit = Callable[..., Finished]


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=ada@localhost", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def project(mulligan: Command) -> Path:
    """With a commit, a staged change and one that is not staged."""
    git(mulligan.project, "init", "-q")
    git(mulligan.project, "add", "-A")
    git(mulligan.project, "commit", "-qm", "Begin with three letters")
    (mulligan.project / "a.py").write_text("def a():\n    return 'aa'\n")
    git(mulligan.project, "add", "a.py")
    (mulligan.project / "b.py").write_text("def b():\n    return 'bb'\n")
    return mulligan.project


@pytest.fixture
def commit(mulligan: Command, project: Path, tmp_path: Path) -> Commit:
    def run(replies: list[dict[str, Any]], *more: str, env: dict[str, str] | None = None) -> Finished:
        with running(Script.model_validate({"replies": replies}), log=tmp_path / "requests.jsonl") as server:
            words = ("commit", "--base-url", server.base_url, "--model", "m", *more)
            return replace(mulligan, project=project)(*words, env={**USER, **(env or {})})

    return run


def test_it_commits_what_is_staged_and_nothing_else(commit: Commit, project: Path) -> None:
    done = commit([GOOD], "--yes")
    assert (done.code, done.stdout.splitlines()[0]) == (0, "Return twice the letter")
    assert git(project, "log", "-1", "--format=%s by %an") == "Return twice the letter by Ada"
    assert git(project, "show", "--stat", "--format=").splitlines()[0].split()[0] == "a.py"
    assert git(project, "status", "--short") == "M b.py"


def test_all_commits_every_tracked_file_and_no_other(commit: Commit, project: Path) -> None:
    (project / "new.py").write_text("x = 1\n")
    done = commit([GOOD], "--yes", "--all", "--json")
    told = done.frames[0]
    assert (done.code, told["committed"], told["files"]) == (0, True, ["a.py", "b.py"])
    assert told["commit"] == git(project, "rev-parse", "HEAD")
    assert git(project, "status", "--short") == "?? new.py"


def test_without_a_yes_it_is_only_shown(commit: Commit, project: Path) -> None:
    done = commit([GOOD])
    assert (done.code, done.stdout) == (6, "Return twice the letter\n")
    assert "use --yes" in done.stderr
    assert git(project, "log", "--format=%s") == "Begin with three letters"


def test_nothing_staged_says_what_to_do(commit: Commit, project: Path) -> None:
    git(project, "reset", "-q")
    done = commit([], "--yes")
    assert (done.code, "git add" in done.stderr, "--all" in done.stderr) == (2, True, True)


def test_a_folder_without_a_repository_is_refused(mulligan: Command) -> None:
    done = mulligan("commit", "--yes")
    assert (done.code, "not in a git repository" in done.stderr) == (2, True)


def test_a_line_that_can_not_be_used_gets_a_second_chance(commit: Commit, project: Path, tmp_path: Path) -> None:
    done = commit([{"text": "This commit changes things."}, {"text": "```\nReturned twice the letter.\n```"}], "--yes")
    assert done.code == 0
    assert git(project, "log", "-1", "--format=%B") == "Return twice the letter"
    requests = (tmp_path / "requests.jsonl").read_text()
    assert "talks about the message" in requests


def test_two_useless_lines_are_said_and_the_last_is_offered(commit: Commit, project: Path) -> None:
    done = commit([{"text": "Update code"}, {"text": "Parsing of " + "x" * 80}], "--yes")
    assert done.code == 4
    assert "in two tries" in done.stderr
    assert done.stdout.startswith("Parsing of xxx")
    assert git(project, "log", "--format=%s") == "Begin with three letters"
    told = commit([{"text": "Update code"}, {"text": ""}], "--yes", "--json").frames[0]
    assert (told["message"], told["problems"], told["committed"]) == (
        "Update code", ["says nothing about this change"], False,
    )  # fmt: skip


def test_a_hook_of_git_can_refuse(commit: Commit, project: Path) -> None:
    hook = project / ".git" / "hooks" / "commit-msg"
    hook.write_text('#!/bin/sh\necho "no ticket in: $(cat "$1")" >&2\nexit 1\n')
    hook.chmod(0o755)
    done = commit([GOOD], "--yes")
    assert (done.code, "no ticket in: Return twice the letter" in done.stderr) == (4, True)
    assert git(project, "log", "--format=%s") == "Begin with three letters"


def test_the_editor_has_the_last_word(commit: Commit, project: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "\\nBecause I say so.\\n" >> "$1"\n')
    editor.chmod(0o755)
    done = commit([GOOD], "--yes", "--edit", env={"GIT_EDITOR": str(editor)})
    assert done.code == 0, done.stderr
    assert git(project, "log", "-1", "--format=%B") == "Return twice the letter\n\nBecause I say so."


def test_secrets_are_masked_and_secret_files_are_not_sent(commit: Commit, project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text('API_KEY = "sk-proj-abcdefghij0123456789abcd"\n')
    (project / ".env").write_text("DB=hunter2hunter2\n")
    git(project, "add", "-A", "-f")
    done = commit([{"text": "Add a key"}], "--json")
    requests = (tmp_path / "requests.jsonl").read_text()
    assert "sk-proj-abc" not in requests
    assert "hunter2" not in requests
    assert "not shown" in requests
    assert done.frames[0]["masked"] >= 1


def test_a_guided_model_is_asked_a_short_question(commit: Commit, project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text("".join(f"line_{number} = {number}\n" for number in range(20_000)))
    git(project, "add", "a.py")
    assert commit([GOOD], "--yes", "--agency", "guided").code == 0
    assert len((tmp_path / "requests.jsonl").read_text()) < 15_000


def test_the_first_commit_has_a_message_too(commit: Commit, project: Path) -> None:
    subprocess.run(["rm", "-rf", ".git"], cwd=project, check=True)
    git(project, "init", "-q")
    git(project, "add", "a.py")
    assert commit([{"text": "Begin with a letter"}], "--yes").code == 0
    assert git(project, "log", "--format=%s") == "Begin with a letter"


def test_a_merge_is_left_to_git(commit: Commit, project: Path) -> None:
    (project / ".git" / "MERGE_HEAD").write_text(git(project, "rev-parse", "HEAD") + "\n")
    done = commit([], "--yes")
    assert (done.code, "merge" in done.stderr) == (2, True)
