"""Frames as an editor sees them."""

from pathlib import Path
from typing import Any

import pytest

from mulligan.acp.history import replay
from mulligan.acp.run_updates import RunUpdates
from mulligan.acp.updates import TurnUpdates, Update
from mulligan.types.changes import ChangeStatus, FileState, PendingChange
from mulligan.types.fixing import FailureHistory, Plan, PlanStep, Spent
from mulligan.types.frames import (
    ChangeMade,
    CheckpointTaken,
    ContextUsed,
    Frame,
    MessageComplete,
    ReasoningStreamed,
    ReplyRetried,
    SentinelRaised,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
    TurnEnd,
)
from mulligan.types.messages import Message, StepStart, Text, TurnMeta, UserMeta
from mulligan.types.model_io import Usage
from mulligan.types.run_frames import CheckEnded, CheckStarted, NodeEntered, PlanMade, RunEnd
from mulligan.types.sentinels import Aborted, DoomLoop, ModelFailed, Sentinel
from mulligan.types.turns import TurnWork

PROJECT = Path("/project")


def shown(updates: list[Update]) -> list[dict[str, Any]]:
    return [update.model_dump(mode="json", by_alias=True, exclude_none=True) for update in updates]


def said(text: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def message(sentinel: Sentinel) -> Message:
    return Message(
        id="s", chat_id="c", seq=3, role="system", status="complete", metadata=sentinel, step=1, created_at=0.0
    )


def raised(sentinel: Sentinel) -> SentinelRaised:
    return SentinelRaised(message=message(sentinel), text=sentinel.text)


def end(**fields: Any) -> TurnEnd:
    ended = TurnEnd(
        chat_id="c", message_id="m", stop_reason="answered", explanation="", steps=1, usage=Usage(), repairs={},
        duration_ms=1,
    )  # fmt: skip
    return ended.model_copy(update=fields)


LOOPED = DoomLoop(tools=("grep",), cycle=1, count=3)


@pytest.mark.parametrize(
    ("frame", "update"),
    [
        pytest.param(TextStreamed(message_id="m", text="Hi"), said("Hi"), id="text"),
        pytest.param(
            ReasoningStreamed(message_id="m", text="Hm"),
            {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "Hm"}},
            id="thinking",
        ),
        pytest.param(
            ContextUsed(message_id="m", tokens=900, length=4096),
            {"sessionUpdate": "usage_update", "used": 900, "size": 4096},
            id="the context",
        ),
        pytest.param(raised(LOOPED), said(f"> {LOOPED.text} To continue: /continue\n\n"), id="a guard"),
        pytest.param(
            StepStarted(message_id="m", step=2, wrap_up=True),
            said("> Not checked: the model's summary after it was stopped.\n\n"),
            id="last words",
        ),
        pytest.param(
            CheckpointTaken(message_id="m", problem="no git"),
            said("> no checkpoint, the turn continues without one: no git\n\n"),
            id="no checkpoint",
        ),
        pytest.param(
            ReplyRetried(message_id="m", step=1, attempt=1, attempts=3, delay=0, reason="cut off"),
            said("> attempt 1 of 3 failed, asking again: cut off\n\n"),
            id="asked again",
        ),
        pytest.param(
            end(question="Which?", options=("red", "blue")), said("> Which?\n> 1. red\n> 2. blue\n\n"), id="a question"
        ),
        pytest.param(end(work=TurnWork(text="Changed a.py.")), said("> Changed a.py.\n\n"), id="what was done"),
        pytest.param(
            end(unapplied=("a.py",)), said("> Not done: the last edit of a.py was refused.\n\n"), id="what was not done"
        ),
    ],
)
def test_what_a_frame_is_to_an_editor(frame: Frame, update: dict[str, Any]) -> None:
    assert shown(TurnUpdates(PROJECT).of(frame)) == [update]


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(MessageComplete(message_id="m", status="complete"), id="a message that ends"),
        pytest.param(CheckpointTaken(message_id="m", checkpoint_id="c"), id="a checkpoint"),
        pytest.param(ContextUsed(message_id="m", tokens=900), id="a context of unknown length"),
        pytest.param(raised(ModelFailed(error="gone")), id="a failure, which the answer tells"),
        pytest.param(raised(Aborted()), id="an abort, which the answer tells"),
        pytest.param(end(), id="a turn that ends well"),
    ],
)
def test_what_an_editor_is_not_told(frame: Frame) -> None:
    assert TurnUpdates(PROJECT).of(frame) == []


