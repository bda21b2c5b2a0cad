"""`mulligan code` where an agent edits, does not apply, and runs commands: what they see, and what is said of it."""

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import running
from tests.e2e.command import Command, Finished

EDIT = {"name": "edit_file", "arguments": {"path": "a.py", "old": "return 'a'", "new": "return 'A'"}}
REFUSED = {"name": "edit_file", "arguments": {"path": "a.py", "old": "nothing of the sort stands here", "new": "x"}}
TEST = "python3 -c \"import a; assert a.a() == 'A'; print('passed')\""


def calls(*wanted: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": list(wanted)}


def shell(command: str) -> dict[str, Any]:
    return {"name": "run_command", "arguments": {"command": command}}


def code(mulligan: Command, *replies: dict[str, Any], more: tuple[str, ...] = ()) -> tuple[Finished, list[str]]:
    """The command, and what the model was told of its calls."""
    with running(Script.model_validate({"replies": [*replies, {"text": "The tests pass."}]})) as server:
        done = mulligan("code", "--json", "--base-url", server.base_url, "--model", "m", *more, "shout")
        told = [m["content"] for m in server.requests()[-1]["body"]["messages"] if m["role"] == "tool"]
    return done, told


def returned(done: Finished) -> list[dict[str, Any]]:
    found = [frame for frame in done.frames if frame["type"] == "tool_result"]
    return [frame for frame in found if frame["name"] == "run_command"]


@pytest.fixture
def repository(mulligan: Command) -> Path:
    def git(*words: str) -> None:
        named = ["-c", "user.name=A", "-c", "user.email=a@localhost"]
        subprocess.run(["git", *named, *words], cwd=mulligan.project, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (mulligan.project / ".gitignore").write_text("__pycache__/\n")
    git("add", "-A")
    git("commit", "-qm", "as it was")
    return mulligan.project


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("at_once", [False, True], ids=["a step later", "in one reply"])
def test_tests_run_with_the_pending_edits_and_the_files_stay(mulligan: Command, at_once: bool) -> None:
    replies = [calls(EDIT, shell(TEST))] if at_once else [calls(EDIT), calls(shell(TEST))]
    done, told = code(mulligan, *replies)

    (ran,) = returned(done)
    assert (ran.get("failure"), ran["pending_seen"], ran["pending_unseen"]) == (None, 1, 0), ran
    first, *rest = told[-1].splitlines()
    assert first.endswith(", run with your 1 pending edit")
    assert rest == ["passed"]
    assert (mulligan.project / "a.py").read_text() == "def a():\n    return 'a'\n"
    assert (done.end["pending"], done.code) == (1, 6)


@pytest.mark.usefixtures("repository")
def test_what_a_command_changes_beside_pending_edits_is_pending_too(mulligan: Command) -> None:
    done, told = code(mulligan, calls(EDIT), calls(shell("sed -i s/def/async\\ def/ b.py")))

    (ran,) = returned(done)
    assert ran["changed"] == ["b.py"]
    assert "Changed by it, and pending now: b.py" in told[-1]
    made = [frame["path"] for frame in done.frames if frame["type"] == "change"]
    assert made == ["a.py", "b.py"]
    assert (mulligan.project / "b.py").read_text() == "def b():\n    return 'b'\n"
    assert mulligan("changes", "apply").code == 0
    assert (mulligan.project / "b.py").read_text() == "async def b():\n    return 'b'\n"


def test_without_git_everybody_is_told_first_that_edits_were_not_seen(mulligan: Command) -> None:
    done, told = code(mulligan, calls(EDIT), calls(shell("cat a.py")))

    (ran,) = returned(done)
    assert (ran["pending_seen"], ran["pending_unseen"]) == (0, 1)
    first = "NOT SEEN by this command: 1 pending edit. There is no git repository, so it ran on the files as they are."
    assert told[-1].splitlines()[0] == first
    assert ran["content"].splitlines()[0] == first


@pytest.mark.usefixtures("repository")
def test_the_terminal_says_on_the_commands_own_line_where_it_ran(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [calls(EDIT), calls(shell("true")), {"text": "Done."}]})) as server:
        done = mulligan("code", "--base-url", server.base_url, "--model", "m", "shout")

    (line,) = [line for line in done.stderr.splitlines() if "run_command" in line or "$ true" in line]
    assert "ran with your pending edit" in line


@pytest.mark.usefixtures("repository")
def test_a_file_overwritten_by_a_command_after_its_edit_was_refused_counts_as_changed(mulligan: Command) -> None:
    overwrite = shell("cat > a.py <<'END'\ndef a():\n    return 'A'\nEND")
    done, _ = code(mulligan, calls(REFUSED), calls(overwrite), calls(shell(TEST)), more=("--yes",))

    assert (mulligan.project / "a.py").read_text() == "def a():\n    return 'A'\n"
    assert (done.end["unapplied"], done.end["overwritten"], done.code) == ([], ["a.py"], 0)
    assert "a.py was changed by a command" in done.end["explanation"]
    taken = next(frame for frame in done.frames if frame["type"] == "checkpoint")
    assert mulligan("restore", taken["checkpoint_id"], "--yes").code == 0
    assert (mulligan.project / "a.py").read_text() == "def a():\n    return 'a'\n"


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "later",
    [
        pytest.param(0.0, id="at once", marks=pytest.mark.breadth),
        pytest.param(0.4, id="a little later"),
        pytest.param(0.8, id="later", marks=pytest.mark.breadth),
    ],
)
def test_a_killed_process_leaves_no_change_and_its_work_tree_to_the_next_one(mulligan: Command, later: float) -> None:
    command = shell("echo half > b.py; echo > made.py; exec sleep 600")
    with running(Script.model_validate({"replies": [calls(EDIT), calls(command), {"text": "Done."}]})) as server:
        process = mulligan.start("code", "--json", "--base-url", server.base_url, "--model", "m", "shout")
        assert process.stdout is not None
        assert any('"tool_call"' in line and "sleep 600" in line for line in process.stdout)
        time.sleep(later)  # the moment of death, no wait for something to happen
        process.kill()
        process.communicate()
    assert "b.py" not in mulligan("changes", "list", "--json").stdout

    mulligan("changes", "reject")
    done, _ = code(mulligan, calls(EDIT), calls(shell("cat b.py")))
    left = [folder.name for folder in (mulligan.home / "worktrees").iterdir() if not folder.name.startswith(".")]
    assert returned(done)[0]["content"].endswith("def b():\n    return 'b'")
    assert [name.split("-")[-2] for name in left] == [done.end["chat_id"]]
