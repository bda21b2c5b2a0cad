"""`mulligan checkpoints` and `mulligan restore` as a user or a script uses them, with a chat and without one."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.scripted_server import running

GIT = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost"]


@pytest.fixture
def repository(mulligan: Command) -> Path:
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*GIT, *arguments], cwd=mulligan.project, check=True)
    return mulligan.project


def last(done: Finished) -> dict[str, Any]:
    assert done.code == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def code(mulligan: Command, *replies: dict[str, Any]) -> Finished:
    with running(Script.model_validate({"replies": [*replies, {"text": "Done."}]})) as server:
        return mulligan("code", "--yes", "--json", "--base-url", server.base_url, "--model", "m", "change it")


EDIT: dict[str, Any] = {
    "tool_calls": [{"name": "edit_file", "arguments": {"path": "a.py", "old": "return 'a'", "new": "return 'z'"}}]
}
SHELL: dict[str, Any] = {"tool_calls": [{"name": "run_command", "arguments": {"command": "rm b.py; touch made"}}]}


def test_a_turn_that_writes_can_be_taken_back_with_what_its_commands_did(mulligan: Command, repository: Path) -> None:
    before = (repository / "a.py").read_bytes()
    done = code(mulligan, EDIT, SHELL)
    (taken,) = [frame for frame in done.frames if frame["type"] == "checkpoint"]
    assert ((repository / "b.py").exists(), (repository / "made").exists()) == (False, True)

    result = last(mulligan("restore", taken["checkpoint_id"], "--yes", "--json"))
    assert result == {
        "checkpoint_id": taken["checkpoint_id"],
        "messages_deleted": 1,
        "worktree_reset": True,
        "backend_reset": True,
    }
    assert (repository / "a.py").read_bytes() == before
    assert ((repository / "b.py").exists(), (repository / "made").exists()) == (True, False)
    assert "Done." not in mulligan("chats", "show", done.end["chat_id"]).stdout
    changes = [json.loads(line) for line in mulligan("changes", "list", "--all", "--json").stdout.splitlines()]
    assert [change["status"] for change in changes] == ["reverted"]

    assert mulligan("restore", "--undo", "--yes").code == 0
    assert (repository / "a.py").read_text().count("'z'") == 1
    assert "Done." in mulligan("chats", "show", done.end["chat_id"]).stdout


def test_without_a_repository_the_turn_goes_on_and_says_so(mulligan: Command) -> None:
    done = code(mulligan, EDIT)
    (taken,) = [frame for frame in done.frames if frame["type"] == "checkpoint"]
    assert "checkpoint_id" not in taken
    assert "git" in taken["problem"]
    assert (done.end["stop_reason"], done.code) == ("answered", 0)


def test_by_hand_in_any_work_tree(mulligan: Command, repository: Path) -> None:
    made = last(mulligan("checkpoints", "create", "--label", "before lunch", "--json"))
    (repository / "a.py").write_text("broken\n")
    (listed,) = [json.loads(line) for line in mulligan("checkpoints", "list", "--json").stdout.splitlines()]
    assert (listed["id"], listed["label"], listed["chat_id"]) == (made["id"], "before lunch", None)
    assert "+broken" in mulligan("checkpoints", "show", made["id"]).stdout
    preview = last(mulligan("restore", made["id"], "--preview", "--json"))
    assert preview["writes"] == ["a.py"]
    assert (repository / "a.py").read_text() == "broken\n"
    assert last(mulligan("restore", made["id"][:4], "--yes", "--json"))["messages_deleted"] == 0
    assert "def a():" in (repository / "a.py").read_text()
    pruned = last(mulligan("checkpoints", "prune", "--keep", "0", "--json"))
    assert made["id"] in pruned["dropped"]


def test_from_another_folder(mulligan: Command, repository: Path, tmp_path: Path) -> None:
    elsewhere = Command(mulligan.home, tmp_path)
    made = last(elsewhere("checkpoints", "create", "-C", str(repository), "--json"))
    (repository / "a.py").unlink()
    assert last(elsewhere("restore", made["id"], "--yes", "--json", "-C", str(repository)))["worktree_reset"]
    assert (repository / "a.py").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(["restore"], 2, "name a checkpoint", id="nothing named"),
        pytest.param(["restore", "zzzz"], 2, "no checkpoint", id="unknown id"),
        pytest.param(["restore", "--undo"], 2, "nothing to undo", id="nothing to undo"),
        pytest.param(["checkpoints", "show", "zzzz"], 2, "no checkpoint", id="nothing to show"),
    ],
)
def test_what_can_not_be_done_is_said(
    arguments: list[str], code: int, words: str, mulligan: Command, repository: Path
) -> None:
    done = mulligan(*arguments, "-C", str(repository))
    assert (done.code, done.stdout) == (code, "")
    assert words in done.stderr


def test_without_a_terminal_and_without_yes_nothing_is_done(mulligan: Command, repository: Path) -> None:
    made = last(mulligan("checkpoints", "create", "--json"))
    (repository / "a.py").write_text("broken\n")
    done = mulligan("restore", made["id"])
    assert (done.code, "--yes" in done.stderr) == (6, True)
    assert (repository / "a.py").read_text() == "broken\n"


def test_outside_a_repository_it_is_said(mulligan: Command) -> None:
    done = mulligan("checkpoints", "create")
    assert done.code == 2
    assert "repository" in done.stderr
