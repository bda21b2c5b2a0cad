"""`mulligan ask` as a script sees it: frames, the last one, the exit code."""

import signal
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command
from tests.patience import PATIENCE
from tests.scripted_server import running

VIEW: dict[str, Any] = {"tool_calls": [{"name": "view_file", "arguments": {"path": "a.py"}}]}
VARIED: dict[str, Any] = {"tool_calls": [{"name": "view_file", "arguments": {"path": "missing_$n.py"}}]}
WATCH: dict[str, Any] = {"tool_calls": [{"name": "watch_changes", "arguments": {}}]}
EMPTY: dict[str, Any] = {}
QUESTION: dict[str, Any] = {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Which?", "options": ["x"]}}]}


@pytest.mark.parametrize(
    ("script", "reason", "code"),
    [
        pytest.param({"replies": [VIEW, {"text": "In a.py."}]}, "answered", 0, id="answered"),
        pytest.param({"replies": [VIEW], "then": "loop"}, "doom_loop", 3, id="doom loop"),
        pytest.param({"replies": [VARIED], "then": "loop"}, "mistakes", 3, id="mistakes"),
        pytest.param({"replies": [EMPTY], "then": "loop"}, "empty_reply", 3, id="empty reply"),
        pytest.param({"replies": [{"status": 400}], "then": "loop"}, "model_error", 5, id="model error"),
        pytest.param({"replies": [QUESTION]}, "paused", 6, id="paused"),
    ],
)
def test_the_last_frame_and_the_exit_code_tell_how_it_ended(
    script: dict[str, Any], reason: str, code: int, mulligan: Command
) -> None:
    with running(Script.model_validate(script)) as server:
        done = mulligan.ask(server.base_url)
    assert (done.end["type"], done.end["stop_reason"], done.code) == ("turn_end", reason, code)
    assert {"steps", "usage", "repairs", "explanation"} <= done.end.keys()


def test_the_step_cap_has_its_code_too(mulligan: Command) -> None:
    replies = [{"tool_calls": [{"name": "grep", "arguments": {"pattern": "x$n"}}]}]
    with running(Script.model_validate({"replies": replies, "then": "loop"})) as server:
        environ = {"MULLIGAN_STEPS": "2"}
        done = mulligan("ask", "--json", "--base-url", server.base_url, "--model", "m", "where?", env=environ)
        assert len(server.requests()) == 3
    assert (done.end["stop_reason"], done.end["steps"], done.code) == ("step_cap", 2, 3)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_being_told_to_stop_closes_the_turn(number: signal.Signals, mulligan: Command) -> None:
    script = Script.model_validate({"replies": [{"text": "It is in the file " * 9, "hang": 3}]})
    with running(script) as server:
        process = mulligan.start("ask", "--json", "--base-url", server.base_url, "--model", "m", "where?")
        assert process.stdout is not None
        for line in process.stdout:
            if '"text_delta"' in line:
                process.send_signal(number)
                break
        rest, errors = process.communicate(timeout=PATIENCE)
    last = rest.splitlines()[-1]
    assert ('"turn_end"' in last, '"aborted"' in last, process.returncode) == (True, True, 130)
    assert errors == ""


def test_a_server_that_is_down_is_named(mulligan: Command) -> None:
    done = mulligan.ask("http://127.0.0.1:9/v1")
    assert (done.end["stop_reason"], done.code) == ("model_error", 5)
    assert "http://127.0.0.1:9/v1" in done.end["explanation"]


def test_what_changed_is_told_since_the_last_question_in_the_project(mulligan: Command) -> None:
    script = Script.model_validate({"replies": [WATCH, {"text": "That."}], "then": "loop"})
    with running(script) as server:
        first = mulligan.ask(server.base_url)
        (mulligan.project / "new.py").write_text("x = 1\n")
        second = mulligan.ask(server.base_url)
    told = [frame["content"] for done in (first, second) for frame in done.frames if frame["type"] == "tool_result"]
    assert "first look" in told[0]
    assert told[1].startswith("1 file changed since the last call in this project")
    assert told[1].endswith("Added:\nnew.py")


def test_repairs_are_counted(mulligan: Command) -> None:
    broken = {"tool_calls": [{"name": "View_File", "arguments": "{'path': 'a.py', 'start_line': '1',}"}]}
    with running(Script.model_validate({"replies": [broken, {"text": "Yes."}]})) as server:
        done = mulligan.ask(server.base_url)
    assert done.end["repairs"] == {"tool_name": 1, "single_quotes": 1, "trailing_comma": 1, "coerced_number": 1}
    (result,) = [frame for frame in done.frames if frame["type"] == "tool_result"]
    assert "def a():" in result["content"]


def test_the_mistake_sentinel_is_exactly_as_agreed(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [VARIED], "then": "loop"})) as server:
        done = mulligan.ask(server.base_url)
    raised = [frame for frame in done.frames if frame["type"] == "sentinel"]
    failed = ["exec_error"] * 3
    assert [frame["message"]["metadata"] for frame in raised] == [
        {"kind": "mistake_recovery", "failure_kinds": failed, "count": 3, "escalated": False},
        {"kind": "mistake_recovery", "failure_kinds": failed, "count": 3, "escalated": True, "can_continue": True},
    ]
    assert [frame["text"] for frame in raised] == [
        "Hit repeated different errors — recovery guidance injected, continuing.",
        "Repeated errors persisted — stopped the turn.",
    ]
    assert {(frame["message"]["role"], frame["message"]["status"]) for frame in raised} == {("system", "complete")}


