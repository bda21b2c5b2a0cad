"""Sessions: opened, listed, loaded, cancelled, and ended in the middle."""

import asyncio
import json
import os
from typing import Any

import pytest
from acp import RequestError

from mulligan.models.scripted.script import Script
from tests.acp.conftest import EDIT, Harness, call
from tests.acp.editor import LOADED, Editor, environ, talking
from tests.forked_command import run_forked

HANGS = {"text": "I think about it for a long time.", "hang": 1}


def stored(harness: Harness, chat: str) -> list[dict[str, Any]]:
    shown = run_forked(["chats", "show", chat, "--json"], cwd=harness.folder, env=environ(harness.home))
    return json.loads(shown.stdout)["messages"]


async def test_the_agent_says_what_it_can(harness: Harness) -> None:
    async with talking(project=harness.folder, home=harness.home, files=harness.root / "streams") as talk:
        hello = await talk.agent.initialize(1)

    assert hello.protocol_version == 1
    assert hello.agent_info
    assert hello.agent_info.name == "mulligan"
    assert hello.agent_capabilities
    assert hello.agent_capabilities.model_dump(exclude_none=True) == {
        "auth": {},
        "load_session": True,
        "mcp_capabilities": {"acp": False, "http": True, "sse": False},
        "prompt_capabilities": {"audio": False, "embedded_context": True, "image": False},
        "session_capabilities": {"close": {}, "list": {}, "resume": {}},
    }


def test_what_was_asked_right_before_the_end_is_answered(harness: Harness) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    opened: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "session/new",
        "params": {"cwd": str(harness.folder), "mcpServers": []},
    }

    done = run_forked(
        ["acp"],
        cwd=harness.folder,
        env=environ(harness.home),
        stdin=f"{json.dumps(hello)}\n{json.dumps(opened)}\n",
        loaded=LOADED,
    )

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each["id"] for each in answers if "result" in each} == {1, 2}
    assert (done.returncode, done.stderr) == (0, "")


async def test_a_session_is_a_chat_that_can_be_listed_and_loaded(harness: Harness) -> None:
    async with harness.talk(call("view_file", path="a.py"), {"text": "It returns 1."}) as (talk, _):
        await talk.say("what does it return?")
        session = talk.session
    async with harness.talk({"text": "Still 1."}) as (later, _):
        (listed,) = (await later.agent.list_sessions(str(harness.folder))).sessions
        later.editor.updates.clear()
        await later.agent.load_session(str(harness.folder), session)
        later.session = session
        replayed = list(later.editor.updates)
        await later.say("and now?")

    assert (listed.session_id, listed.title) == (session, "what does it return?")
    kinds = [each["sessionUpdate"] for each in replayed if "message" in each["sessionUpdate"] or "toolCallId" in each]
    assert kinds == ["user_message_chunk", "tool_call", "tool_call_update", "agent_message_chunk"]
    assert [each["role"] for each in stored(harness, session)] == ["user", "assistant"] * 2


async def test_a_resumed_session_goes_on_without_a_word(harness: Harness) -> None:
    async with harness.talk({"text": "It returns 1."}) as (talk, _):
        await talk.say("what does it return?")
    async with harness.talk({"text": "Still 1."}) as (later, server):
        later.editor.updates.clear()
        await later.agent.resume_session(session_id=talk.session, cwd=str(harness.folder))
        later.session = talk.session
        await later.say("and now?")
        asked = [each["content"] for each in server.requests()[-1]["body"]["messages"] if each["role"] == "user"]

    assert later.editor.of("user_message_chunk") == []
    assert asked == ["what does it return?", "and now?"]


async def test_a_chat_of_nobody_can_t_be_loaded(harness: Harness) -> None:
    async with harness.talk() as (talk, _):
        with pytest.raises(RequestError, match="there is no chat"):
            await talk.agent.load_session(str(harness.folder), "nosuchchat")


async def test_an_empty_session_leaves_no_chat(harness: Harness) -> None:
    async with harness.talk() as (talk, _):
        assert (await talk.agent.list_sessions()).sessions == []


@pytest.mark.parametrize(("folder", "words"), [("relative", "must be absolute"), ("/no/such/folder", "does not exist")])
async def test_a_folder_that_is_none_is_refused(harness: Harness, folder: str, words: str) -> None:
    async with harness.talk() as (talk, _):
        with pytest.raises(RequestError, match=words):
            await talk.agent.new_session(folder, mcp_servers=[])


async def test_a_session_that_is_not_open_is_refused(harness: Harness) -> None:
    async with harness.talk() as (talk, _):
        talk.session = "nosuchsession"
        with pytest.raises(RequestError, match="session/new or session/load first"):
            await talk.say("hello?")