def test_a_note_stands_apart_from_the_models_words() -> None:
    updates = TurnUpdates(PROJECT)
    updates.of(TextStreamed(message_id="m", text="I look"))

    assert shown(updates.of(raised(LOOPED)))[0]["content"]["text"].startswith("\n\n> The model")
    assert shown(updates.of(raised(LOOPED)))[0]["content"]["text"].startswith("> The model")


def called(name: str, call_id: str = "1", **arguments: Any) -> ToolCalled:
    return ToolCalled(message_id="m", call_id=call_id, name=name, arguments=arguments)


def changed(status: ChangeStatus = "pending", path: str = "a.py") -> tuple[ChangeMade, PendingChange]:
    images = FileState(b"one\n"), FileState(b"two\n")
    change = PendingChange("x", "/project", 1, "c", "m", path, status, *images, created_at=0, updated_at=0)
    return ChangeMade(change_id="x", path=path, kind="edit", status=status, added=1, removed=1), change


DIFF = {"type": "diff", "path": "/project/a.py", "oldText": "one\n", "newText": "two\n"}


def test_a_change_is_a_diff_of_the_call_that_made_it() -> None:
    updates = TurnUpdates(PROJECT)
    updates.of(called("view_file", "1", path="b.py"))
    updates.of(called("edit_file", "2", path="a.py", old="one", new="two"))

    (made,) = shown(updates.of(*changed()))
    (done,) = shown(updates.of(ToolReturned(message_id="m", call_id="2", name="edit_file", content="Staged.")))

    assert (made["toolCallId"], made["content"], made["locations"]) == ("2", [DIFF], [{"path": "/project/a.py"}])
    assert (done["toolCallId"], done["status"], done["content"]) == ("2", "completed", [DIFF])


def test_a_change_by_a_command_is_a_diff_of_the_command() -> None:
    updates = TurnUpdates(PROJECT)
    updates.of(called("run_command", command="sed -i s/one/two/ a.py"))

    assert shown(updates.of(*changed()))[0]["toolCallId"] == "1"


def test_a_change_of_no_call_stands_alone() -> None:
    (update,) = shown(TurnUpdates(PROJECT).of(*changed()))

    assert (update["toolCallId"], update["status"], update["content"]) == ("change-x", "completed", [DIFF])


def test_a_refused_edit_shows_why_and_no_diff() -> None:
    updates = TurnUpdates(PROJECT)
    updates.of(called("edit_file", path="a.py"))
    refused = ToolReturned(message_id="m", call_id="1", name="edit_file", content="Not found.", failure="exec_error")

    (update,) = shown(updates.of(refused))

    assert update["status"] == "failed"
    assert update["content"] == [{"type": "content", "content": {"type": "text", "text": "Not found."}}]


def test_a_long_result_is_cut() -> None:
    (update,) = shown(
        TurnUpdates(PROJECT).of(ToolReturned(message_id="m", call_id="1", name="x", content="a" * 30_000))
    )

    assert update["content"][0]["content"]["text"].endswith("\n… 10,000 more characters")


def test_a_call_names_its_line_and_its_repairs() -> None:
    repaired = called("view_file", path="a.py", start_line=7).model_copy(update={"repairs": ("quotes",)})

    (update,) = shown(TurnUpdates(PROJECT).of(repaired))

    assert (update["kind"], update["status"]) == ("read", "in_progress")
    assert update["title"] == "view_file a.py 7 (repaired: quotes)"
    assert update["locations"] == [{"path": "/project/a.py", "line": 7}]


