"""The real agents through `mulligan delegate`, one story each."""

import json

import pytest

from mulligan.types.turns import WAITING
from tests.real_agents.real_agent import AGENTS, ALL, RUNS, Reply, played_by, say
from tests.real_agents.stage import BEFORE, Stage, checkpoint_of, end_by_force, kinds, text_of

pytestmark = [pytest.mark.real_agents, played_by(*ALL, *RUNS)]

SILENT: Reply = {"text": "Let me think.", "hang": 1}


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


def test_an_abort_while_the_model_is_silent_leaves_a_chat_that_goes_on(stage: Stage) -> None:
    turn = stage.begin("look around", stage.agent.look, SILENT)
    turn.until("tool_result")
    aborted = turn.interrupt()
    assert (aborted.code, aborted.end["stop_reason"]) == (130, "aborted"), aborted.stderr
    assert stage.processes() == {}
    assert "streaming" not in {message["status"] for message in stage.messages()}

    went_on = stage.turn("and now?", say("I am still here."))
    assert (went_on.code, text_of(went_on)) == (0, "I am still here."), went_on.stderr


def test_an_agent_that_is_killed_is_told_and_starts_again(stage: Stage) -> None:
    turn = stage.begin("look around", stage.agent.look, SILENT)
    turn.until("tool_result")
    end_by_force(list(stage.processes()))
    failed = turn.finish()
    assert (failed.code, failed.end["stop_reason"]) == (5, "model_error")
    assert stage.agent.command in failed.end["explanation"]

    went_on = stage.turn("and now?", say("I am still here."))
    assert (went_on.code, text_of(went_on)) == (0, "I am still here."), went_on.stderr
