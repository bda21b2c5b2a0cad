"""Turns in an editor: what it shows, what it is asked, and what becomes of the files."""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError
from acp.helpers import embedded_text_resource, image_block, resource_block, resource_link_block
from acp.schema import McpServerStdio, SseMcpServer

from tests.acp.conftest import EDIT, Harness, call
from tests.acp.editor import NOTHING, TERMINAL, Editor
from tests.mcp_client.conftest import LITTLE
from tests.sample_images import png


async def test_an_answer_streams_with_thinking_and_calls(harness: Harness) -> None:
    look = {"reasoning": "I look.", **call("view_file", path="a.py", start_line=2)}
    async with harness.talk(look, {"text": "It returns 1."}) as (talk, _):
        assert await talk.say("what does it return?") == "end_turn"

    (seen,) = talk.editor.calls().values()
    assert (seen["kind"], seen["status"], seen["title"]) == ("read", "completed", "view_file a.py 2")
    assert seen["locations"] == [{"path": str(harness.file), "line": 2}]
    assert "2:     return 1" in seen["content"][0]["content"]["text"]
    assert [each["content"]["text"] for each in talk.editor.of("agent_thought_chunk")] == ["I look."]
    assert talk.editor.said == "It returns 1."
    assert talk.editor.of("session_info_update")[0]["title"] == "what does it return?"


async def test_mentions_are_read_and_given_to_the_model(harness: Harness) -> None:
    link = resource_link_block("a.py", f"{harness.file.as_uri()}#L2:2")
    note = resource_block(embedded_text_resource("untitled:1", "the note"))
    async with harness.talk({"text": "Yes."}) as (talk, server):
        await talk.say("is ", link, " as ", note, " says?")
        sent = server.requests()[-1]["body"]["messages"][-1]["content"]

    assert "is @a.py:2 as untitled:1 says?" in sent
    assert "@a.py:2 in the message below is a.py (lines 2-2 of 2)\n2:     return 1" in sent
    assert "untitled:1:\n```\nthe note\n```" in sent

    async with harness.talk() as (later, _):
        later.editor.updates.clear()
        await later.agent.load_session(str(harness.folder), talk.session)
    (said,) = later.editor.of("user_message_chunk")
    assert said["content"]["text"] == "is @a.py:2 as untitled:1 says?"


async def test_what_is_outside_the_project_is_named_and_not_read(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    link = resource_link_block("secret.txt", (tmp_path / "secret.txt").as_uri())
    async with harness.talk({"text": "No."}) as (talk, server):
        await talk.say("what is in ", link)
        sent = server.requests()[-1]["body"]["messages"][-1]["content"]

    assert "outside the project" in sent
    assert "the secret" not in sent


async def test_an_image_is_sent_to_a_model_that_takes_them_and_shown_again_when_the_chat_is_loaded(
    harness: Harness,
) -> None:
    data = base64.b64encode(png()).decode()
    async with harness.talk({"text": "Red."}, style={"kind": "llama.cpp", "images": True}) as (talk, server):
        await talk.say("what is this?", image_block(data, "image/png", uri="file:///tmp/shot.png"))
        image, text = server.requests()[-1]["body"]["messages"][-1]["content"]
        told = len(talk.editor.updates)
        await talk.agent.load_session(str(harness.folder), session_id=talk.session, mcp_servers=[])
        shown = [
            each["content"] for each in talk.editor.updates[told:] if each["sessionUpdate"] == "user_message_chunk"
        ]
        known = await talk.agent.initialize(1)

    assert image["image_url"]["url"] == f"data:image/png;base64,{data}"
    assert text["text"].startswith("shot.png is an image that comes with this message (image, 4 x 3, PNG")
    assert shown[-1] == {"type": "image", "data": data, "mimeType": "image/png"}
    # From now on it is known, so the editor offers images.
    assert known.agent_capabilities
    assert known.agent_capabilities.prompt_capabilities
    assert known.agent_capabilities.prompt_capabilities.image


@pytest.mark.parametrize(
    ("data", "style", "words"),
    [
        pytest.param(png(), {"kind": "llama.cpp", "images": False}, "does not take images", id="a blind model"),
        pytest.param(b"AAAA", {"kind": "llama.cpp", "images": True}, "is no image that models take", id="no image"),
    ],
)
async def test_an_image_that_can_not_be_sent_is_refused_with_words(
    harness: Harness, data: bytes, style: dict[str, Any], words: str
) -> None:
    async with harness.talk(style=style) as (talk, server):
        with pytest.raises(RequestError, match=words):
            await talk.say("what is this?", image_block(base64.b64encode(data).decode(), "image/png"))
        assert server.requests() == []


async def test_the_editors_mcp_servers_are_used_and_asked_about(harness: Harness) -> None:
    server = McpServerStdio(name="my tracker", command=sys.executable, args=[str(LITTLE), "tracker"], env=[])
    use = call("use_tool", tool="create_issue", arguments={"title": "broken"})
    async with harness.talk(use, {"text": "Done."}, servers=[server]) as (talk, model):
        await talk.say("file it")
        results = [each for each in model.requests()[-1]["body"]["messages"] if each["role"] == "tool"]

    assert len(talk.editor.asked) == 1
    assert "created issue 'broken'" in results[-1]["content"]


def declare_tracker(harness: Harness, *words: str) -> None:
    command = {"command": sys.executable, "args": [str(LITTLE), *words]}
    (harness.folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"tracker": command}}))