async def test_a_session_closed_in_the_middle_of_a_turn_ends_it(harness: Harness) -> None:
    async with harness.talk(HANGS) as (talk, _):
        asking = asyncio.create_task(talk.say("hello?"))
        await _said(talk.editor)
        await talk.agent.close_session(talk.session)

        assert await asking == "cancelled"
        with pytest.raises(RequestError, match="there is no session"):
            await talk.say("hello?")


async def test_parameters_that_are_none_are_refused(harness: Harness) -> None:
    async with harness.talk() as (talk, _):
        params = {"sessionId": talk.session, "prompt": "no blocks"}
        await talk.transport.send({"jsonrpc": "2.0", "id": "mine", "method": "session/prompt", "params": params})
        await talk.say("/changes")

    (refused,) = talk.transport.errors
    assert (refused["id"], refused["error"]["code"]) == ("mine", -32602)


async def test_a_chat_goes_on_with_the_agent_that_it_is_with(harness: Harness) -> None:
    async with harness.talk({"text": "A plan."}) as (talk, server):
        run_forked(
            ["ask", "--json", "--agent", "architect", "--base-url", server.base_url, "--model", "m", "plan it"],
            cwd=harness.folder, env=environ(harness.home),
        )  # fmt: skip
        (listed,) = (await talk.agent.list_sessions(str(harness.folder))).sessions
        await talk.agent.load_session(str(harness.folder), listed.session_id)
        server.replace_script(Script.model_validate({"replies": [{"text": "Another plan."}]}))
        talk.session = listed.session_id
        await talk.say("plan it again")

    turns = [each["metadata"] for each in stored(harness, talk.session) if each["role"] == "assistant"]
    assert [turn["agent"] for turn in turns] == ["architect", "architect"]


async def test_a_mode_that_there_is_not_is_refused(harness: Harness) -> None:
    async with harness.talk() as (talk, _):
        with pytest.raises(RequestError, match="there are ask, edit, fix"):
            await talk.agent.set_session_mode(session_id=talk.session, mode_id="dance")


async def test_a_cancelled_turn_is_stored_and_the_next_one_works(harness: Harness) -> None:
    async with harness.talk(HANGS, {"text": "Hello."}) as (talk, _):
        asking = asyncio.create_task(talk.say("hello?"))
        await _said(talk.editor)
        with pytest.raises(RequestError, match="still running"):
            await talk.say("and?")
        await talk.agent.cancel(talk.session)
        assert await asking == "cancelled"
        assert await talk.say("hello?") == "end_turn"

    assert [each["status"] for each in stored(harness, talk.session) if each["role"] == "assistant"] == [
        "cancelled",
        "complete",
    ]


async def test_a_cancel_withdraws_an_open_question(harness: Harness) -> None:
    async with harness.talk(EDIT, {"text": "Done."}, mode="edit", editor=Editor(["never"])) as (talk, _):
        asking = asyncio.create_task(talk.say("let it return 2"))
        await _until(talk.editor, lambda: bool(talk.editor.of("tool_call")[1:]))
        await talk.agent.cancel(talk.session)

        assert await asking == "cancelled"
    assert harness.file.read_text() == "def a():\n    return 1\n"


@pytest.mark.parametrize(("how", "code"), [("closed input", 0), ("Ctrl-C", 130)])
async def test_what_is_under_way_is_stored_when_the_editor_leaves(harness: Harness, how: str, code: int) -> None:
    async with harness.talk(HANGS) as (talk, _):
        asking = asyncio.create_task(talk.say("hello?"))
        await _said(talk.editor)
        if how == "Ctrl-C":
            talk.interrupt()
        else:
            talk.close_input()
        assert await talk.ended() == code
        asking.cancel()

    assert (talk.files / "stderr").read_text() == ""
    (reply,) = [each for each in stored(harness, talk.session) if each["role"] == "assistant"]
    assert reply["status"] == "cancelled"
    assert reply["parts"][-1]["text"].startswith("I think about it")


async def test_a_line_that_is_no_message_is_answered_and_survived(harness: Harness) -> None:
    async with harness.talk({"text": "Hello."}) as (talk, _):
        for line in (b"what?\n", b"[1]\n", b"\n", b'{"jsonrpc":"2.0","method":"later/notice","params":{}}\n'):
            os.write(talk.transport.into, line)
        assert await talk.say("hello?") == "end_turn"

    assert [each["error"]["code"] for each in talk.transport.errors] == [-32700, -32600]


async def _said(editor: Editor) -> None:
    await _until(editor, lambda: bool(editor.said))


async def _until(editor: Editor, seen: Any) -> None:
    """Wait until the editor was told enough."""
    met = asyncio.Event()
    editor.on_update = lambda _: met.set() if seen() else None
    if not seen():
        await met.wait()