def test_in_a_pipe_only_the_answer_is_on_standard_output(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [VIEW, {"text": "In a.py."}]})) as server:
        done = mulligan("ask", "--base-url", server.base_url, "where?")
    assert (done.stdout.strip(), done.code) == ("In a.py.", 0)
    assert "view_file" in done.stderr


def test_a_question_may_come_from_standard_input(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [{"text": "Yes."}]})) as server:
        done = mulligan("ask", "--base-url", server.base_url, "-", stdin="is it\nthere?")
        (request,) = server.requests()
    assert done.code == 0
    assert request["body"]["messages"][-1]["content"] == "is it\nthere?"


def test_without_a_model_name_the_server_is_asked_for_one(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [{"text": "Yes."}], "model": "tiny"})) as server:
        done = mulligan("ask", "--json", "--base-url", server.base_url, "where?")
        (request,) = server.requests()
    assert (request["body"]["model"], done.frames[0]["model"]) == ("tiny", "tiny")


def test_a_chat_is_resumed_and_continued(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [VIEW, VIEW, VIEW, {"text": "Only a."}]})) as server:
        chat = mulligan.ask(server.base_url).end["chat_id"]
    with running(Script.model_validate({"replies": [{"text": "In a.py."}], "then": "loop"})) as server:
        done = mulligan.ask(server.base_url, "--chat", chat[:6], "--continue", prompt=())
        again = mulligan.ask(server.base_url, "--chat", chat, "--continue", prompt=())
        asked = mulligan.ask(server.base_url, "--chat", chat, prompt=["sure?"])
        contents = [message["content"] for message in server.requests()[-1]["body"]["messages"]]
    assert (done.end["stop_reason"], done.end["chat_id"]) == ("answered", chat)
    assert (again.code, "nothing to continue" in again.stderr) == (2, True)
    assert asked.code == 0
    assert (contents[1], contents[-1]) == ("where is it?", "sure?")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["ask"], "there is no question", id="no question"),
        pytest.param(["ask", "x"], "no model server is set", id="no server"),
        pytest.param(["ask", "--base-url", "localhost:1", "x"], "must look like http://", id="no URL"),
        pytest.param(
            ["ask", "--base-url", "http://127.0.0.1:9/v1", "--agent", "nobody", "x"], "no agent nobody", id="agent"
        ),
        pytest.param(["ask", "--base-url", "http://127.0.0.1:9/v1", "--chat", "zzz", "x"], "zzz", id="chat"),
        pytest.param(["ask", "-C", "nowhere", "x"], "nowhere does not exist", id="folder"),
        pytest.param(["ask", "--continue"], "needs --chat", id="continue without a chat"),
        pytest.param(["frobnicate"], "frobnicate", id="unknown command"),
    ],
)
def test_wrong_use_says_what_to_do_and_has_code_2(arguments: list[str], words: str, mulligan: Command) -> None:
    done = mulligan(*arguments)
    assert done.code == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_home_that_can_not_be_used_is_named_in_one_sentence(mulligan: Command) -> None:
    mulligan.home.write_text("a file, not a folder")
    done = mulligan("ask", "--base-url", "http://127.0.0.1:9/v1", "x")
    assert done.code == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert str(mulligan.home) in done.stderr