@pytest.mark.parametrize("forwarded", [True, False], ids=["forwarded", "only declared"])
async def test_a_projects_mcp_server_needs_trust_in_the_editor_also_if_it_forwards_it(
    harness: Harness, forwarded: bool
) -> None:
    declare_tracker(harness, "${THEME:-tracker}")
    server = McpServerStdio(name="passed on", command=sys.executable, args=[str(LITTLE), "tracker"], env=[])
    servers = [server] if forwarded else []
    refusing = Editor(answers=["reject_once"])
    async with harness.talk({"text": "No."}, {"text": "No."}, servers=servers, editor=refusing) as (talk, model):
        await talk.say("file it")
        await talk.say("and now?")
        offered = [tool["function"]["name"] for tool in model.requests()[-1]["body"]["tools"]]
    assert [asked.title for asked in refusing.asked] == ["start the MCP server tracker of this project?"]
    assert refusing.offered == [["In this session", "Always, as it is now", "Don't start it"]]
    assert "find_tools" not in offered
    assert "MCP servers of this project that you have not trusted are not started: tracker" in refusing.said

    use = call("use_tool", tool="create_issue", arguments={"title": "broken"})
    once = Editor(answers=["allow_once"])
    async with harness.talk(use, {"text": "Done."}, servers=servers, editor=once) as (talk, model):
        await talk.say("file it")
        results = [each for each in model.requests()[-1]["body"]["messages"] if each["role"] == "tool"]
    assert "created issue 'broken'" in results[-1]["content"]
    assert len(once.asked) == 2  # the server, then the call

    always = Editor(answers=["allow_always", "allow_once"])
    async with harness.talk({"text": "Yes."}, servers=servers, editor=always) as (talk, _):
        await talk.say("is it there?")
    assert len(always.asked) == 1
    trusting = Editor()
    async with harness.talk({"text": "Yes."}, servers=servers, editor=trusting) as (talk, _):
        await talk.say("is it there?")
    assert trusting.asked == []


async def test_an_editors_server_with_the_name_of_the_projects_needs_trust_too(harness: Harness) -> None:
    declare_tracker(harness, "other")
    server = McpServerStdio(name="tracker", command=sys.executable, args=[str(LITTLE), "tracker"], env=[])
    editor = Editor(answers=["reject_once"])
    async with harness.talk({"text": "No."}, servers=[server], editor=editor) as (talk, _):
        await talk.say("file it")
    assert [asked.title for asked in editor.asked] == ["start the MCP server tracker of this project?"]


