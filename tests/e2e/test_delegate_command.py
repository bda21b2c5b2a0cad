"""`mulligan delegate` as a user or a script uses it: a real agent process, a real repository, real work trees."""

import json
import os
import select
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Command, Finished
from tests.e2e.delegate_project import Delegating, checkpoint_of, goal, is_running, make_delegating, text_of
from tests.patience import PATIENCE

EDIT = {"write": "a.py", "text": "def a():\n    return 'z'\n"}
SAY = {"say": "Done."}
SLEEPER = {"run": ["sleep", "1000"]}


@pytest.fixture
def delegating(mulligan: Command, tmp_path: Path) -> Delegating:
    return make_delegating(mulligan, tmp_path)


def wait_for_end(pid: int) -> None:
    """Of a process that somebody else ends."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended, _, _ = select.select([process], [], [], 20)
    os.close(process)
    assert ended


def read_until(process: "subprocess.Popen[str]", kind: str) -> list[dict[str, Any]]:
    """The frames of a command that runs, up to the first of this kind."""
    assert process.stdout is not None
    frames: list[dict[str, Any]] = []
    for line in process.stdout:
        frames.append(json.loads(line))
        if frames[-1]["type"] == kind:
            return frames
    pytest.fail(f"no {kind} came: {process.stderr.read() if process.stderr else ''}")


def finished(process: "subprocess.Popen[str]") -> Finished:
    out, err = process.communicate(timeout=PATIENCE)
    return Finished(process.returncode, out, err)


def test_what_the_agent_made_comes_back_as_changes_that_wait(delegating: Delegating) -> None:
    before = delegating.code
    done = delegating([{"call": "1", "title": "Edit a.py"}, EDIT, {"update": "1", "status": "completed"}, SAY])
    assert (done.code, done.end["stop_reason"], done.end["pending"]) == (6, "answered", 1)
    kinds = [frame["type"] for frame in done.frames]
    assert kinds[:2] == ["turn_start", "checkpoint"]
    assert [kind for kind in kinds if kind in {"tool_call", "tool_result", "change"}] == [
        "tool_call",
        "tool_result",
        "change",
    ]
    assert text_of(done) == "Done."
    assert delegating.code == before
    assert delegating.git("status", "--porcelain") == ""
    assert delegating.mulligan("changes", "apply").code == 0
    assert "'z'" in delegating.code


def test_uncommitted_work_is_where_the_agent_starts_from(delegating: Delegating) -> None:
    (delegating.folder / "new.py").write_text("mine\n")
    done = delegating([{"append": "new.py", "text": "its\n"}, SAY])
    assert done.end["pending"] == 1
    delegating.mulligan("changes", "apply")
    assert (delegating.folder / "new.py").read_text() == "mine\nits\n"


def test_without_json_the_answer_and_the_diff_are_printed(delegating: Delegating) -> None:
    done = delegating.mulligan("delegate", "--agent", "scripted", goal([EDIT, SAY]))
    assert done.code == 6
    assert done.stdout.startswith("Done.\n")
    assert "+    return 'z'" in done.stdout
    assert "1 change is pending" in done.stderr


def test_a_chat_goes_on_in_one_session_and_one_work_tree(delegating: Delegating) -> None:
    first = delegating([EDIT, {"recall": True}])
    second = delegating([{"write": "b.py", "text": "b\n"}, {"recall": True}], "--chat", first.end["chat_id"])
    assert (text_of(first), text_of(second)) == ("1 prompts, mode none", "2 prompts, mode none")
    assert second.end["chat_id"] == first.end["chat_id"]
    assert second.end["pending"] == 2
    assert len(delegating.trees()) == 1


def test_a_restore_takes_files_chat_and_session_back(delegating: Delegating) -> None:
    first = delegating([EDIT, SAY])
    chat = first.end["chat_id"]
    second = delegating([{"write": "x.py", "text": "x\n"}, {"say": "More."}], "--chat", chat)
    (tree,) = delegating.trees()
    preview = delegating.mulligan("restore", checkpoint_of(second), "--preview", "--json")
    assert json.loads(preview.stdout)["deletes"] == ["x.py"]
    restored = delegating.mulligan("restore", checkpoint_of(second), "--yes", "--json")
    assert json.loads(restored.stdout.splitlines()[-1]) == {
        "checkpoint_id": checkpoint_of(second),
        "messages_deleted": 1,
        "worktree_reset": True,
        "backend_reset": True,
    }
    assert not (tree / "x.py").exists()
    assert "'z'" in (tree / "a.py").read_text()
    assert delegating.answers(chat) == ["Done."]
    assert [change["path"] for change in delegating.changes()] == ["a.py"]

    third = delegating([{"recall": True}], "--chat", chat)
    assert text_of(third) == "1 prompts, mode none"
    assert delegating.trees() == [tree]

    assert delegating.mulligan("restore", "--undo", "--yes").code == 0
    assert (tree / "x.py").exists()
    assert delegating.answers(chat) == ["Done.", "More."]


def test_checkpoints_of_work_trees_are_listed_shown_and_restored_from_the_project(delegating: Delegating) -> None:
    mine = json.loads(delegating.mulligan("checkpoints", "create", "--label", "mine", "--json").stdout)["id"]
    done = delegating([EDIT, SAY])
    taken, chat = checkpoint_of(done), done.end["chat_id"]
    (tree,) = delegating.trees()

    listed = [json.loads(line) for line in delegating.mulligan("checkpoints", "list", "--json").stdout.splitlines()]
    assert [(each["id"], each["chat_id"], each["agent"], each["root"]) for each in listed] == [
        (taken, chat, "scripted", str(tree)),
        (mine, None, None, str(delegating.folder)),
    ]
    _, row, _ = delegating.mulligan("checkpoints", "list").stdout.splitlines()
    assert row.split()[0] == taken
    assert row.split()[-3:-1] == [chat, "scripted"]

    assert "+    return 'z'" in delegating.mulligan("checkpoints", "show", taken).stdout
    assert delegating.mulligan("checkpoints", "show", mine).stdout == ""
    assert delegating.mulligan("checkpoints", "restore", taken[:6], "--yes").code == 0
    assert (tree / "a.py").read_text() == delegating.code


def test_a_checkpoint_of_a_deleted_work_tree_says_where_its_files_are(delegating: Delegating) -> None:
    taken = checkpoint_of(delegating([EDIT, SAY]))
    (tree,) = delegating.trees()
    shutil.rmtree(tree)
    shown = delegating.mulligan("checkpoints", "show", taken)
    assert shown.code == 2
    assert f"its work tree {tree} was deleted" in shown.stderr
    assert "a.py" in delegating.git("ls-tree", "-r", "--name-only", f"refs/mulligan/checkpoints/{taken}")


ASK = {"ask": "1", "title": "curl", "kind": "execute", "input": {"command": "curl example.com"}, "yes": [EDIT]}
NEVER = {"ask": "1", "title": "rm", "kind": "execute", "input": {"command": "sudo rm -rf /"}, "yes": [EDIT]}
INSIDE = {"ask": "1", "title": "Edit", "kind": "edit", "path": "a.py", "yes": [EDIT]}


@pytest.mark.parametrize(
    ("step", "flags", "answer", "pending"),
    [
        pytest.param(INSIDE, [], "the allow_once", 1, id="an edit in its own tree"),
        pytest.param(ASK, [], "the reject_once", 0, id="nobody is there to be asked"),
        pytest.param(ASK, ["--yes"], "the allow_once", 1, id="granted in advance"),
        pytest.param(NEVER, ["--yes"], "the reject_once", 0, id="denied whatever was granted"),
    ],
)
def test_permissions_without_a_terminal(
    delegating: Delegating, step: dict[str, Any], flags: list[str], answer: str, pending: int
) -> None:
    done = delegating([step], *flags)
    assert (text_of(done), done.end["pending"]) == (answer, pending)
    assert ("denied: " in done.stderr) is (answer == "the reject_once")


def test_yes_leaves_the_changes_waiting(delegating: Delegating) -> None:
    before = delegating.code
    assert delegating([EDIT, SAY], "--yes").code == 6
    assert delegating.code == before


def test_a_signal_aborts_and_leaves_nothing_running_and_the_chat_usable(delegating: Delegating) -> None:
    process = delegating.start([EDIT, SLEEPER, {"hang": True}])
    frames = read_until(process, "text_delta")
    process.send_signal(signal.SIGINT)
    done = finished(process)
    assert (done.code, done.end["stop_reason"]) == (130, "aborted")
    assert not is_running(int(frames[-1]["text"]))
    chat = done.end["chat_id"]
    assert [message["status"] for message in delegating.messages(chat)] == ["complete", "cancelled", "complete"]
    second = delegating([{"recall": True}], "--chat", chat)
    assert (second.end["stop_reason"], text_of(second)) == ("answered", "2 prompts, mode none")


@pytest.mark.breadth  # it waits nine seconds; `backends/acp/test_acp_faults.py` shows the same with shorter limits
def test_an_agent_that_ignores_the_abort_is_ended(delegating: Delegating) -> None:
    process = delegating.start([{"on_cancel": "ignore"}, SLEEPER, {"freeze": True}])
    frames = read_until(process, "text_delta")
    process.send_signal(signal.SIGTERM)
    assert finished(process).code == 130
    assert not is_running(int(frames[-1]["text"]))


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        pytest.param([EDIT, {"kill": 9}], "SIGKILL", id="killed"),
        pytest.param([EDIT, {"error": "no more tokens"}], "no more tokens", id="an error"),
    ],
)
def test_an_agent_that_fails_in_mid_turn_is_told_and_the_next_turn_works(
    delegating: Delegating, steps: list[dict[str, Any]], words: str
) -> None:
    done = delegating(steps)
    assert (done.code, done.end["stop_reason"], done.end["pending"]) == (5, "model_error", 1)
    assert words in done.end["explanation"]
    second = delegating([{"recall": True}], "--chat", done.end["chat_id"])
    assert (second.end["stop_reason"], text_of(second)) == ("answered", "2 prompts, mode none")


def test_an_agent_that_writes_into_the_checkout_is_shown_loudly(delegating: Delegating) -> None:
    done = delegating([{"write": str(delegating.folder / "b.py"), "text": "outside\n"}, SAY])
    (raised,) = [frame["message"]["metadata"] for frame in done.frames if frame["type"] == "sentinel"]
    assert (raised["kind"], raised["agent"], raised["paths"]) == ("outside_writes", "scripted", ["b.py"])


def test_an_agent_that_says_and_does_nothing_is_no_success(delegating: Delegating) -> None:
    done = delegating([])
    assert (done.code, done.end["stop_reason"]) == (3, "empty_reply")


def test_processes_that_the_agent_left_end_with_the_command(delegating: Delegating) -> None:
    done = delegating([SLEEPER])
    assert not is_running(int(text_of(done)))


def test_after_kill_9_nothing_runs_and_the_chat_goes_on(delegating: Delegating) -> None:
    process = delegating.start([EDIT, SLEEPER, {"hang": True}])
    frames = read_until(process, "text_delta")
    process.kill()
    process.communicate(timeout=PATIENCE)
    wait_for_end(int(frames[-1]["text"]))
    chat = frames[0]["chat_id"]
    assert [message["status"] for message in delegating.messages(chat)] == ["complete", "failed", "complete"]
    second = delegating([{"recall": True}], "--chat", chat)
    assert (second.code, text_of(second)) == (6, "2 prompts, mode none")
    assert [change["path"] for change in delegating.changes()] == ["a.py"]


def test_two_commands_at_once_do_not_share_a_chat(delegating: Delegating) -> None:
    process = delegating.start([{"say": "I am at it."}, {"hang": True}])
    chat = read_until(process, "text_delta")[0]["chat_id"]
    second = delegating([SAY], "--chat", chat)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert second.code == 2
    assert str(process.pid) in second.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--agent", "nobody", "x"], "no external agent nobody", id="an unknown agent"),
        pytest.param(["x"], "name the agent with --agent", id="no agent"),
        pytest.param(["--agent", "scripted"], "there is no goal", id="no goal"),
        pytest.param(["--agent", "scripted", "--chat", "zzz", "x"], "no chat", id="an unknown chat"),
        pytest.param(["--agent", "scripted", "--model", "m", "x"], "can't be told a model", id="no way to a model"),
    ],
)
def test_what_can_not_be_done_is_said(delegating: Delegating, arguments: list[str], words: str) -> None:
    done = delegating.mulligan("delegate", *arguments)
    assert (done.code, done.stdout) == (2, "")
    assert words in done.stderr


def test_the_agent_is_named_in_why_it_ended(delegating: Delegating) -> None:
    assert delegating([SAY]).end["explanation"] == "scripted answered."
    assert delegating([{"kill": 9}]).end["explanation"] == "scripted ended (SIGKILL) without any output."
    assert delegating([]).end["explanation"].startswith("scripted said nothing and did nothing")


def test_a_chat_whose_agent_is_gone_says_how_to_go_on(delegating: Delegating) -> None:
    chat = delegating([SAY]).end["chat_id"]
    settings = delegating.mulligan.home / "mulligan.toml"
    settings.write_text(settings.read_text().replace("[external.scripted]", "[external.renamed]"))
    gone = delegating.mulligan("delegate", "--chat", chat, goal([SAY]))
    assert (gone.code, gone.stdout) == (2, "")
    assert f"chat {chat} was with scripted, which is no longer defined" in gone.stderr
    assert f"[external.scripted] back into {settings}" in gone.stderr
    other = delegating.mulligan("delegate", "--json", "--chat", chat, "--agent", "renamed", goal([SAY]))
    assert (other.code, text_of(other)) == (0, "Done.")


def test_a_chat_of_an_external_agent_is_not_gone_on_with_by_ask(delegating: Delegating) -> None:
    chat = delegating([SAY]).end["chat_id"]
    asked = delegating.mulligan("ask", "--chat", chat, "and now?")
    assert asked.code == 2
    assert f"mulligan delegate --chat {chat}" in asked.stderr


def test_without_git_it_is_said(mulligan: Command, tmp_path: Path) -> None:
    delegating = make_delegating(mulligan, tmp_path)
    (delegating.folder / ".git").rename(tmp_path / "away")
    done = delegating([SAY])
    assert (done.code, done.stdout) == (2, "")
    assert "git repository" in done.stderr
