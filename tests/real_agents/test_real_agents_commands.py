"""What the real agents may do through `mulligan delegate`, and that the commands they run end with them."""

import json
from typing import Any

import pytest

from mulligan.types.turns import WAITING
from tests.real_agents.real_agent import ALL, GOOSE_RUN, OPENCODE, OPENCODE_ACP, QWEN_RUN, played_by, say
from tests.real_agents.stage import BEFORE, Stage, soon, text_of

pytestmark = pytest.mark.real_agents

CODE = 'python3 -c \'open("made", "w")\''
"""Code in a command is for the user to judge."""
LONG = "touch begun; sleep 300; touch finished"


@played_by(*ALL)
def test_without_a_yes_a_command_is_denied_and_the_chat_goes_on(stage: Stage) -> None:
    denied = stage.turn("run it", stage.agent.run(CODE), say("I was not allowed."))
    assert denied.end["stop_reason"] in {"answered", "empty_reply"}
    assert ("I was not allowed." in text_of(denied)) == stage.agent.says_after_denial
    assert not (stage.tree / "made").exists()
    assert any(frame["type"] == "tool_result" and frame.get("failure") for frame in denied.frames)

    went_on = stage.turn("and now?", say("I am still here."))
    assert (went_on.code, text_of(went_on)) == (0, "I am still here."), went_on.stderr
    assert "run it" in stage.heard()


@played_by(*ALL)
def test_with_a_yes_a_command_runs_if_the_agent_can_ask(stage: Stage) -> None:
    done = stage.turn("run it", stage.agent.run(CODE), say("Done."), yes=True)
    assert text_of(done) == "Done.", done.stderr
    assert (stage.tree / "made").exists() == stage.agent.asks
    assert done.code == (WAITING if stage.agent.asks else 0)


@played_by(*ALL)
def test_a_file_outside_its_work_tree_is_not_edited_even_with_a_yes(stage: Stage) -> None:
    outside = stage.project / "a.py"
    done = stage.turn("edit", *stage.agent.edit(outside, "return 1", "return 2"), say("I tried."), yes=True)
    assert done.end["stop_reason"] in {"answered", "empty_reply"}, done.stderr
    assert outside.read_text() == BEFORE
    assert any(frame["type"] == "tool_result" and frame.get("failure") for frame in done.frames)


@played_by(GOOSE_RUN, QWEN_RUN)
def test_where_nobody_is_asked_what_was_edited_in_the_checkout_is_told(stage: Stage) -> None:
    outside = stage.project / "a.py"
    done = stage.turn("edit", *stage.agent.edit(outside, "return 1", "return 2"), say("I did it."))
    assert outside.read_text() == BEFORE.replace("1", "2")
    (raised,) = [frame["message"]["metadata"] for frame in done.frames if frame["type"] == "sentinel"]
    assert (raised["kind"], raised["paths"]) == ("outside_writes", ["a.py"])


@played_by(*ALL)
def test_an_abort_ends_the_command_that_runs(stage: Stage) -> None:
    turn = stage.begin("run it", stage.agent.run(LONG), say("Done."), yes=True)
    turn.until("tool_call")
    assert soon((stage.tree / "begun").exists)
    assert any("sleep 300" in command for command in stage.processes().values())
    aborted = turn.interrupt()
    assert aborted.code == 130, aborted.stderr
    assert stage.processes() == {}
    assert not (stage.tree / "finished").exists()


@played_by(*ALL)
def test_no_process_survives_a_mulligan_that_is_killed(stage: Stage) -> None:
    turn = stage.begin("run it", stage.agent.run(LONG), say("Done."), yes=True)
    turn.until("tool_call")
    assert soon((stage.tree / "begun").exists)
    turn.process.kill()
    turn.finish()
    assert soon(lambda: stage.processes() == {})

    went_on = stage.turn("and now?", say("I am still here."))
    assert text_of(went_on) == "I am still here.", went_on.stderr


@played_by(OPENCODE, OPENCODE_ACP)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"permission": {"bash": "allow"}}, id="by a rule"),
        pytest.param({"permission": {"bash": "allow", "*": "allow"}}, id="by a rule that comes last"),
        pytest.param({"agent": {"build": {"permission": {"bash": "allow"}}}}, id="for the agent"),
        pytest.param(
            {"default_agent": "free", "agent": {"free": {"mode": "primary", "permission": {"*": "allow"}}}},
            id="for an agent of its own",
        ),
    ],
)
def test_a_repository_can_t_allow_what_is_to_be_asked(stage: Stage, settings: dict[str, Any]) -> None:
    (stage.project / "opencode.json").write_text(json.dumps(settings))
    done = stage.turn("run it", stage.agent.run(CODE), say("I tried."))
    assert done.end["stop_reason"] in {"answered", "empty_reply"}, done.stderr
    assert (stage.tree / "opencode.json").exists()
    assert not (stage.tree / "made").exists()