async def test_a_server_of_the_editor_that_speaks_sse_is_told_of(harness: Harness) -> None:
    server = SseMcpServer(type="sse", name="old", url="http://127.0.0.1:9/sse", headers=[])
    async with harness.talk({"text": "Yes."}, servers=[server]) as (talk, _):
        await talk.say("is it there?")

    assert "the MCP server old can't be used: it speaks SSE" in talk.editor.said


async def test_a_change_is_shown_as_a_diff_and_written_by_the_editor_after_a_yes(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit") as (talk, _):
        assert await talk.say("let it return 2") == "end_turn"

    edited = next(each for each in talk.editor.calls().values() if each["title"].startswith("edit_file"))
    assert (edited["kind"], edited["status"]) == ("edit", "completed")
    diff = {"type": "diff", "path": str(harness.file), "oldText": "def a():\n    return 1\n"}
    assert edited["content"] == [{**diff, "newText": "def a():\n    return 2\n"}]
    (asked,) = talk.editor.asked
    assert asked.title == "edit a.py +1 -1"
    assert talk.editor.offered == [["Apply", "Reject"]]
    assert talk.editor.written == {harness.file: "def a():\n    return 2\n"}
    assert talk.editor.calls()[asked.tool_call_id]["status"] == "completed"


async def test_without_the_editors_files_the_disk_is_written(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit", offers=NOTHING) as (talk, _):
        await talk.say("let it return 2")

    assert talk.editor.written == {}
    assert harness.file.read_text() == "def a():\n    return 2\n"


async def test_a_rejected_change_leaves_the_file_alone(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit", editor=Editor(["reject_once"])) as (talk, _):
        await talk.say("let it return 2")
        await talk.say("/changes")

    assert harness.file.read_text() == "def a():\n    return 1\n"
    assert "No change is pending." in talk.editor.said


async def test_a_change_that_nobody_answered_for_stays_pending_until_it_is_applied(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit", editor=Editor([None])) as (talk, _):
        await talk.say("let it return 2")
        assert harness.file.read_text() == "def a():\n    return 1\n"
        assert "1 change is pending: /apply, /reject or /changes" in talk.editor.said
        await talk.say("/apply")

    assert harness.file.read_text() == "def a():\n    return 2\n"


async def test_one_yes_can_be_for_all_changes_of_a_turn(harness: Harness) -> None:
    new = call("create_file", path="b.py", content="b = 1\n")
    async with harness.talk(EDIT, new, {"text": "Done."}, mode="edit", editor=Editor(["allow_always"])) as (talk, _):
        await talk.say("let it return 2, and add b")

    assert talk.editor.offered == [["Apply", "Apply all", "Reject"]]
    assert (harness.file.read_text(), (harness.folder / "b.py").read_text()) == ("def a():\n    return 2\n", "b = 1\n")


async def test_the_model_sees_and_changes_what_is_not_saved(harness: Harness) -> None:
    typed = "# typed, not saved\ndef a():\n    return 1\n"
    editor = Editor(buffers={harness.file: typed})
    look, find = call("view_file", path="a.py"), call("grep", pattern="not saved")
    async with harness.talk(look, find, EDIT, {"text": "Done."}, mode="edit", editor=editor) as (talk, server):
        await talk.say("let it return 2")
        results = [each["content"] for each in server.requests()[-1]["body"]["messages"] if each["role"] == "tool"]

    assert "1: # typed, not saved" in results[0]
    assert "a.py:1" in results[1]
    assert talk.editor.written == {harness.file: "# typed, not saved\ndef a():\n    return 2\n"}


async def test_a_command_that_is_asked_about_runs_only_after_a_yes(harness: Harness) -> None:
    run = call("run_command", command="curl http://localhost:1")
    async with harness.talk(run, {"text": "It did not run."}, mode="edit", editor=Editor(["reject_once"])) as (
        talk,
        server,
    ):
        await talk.say("fetch it")
        told = server.requests()[-1]["body"]["messages"][-1]["content"]

    (asked,) = talk.editor.asked
    assert (asked.kind, asked.title) == ("execute", "curl http://localhost:1")
    assert talk.editor.calls()[asked.tool_call_id]["status"] == "failed"
    assert "it needs the user's approval and did not get it" in told


async def test_a_command_can_be_allowed_for_good(harness: Harness) -> None:
    run = call("run_command", command="curl -s http://localhost:1")
    replies = (run, {"text": "No answer."}, run, {"text": "No answer."})
    async with harness.talk(*replies, mode="edit", editor=Editor(["allow_always", "reject_once"])) as (talk, _):
        await talk.say("fetch it")
        await talk.say("and again")

    assert talk.editor.offered[0][1] == "Always allow this project's commands the network"
    assert len(talk.editor.asked) == 1


async def test_a_formatter_gets_the_text_also_where_commands_run_in_the_editors_terminal(harness: Harness) -> None:
    harness.home.mkdir()
    formatter = '[[formatters]]\npath = "*.py"\ncommand = "sed s/2/3/"\n'
    (harness.home / "mulligan.toml").write_text(f'sandbox = "none"\n{formatter}')
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit", offers=TERMINAL) as (talk, _):
        await talk.say("let it return 2")

    assert "return 3" in harness.file.read_text()
    assert talk.editor.terminals == []


async def test_without_a_sandbox_commands_run_in_the_editors_terminal(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.home.mkdir()
    (harness.home / "mulligan.toml").write_text('sandbox = "none"\n')
    monkeypatch.setenv("EDITORS_OWN_SECRET", "not for commands")
    command = "echo ran; echo $EDITORS_OWN_SECRET; exit 3"
    run = call("run_command", command=command)
    async with harness.talk(run, {"text": "It ran."}, mode="edit", offers=TERMINAL) as (talk, server):
        await talk.say("run it")
        told = server.requests()[-1]["body"]["messages"][-1]["content"]

    assert "exit code 3" in told
    assert told.rstrip().endswith("ran")
    ran = next(each for each in talk.editor.calls().values() if each["kind"] == "execute")
    assert ran["content"] == [{"type": "terminal", "terminalId": "0"}]
    assert talk.editor.released == ["0"]


async def test_confined_commands_stay_in_the_sandbox(harness: Harness) -> None:
    run = call("run_command", command="echo ran")
    async with harness.talk(run, {"text": "It ran."}, mode="edit", offers=TERMINAL) as (talk, _):
        await talk.say("run it")

    assert talk.editor.terminals == []


async def test_a_guard_that_stops_a_turn_says_so_and_it_can_go_on(harness: Harness) -> None:
    look = call("view_file", path="a.py")
    async with harness.talk(look, look, look, {"text": "I am stuck."}, {"text": "Now I know."}) as (talk, _):
        assert await talk.say("what does it return?") == "end_turn"
        assert (
            "> The model made the same view_file call 3 times — stopped the turn. To continue: /continue"
            in talk.editor.said
        )
        assert await talk.say("/continue") == "end_turn"

    assert talk.editor.said.endswith("Now I know.")


async def test_the_options_of_a_question_can_be_answered_by_number(harness: Harness) -> None:
    ask = call("ask_user", question="Which one?", options=["red", "blue"])
    async with harness.talk(ask, {"text": "Blue it is."}) as (talk, server):
        await talk.say("paint it")
        assert "> Which one?\n> 1. red\n> 2. blue" in talk.editor.said
        await talk.say("2")
        sent = server.requests()[-1]["body"]["messages"]

    assert [each["content"] for each in sent if each["role"] == "user"][-1] == "blue"


async def test_a_model_that_fails_is_an_error_with_its_words(harness: Harness) -> None:
    async with harness.talk({"status": 400, "body": "no such model"}) as (talk, _):
        with pytest.raises(RequestError, match="no such model"):
            await talk.say("hello?")


async def test_a_model_is_chosen_for_the_session(harness: Harness) -> None:
    async with harness.talk({"text": "Hello."}) as (talk, server):
        answer = await talk.agent.set_config_option(config_id="model", session_id=talk.session, value="other")
        await talk.say("hello?")

        assert server.requests()[-1]["body"]["model"] == "other"
    assert answer is not None
    assert {each.id: each.current_value for each in answer.config_options} == {"mode": "ask", "model": "other"}
