"""The real agents through `mulligan delegate`, one story each."""

import json
from pathlib import Path

import pytest

from tests.real_agents.real_agent import ALL, RUNS, Reply
from tests.real_agents.stage import Stage, checkpoint_of, end_by_force, kinds, soon, text_of

pytestmark = [
    pytest.mark.real_agents,
    pytest.mark.parametrize("agent", [pytest.param(agent, id=agent.name) for agent in (*ALL, *RUNS)]),
]

AGENTS = Path(__file__).parents[2] / "requirements" / "agents"
WAITING = 6
SILENT: Reply = {"text": "Let me think.", "hang": 1}
BEFORE = "def a():\n    return 1\n"
CODE = 'python3 -c \'open("made", "w")\''
"""Code in a command is for the person to judge."""
LONG = "touch begun; sleep 300; touch finished"


def say(text: str) -> Reply:
    return {"text": text}


def after(number: int) -> str:
    return BEFORE.replace("1", str(number))


def test_it_is_found_with_its_version(stage: Stage) -> None:
    pins = json.loads((AGENTS / "package.json").read_text())["dependencies"]
    listed = [json.loads(line) for line in stage("agents", "--json").stdout.splitlines()]
    assert [each["version"] for each in listed if each["name"] == stage.agent.name] == [pins[stage.agent.package]]


def test_it_reads_and_edits_and_each_checkpoint_restores_files_and_chat(stage: Stage) -> None:
    looked = stage.turn("look around", stage.agent.look, say("I looked."))
    assert (looked.code, looked.end["stop_reason"]) == (0, "answered"), looked.stderr
    assert text_of(looked) == "I looked."
    assert {"tool_call", "tool_result"} <= set(kinds(looked))
    assert "return 1" in stage.heard()

    edited = stage.turn("make it two", *stage.agent.edit(stage.file, "return 1", "return 2"), say("It is two."))
    assert (edited.code, text_of(edited)) == (WAITING, "It is two."), edited.stderr
    assert "look around" in stage.heard()
    assert stage.file.read_text() == after(2)
    assert (stage.project / "a.py").read_text() == BEFORE
    assert [(change["path"], change["status"]) for change in stage.changes()] == [("a.py", "pending")]

    again = stage.turn("make it three", *stage.agent.edit(stage.file, "return 2", "return 3"), say("It is three."))
    assert (again.code, stage.file.read_text()) == (WAITING, after(3)), again.stderr

    restored = json.loads(stage("restore", checkpoint_of(again), "--yes", "--json").stdout.splitlines()[-1])
    assert (restored["worktree_reset"], restored["backend_reset"]) == (True, True)
    assert stage.file.read_text() == after(2)
    assert "It is three." not in json.dumps(stage.messages())

    afresh = stage.turn("what now?", say("Nothing."))
    assert text_of(afresh) == "Nothing.", afresh.stderr
    assert "make it three" not in stage.heard()

    assert stage("restore", checkpoint_of(edited), "--yes").code == 0
    assert stage.file.read_text() == BEFORE
    assert [message["role"] for message in stage.messages()] == ["user", "assistant", "user"]


def test_without_a_yes_a_command_is_denied_and_the_chat_goes_on(stage: Stage) -> None:
    denied = stage.turn("run it", stage.agent.run(CODE), say("I was not allowed."))
    assert denied.end["stop_reason"] in {"answered", "empty_reply"}
    assert ("I was not allowed." in text_of(denied)) == stage.agent.says_after_denial
    assert not (stage.tree / "made").exists()
    assert any(frame["type"] == "tool_result" and frame.get("failure") for frame in denied.frames)

    went_on = stage.turn("and now?", say("I am still here."))
    assert (went_on.code, text_of(went_on)) == (0, "I am still here."), went_on.stderr
    assert "run it" in stage.heard()


def test_with_a_yes_a_command_runs_if_the_agent_can_ask(stage: Stage) -> None:
    done = stage.turn("run it", stage.agent.run(CODE), say("Done."), yes=True)
    assert text_of(done) == "Done.", done.stderr
    assert (stage.tree / "made").exists() == stage.agent.asks
    assert done.code == (WAITING if stage.agent.asks else 0)


def test_a_file_outside_its_work_tree_is_not_edited_even_with_a_yes(stage: Stage) -> None:
    outside = stage.project / "a.py"
    done = stage.turn("edit", *stage.agent.edit(outside, "return 1", "return 2"), say("I tried."), yes=True)
    assert done.end["stop_reason"] in {"answered", "empty_reply"}, done.stderr
    assert outside.read_text() == BEFORE
    assert any(frame["type"] == "tool_result" and frame.get("failure") for frame in done.frames)


def test_an_abort_while_the_model_is_silent_leaves_a_chat_that_goes_on(stage: Stage) -> None:
    turn = stage.begin("look around", stage.agent.look, SILENT)
    turn.until("tool_result")
    aborted = turn.interrupt()
    assert (aborted.code, aborted.end["stop_reason"]) == (130, "aborted"), aborted.stderr
    assert stage.processes() == {}
    assert "streaming" not in {message["status"] for message in stage.messages()}

    went_on = stage.turn("and now?", say("I am still here."))
    assert (went_on.code, text_of(went_on)) == (0, "I am still here."), went_on.stderr


def test_an_abort_ends_the_command_that_runs(stage: Stage) -> None:
    turn = stage.begin("run it", stage.agent.run(LONG), say("Done."), yes=True)
    turn.until("tool_call")
    assert soon((stage.tree / "begun").exists)
    assert any("sleep 300" in command for command in stage.processes().values())
    aborted = turn.interrupt()
    assert aborted.code == 130, aborted.stderr
    assert stage.processes() == {}
    assert not (stage.tree / "finished").exists()


def test_an_agent_that_is_killed_is_told_and_starts_again(stage: Stage) -> None:
    turn = stage.begin("look around", stage.agent.look, SILENT)
    turn.until("tool_result")
    end_by_force(list(stage.processes()))
    failed = turn.finish()
    assert (failed.code, failed.end["stop_reason"]) == (5, "model_error")
    assert stage.agent.command in failed.end["explanation"]

    went_on = stage.turn("and now?", say("I am still here."))
    assert (went_on.code, text_of(went_on)) == (0, "I am still here."), went_on.stderr


def test_no_process_survives_a_mulligan_that_is_killed(stage: Stage) -> None:
    turn = stage.begin("run it", stage.agent.run(LONG), say("Done."), yes=True)
    turn.until("tool_call")
    assert soon((stage.tree / "begun").exists)
    turn.process.kill()
    turn.finish()
    assert soon(lambda: stage.processes() == {})

    went_on = stage.turn("and now?", say("I am still here."))
    assert text_of(went_on) == "I am still here.", went_on.stderr