def entries(updates: list[Update]) -> list[tuple[str, str]]:
    (plan,) = [each for each in shown(updates) if each["sessionUpdate"] == "plan"]
    return [(entry["content"], entry["status"]) for entry in plan["entries"]]


def test_the_stages_of_a_fix_run_are_a_plan() -> None:
    run = RunUpdates(PROJECT)
    plan = Plan(
        next="coder",
        plan=(PlanStep(step="return 2", failure=""), PlanStep(step="test it", failure="")),
        reason="it returns 1",
    )

    at_first = entries(run.of(NodeEntered(run_id="r", node="baseline", attempt=0, attempts=0)))
    run.of(PlanMade(run_id="r", plan=plan))
    coding = entries(run.of(NodeEntered(run_id="r", node="coder", attempt=1, attempts=0)))
    again = entries(run.of(NodeEntered(run_id="r", node="planner", attempt=1, attempts=1)))

    assert [status for _, status in at_first] == ["in_progress", "pending", "pending", "pending"]
    assert coding[1:] == [
        ("Decide what to change, and for which failure", "completed"),
        ("return 2", "in_progress"),
        ("test it", "in_progress"),
        ("Run the project's commands again", "pending"),
    ]
    assert again[2] == ("Change files in a work tree", "pending")


@pytest.mark.parametrize(
    ("purpose", "passed", "status"),
    [("verify", True, "completed"), ("verify", False, "failed"), ("candidate", False, "completed")],
)
def test_a_command_that_judges_is_a_tool_call(purpose: Any, passed: bool, status: str) -> None:
    run = RunUpdates(PROJECT)
    started = shown(run.of(CheckStarted(run_id="r", purpose=purpose, command="pytest")))
    ended = CheckEnded(
        run_id="r", purpose=purpose, command="pytest", exit_code=1, timed_out=False, seconds=1, passed=passed,
        kind=None, summary="one fails",
    )  # fmt: skip

    (update,) = shown(run.of(ended))

    assert (started[0]["kind"], started[0]["rawInput"]) == ("execute", {"command": "pytest"})
    assert (update["toolCallId"], update["status"]) == (started[0]["toolCallId"], status)


def test_the_verdict_of_a_run_is_said_with_its_evidence() -> None:
    ended = RunEnd(
        run_id="r", verdict="failed", reason="gave_up", explanation="No way.", failure_history=FailureHistory(),
        done=False, files=(), pending=0, applied=0, report="report.md", spent=Spent(), seconds=2,
    )  # fmt: skip

    plan, words = shown(RunUpdates(PROJECT).of(ended))

    assert {entry["status"] for entry in plan["entries"]} == {"completed"}
    assert words["content"]["text"].startswith("> failed: No way.\n")


def test_a_stored_chat_is_replayed_with_its_sentinels_in_their_places() -> None:
    prompt = Message(
        id="u", chat_id="c", seq=1, role="user", status="complete", metadata=UserMeta(), parts=(Text(text="Where?"),),
        created_at=0,
    )  # fmt: skip
    turn = Message(
        id="m", chat_id="c", seq=2, role="assistant", status="complete", metadata=TurnMeta(agent="default", model="m"),
        parts=(StepStart(step=1), Text(text="I look."), StepStart(step=2), Text(text="Here.")), created_at=0,
    )  # fmt: skip
    go_on = prompt.model_copy(update={"id": "u2", "seq": 4, "metadata": UserMeta(continues=True)})

    updates = shown(list(replay([prompt, turn, message(LOOPED), go_on], PROJECT)))

    texts = [each["content"]["text"] for each in updates]
    assert texts == ["Where?", "I look.\n\n", f"> {LOOPED.text} To continue: /continue\n\n", "Here.\n\n"]
