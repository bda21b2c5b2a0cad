from typing import Any

import pytest
from acp.schema import PermissionOption

from mulligan.backends.acp.permissions import answer, as_request
from mulligan.backends.acp.updates import CONTENT_LIMIT, SeenCall, UpdateReader
from mulligan.types.agents import AgentEvent, AgentText, AgentToolCall, AgentToolUpdate, PermissionRequest

Update = dict[str, Any]


def words(text: str) -> Update:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def call(**fields: Any) -> Update:
    return {"sessionUpdate": "tool_call", "toolCallId": "1", **fields}


def progress(**fields: Any) -> Update:
    return {"sessionUpdate": "tool_call_update", "toolCallId": "1", **fields}


def output(text: str) -> list[Update]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def read(*updates: Update, reader: UpdateReader | None = None) -> list[AgentEvent]:
    reader = reader or UpdateReader("s")
    return [event for update in updates for event in reader.read({"sessionId": "s", "update": update})]


CALLED = AgentToolCall("1", "Edit", {"path": "a"})


@pytest.mark.parametrize(
    ("updates", "events"),
    [
        pytest.param([call(title="Edit", rawInput={"path": "a"})], [CALLED], id="a call"),
        pytest.param(
            [call(title="edit"), progress(title="Edit", rawInput={"path": "a"}, status="in_progress")],
            [CALLED],
            id="a call whose arguments follow",
        ),
        pytest.param(
            [call(title="Edit"), words("so")],
            [AgentToolCall("1", "Edit", {}), AgentText("so")],
            id="a call whose arguments never come",
        ),
        pytest.param(
            [call(title="Edit", rawInput={"path": "a"}), call(title="Edit", rawInput={"path": "a"})],
            [CALLED],
            id="a call that is told twice",
        ),
        pytest.param(
            [call(title="Edit", rawInput="a.txt")], [AgentToolCall("1", "Edit", {"input": "a.txt"})], id="a text for it"
        ),
        pytest.param(
            [call(title="Edit", rawInput={"path": "a"}, status="completed", content=output("ok"))],
            [CALLED, AgentToolUpdate("1", "completed", "ok")],
            id="a call that is done at once",
        ),
        pytest.param(
            [progress(status="completed", content=output("ok"))],
            [AgentToolUpdate("1", "completed", "ok")],
            id="an update without a call",
        ),
        pytest.param(
            [progress(title="Edit", status="failed")],
            [AgentToolCall("1", "Edit", {}), AgentToolUpdate("1", "failed")],
            id="an update without a call that has a title",
        ),
        pytest.param([progress()], [], id="an update that tells nothing"),
        pytest.param([progress(content=output("10 %"))], [AgentToolUpdate("1", "running", "10 %")], id="on its way"),
        pytest.param(
            [progress(status="completed"), progress(status="completed", content=output("again"))],
            [AgentToolUpdate("1", "completed")],
            id="an end that is told twice",
        ),
        pytest.param(
            [progress(status="exploded", kind="dance", content=[7, *output("x")])],
            [AgentToolUpdate("1", "running", "x")],
            id="with fields that can not be read",
        ),
        pytest.param(
            [progress(status="completed", rawOutput={"output": "raw", "metadata": 1})],
            [AgentToolUpdate("1", "completed", "raw")],
            id="with raw output only",
        ),
        pytest.param(
            [progress(status="completed", rawOutput={"matches": 3})],
            [AgentToolUpdate("1", "completed", '{"matches": 3}')],
            id="with raw output of a shape of its own",
        ),
        pytest.param(
            [{"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "name": "a", "uri": "f:a"}}],
            [AgentText("a (f:a)")],
            id="a link",
        ),
        pytest.param(
            [
                {
                    "sessionUpdate": "agent_message_chunk",
                    "content": {"type": "image", "data": "", "mimeType": "image/png"},
                }
            ],
            [],
            id="a picture",
        ),
        pytest.param(
            [{"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "x"}}], [], id="our own words"
        ),
    ],
)
def test_updates_become_events(updates: list[Update], events: list[AgentEvent]) -> None:
    assert read(*updates) == events


def test_what_can_not_be_read_is_counted() -> None:
    reader = UpdateReader("s")

    assert read({"sessionUpdate": "dance"}, {"sessionUpdate": "agent_message_chunk"}, {}, reader=reader) == []
    assert reader.unknown == 3


def test_calls_of_aborted_turns_are_nobodys_business() -> None:
    assert read(progress(title="Edit", status="failed"), reader=UpdateReader("s", stale={"1"})) == []


def test_calls_that_are_open_are_closed_once() -> None:
    reader = UpdateReader("s")
    read(call(title="Edit"), reader=reader)

    assert reader.close("failed") == [AgentToolCall("1", "Edit", {}), AgentToolUpdate("1", "failed")]
    assert reader.close("failed") == []


def test_output_without_end_is_cut() -> None:
    (update,) = read(progress(content=output("x" * (CONTENT_LIMIT + 5))))

    assert isinstance(update, AgentToolUpdate)
    assert update.content == "x" * CONTENT_LIMIT + "\n… 5 more characters"


@pytest.mark.parametrize(
    ("seen", "request_made"),
    [
        pytest.param(
            SeenCall("1", "Run", "execute", {"command": "make test"}),
            PermissionRequest("Run", "execute", "make test", ()),
            id="a command",
        ),
        pytest.param(
            SeenCall("1", "Run", "execute", {"command": ["bash", "-lc", "make test"]}),
            PermissionRequest("Run", "execute", "bash -lc 'make test'", ()),
            id="a command in words",
        ),
        pytest.param(
            SeenCall("1", "Edit", "edit", {"filePath": "b"}, paths=("a", "b")),
            PermissionRequest("Edit", "edit", None, ("a", "b")),
            id="files",
        ),
        pytest.param(SeenCall("1", kind="fetch"), PermissionRequest("fetch", "fetch", None, ()), id="only a kind"),
        pytest.param(SeenCall("1", arguments=[7]), PermissionRequest("a tool", "", None, ()), id="nothing"),
    ],
)
def test_a_question_is_made_of_what_is_known(seen: SeenCall, request_made: PermissionRequest) -> None:
    assert as_request(seen) == request_made


def test_files_of_a_change_are_part_of_the_question() -> None:
    reader = UpdateReader("s")
    change = {"type": "diff", "path": "b", "oldText": "", "newText": "x"}
    read(call(title="Edit", locations=[{"path": "a"}], content=[change]), reader=reader)

    assert as_request(reader.calls["1"]).paths == ("a", "b")


def test_a_withdrawn_question_is_cancelled() -> None:
    options = [PermissionOption(option_id="n", name="No", kind="reject_once")]

    assert answer(options, allowed=None).outcome.outcome == "cancelled"
