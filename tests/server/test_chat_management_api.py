"""What people do with chats over the API, beside talking."""

from typing import Any

import pytest

from mulligan.workspace.sandbox.grants import read_commands
from tests.server.server_process import Served
from tests.server.test_chats_api import begin, detail, listed


async def answered(served: Served, text: str = "what is a?", **more: Any) -> str:
    """A chat with one turn that has ended."""
    async with served.socket() as page:
        chat = await begin(served, text, **more)
        await page.until("turn_end")
        await page.until("chat_changed")
    return chat


def texts(shown: dict[str, Any]) -> list[str]:
    return [part["text"] for message in shown["messages"] for part in message["parts"] if part["kind"] == "text"]


@pytest.mark.both_databases
async def test_a_chat_is_named_pinned_deleted_and_brought_back(served: Served) -> None:
    await served.play({"text": "It is a."})
    chat = await answered(served)
    before = await detail(served, chat)
    edited = await served.client.patch(f"/api/chats/{chat}", json={"title": "About a", "pinned": True})
    assert (edited.json()["title"], edited.json()["pinned"]) == ("About a", True)
    assert (await served.client.patch(f"/api/chats/{chat}", json={"title": "  "})).status_code == 400
    gone = (await served.client.delete(f"/api/chats/{chat}")).json()
    assert (gone["id"], gone["title"]) == (chat, "About a")
    assert await listed(served) == []
    assert (await served.client.get(f"/api/chats/{chat}")).status_code == 404
    path = f"/api/projects/{served.project_id}/deleted-chats"
    assert [each["id"] for each in (await served.client.get(path)).json()] == [chat]
    back = await served.client.post(f"{path}/{chat}/restore")
    assert back.status_code == 200
    assert (await detail(served, chat))["messages"] == before["messages"]
    assert (await served.client.post(f"{path}/{chat}/restore")).status_code == 404


async def test_a_chat_is_exported_to_read_and_to_keep(served: Served) -> None:
    await served.play({"text": "It is *a*."})
    chat = await answered(served)
    read = await served.client.get(f"/api/chats/{chat}/export")
    assert "It is *a*." in read.text
    assert read.headers["content-disposition"].endswith('.md"')
    kept = await served.client.get(f"/api/chats/{chat}/export", params={"format": "json"})
    assert kept.json()["messages"] == (await detail(served, chat))["messages"]


@pytest.mark.both_databases
async def test_a_fork_goes_on_from_a_message_and_leaves_the_chat_alone(served: Served) -> None:
    await served.play({"text": "One."}, {"text": "Two."})
    chat = await answered(served)
    first = (await detail(served, chat))["messages"][1]
    made = (await served.client.post(f"/api/chats/{chat}/fork", json={"message_id": first["id"]})).json()
    async with served.socket() as page:
        await served.client.post(f"/api/chats/{made['id']}/messages", json={"text": "and b?"})
        await page.until("turn_end")
    assert texts(await detail(served, made["id"])) == ["what is a?", "One.", "and b?", "Two."]
    assert texts(await detail(served, chat)) == ["what is a?", "One."]
    assert (await served.client.post(f"/api/chats/{chat}/fork", json={"message_id": "x"})).status_code == 404


async def test_a_question_is_asked_anew_in_its_place_and_the_old_answer_can_be_found_again(served: Served) -> None:
    await served.play({"text": "Wrong."}, {"text": "Right."})
    chat = await answered(served)
    asked = (await detail(served, chat))["messages"][0]["id"]
    async with served.socket() as page:
        again = {"message_id": asked, "text": "what is a, really?"}
        answer = await served.client.post(f"/api/chats/{chat}/resend", json=again)
        assert answer.json()["chat_id"] == chat
        await page.until("turn_end")
    assert texts(await detail(served, chat)) == ["what is a, really?", "Right."]
    path = f"/api/projects/{served.project_id}/deleted-chats"
    (kept,) = (await served.client.get(path)).json()
    await served.client.post(f"{path}/{kept['id']}/restore")
    assert texts(await detail(served, kept["id"])) == ["what is a?", "Wrong."]


async def test_files_follow_a_question_that_is_asked_anew(served: Served) -> None:
    create = {"name": "create_file", "arguments": {"path": "new.py", "content": "x = 1\n"}}
    await served.play({"tool_calls": [create]}, {"text": "Done."}, {"text": "Nothing to do."})
    chat = await answered(served, "make it", agent="coder")
    shown = await detail(served, chat)
    assert shown["pending"] == 1
    async with served.socket() as page:
        again = {"message_id": shown["messages"][0]["id"], "text": "what would you make?", "agent": "default"}
        assert (await served.client.post(f"/api/chats/{chat}/resend", json=again)).status_code == 202
        await page.until("turn_end")
    shown = await detail(served, chat)
    assert (texts(shown), shown["pending"]) == (["what would you make?", "Nothing to do."], 0)
    assert "safety" in {each["kind"] for each in shown["checkpoints"]}


async def test_a_question_asked_anew_in_a_fork_leaves_files_and_chat_alone(served: Served) -> None:
    create = {"name": "create_file", "arguments": {"path": "new.py", "content": "x = 1\n"}}
    await served.play({"tool_calls": [create]}, {"text": "Done."}, {"text": "Other."})
    chat = await answered(served, "make it", agent="coder")
    shown = await detail(served, chat)
    async with served.socket() as page:
        again = {
            "message_id": shown["messages"][0]["id"],
            "text": "make it otherwise",
            "where": "fork",
            "agent": "default",
        }
        other = (await served.client.post(f"/api/chats/{chat}/resend", json=again)).json()["chat_id"]
        await page.until("turn_end")
    assert other != chat
    assert texts(await detail(served, other)) == ["make it otherwise", "Other."]
    assert (await detail(served, chat))["pending"] == 1


@pytest.mark.both_databases
async def test_words_are_found_with_the_place_where_they_were_said(served: Served) -> None:
    await served.play({"text": "The invoice parser is in billing."})
    chat = await answered(served, "where are bills read?")
    path = f"/api/projects/{served.project_id}/search"
    (hit,) = (await served.client.get(path, params={"q": "Invoi pars"})).json()
    assert (hit["chat_id"], hit["role"], hit["excerpt"]) == (chat, "assistant", "The invoice parser is in billing.")
    assert [hit["excerpt"][start:end] for start, end in hit["marks"]] == ["invoi", "pars"]
    assert (await served.client.get(path, params={"q": "nothing like it"})).json() == []


async def test_where_no_turn_is_under_way_what_is_queued_is_said_at_once(served: Served) -> None:
    await served.play({"text": "One."}, {"text": "Two."})
    chat = await answered(served)
    async with served.socket() as page:
        await served.client.post(f"/api/chats/{chat}/queue", json={"text": "and b?"})
        await page.until("turn_end")
    shown = await detail(served, chat)
    assert (texts(shown)[-2:], shown["queued"]) == (["and b?", "Two."], [])


async def test_a_stop_holds_what_was_written_ahead_until_the_user_sends_it(served: Served) -> None:
    await served.play({"text": "One.", "hang": 1}, {"text": "Two."}, {"text": "Three."})
    async with served.socket() as page:
        chat = await begin(served, "first")
        await page.until("text_delta")
        path = f"/api/chats/{chat}/queue"
        ids = [(await served.client.post(path, json={"text": text})).json()["id"] for text in ("b", "c", "d")]
        await served.client.put(f"{path}/{ids[1]}", json={"text": "c, better"})
        await served.client.delete(f"{path}/{ids[2]}")
        assert (await served.client.delete(f"{path}/{ids[2]}")).status_code == 404
        await served.client.post(f"/api/chats/{chat}/abort")
        await page.until("turn_end", stop_reason="aborted")
        await page.until("chat_changed")
        waiting = (await detail(served, chat))["queued"]
        assert [each["text"] for each in waiting] == ["b", "c, better"]
        # The first is sent by the user; that turn ends well, so the second follows by itself.
        assert (await served.client.post(f"{path}/send")).status_code == 202
        await page.until("turn_end", stop_reason="answered")
        await page.until("turn_end", stop_reason="answered")
    shown = await detail(served, chat)
    assert texts(shown)[-4:] == ["b", "Two.", "c, better", "Three."]
    assert shown["queued"] == []
    assert (await served.client.post(f"{path}/send")).status_code == 404


async def test_a_command_can_be_allowed_for_good_and_a_no_can_say_why(served: Served) -> None:
    tag = {"name": "run_command", "arguments": {"command": "git tag made"}}
    remove = {"name": "run_command", "arguments": {"command": "git rm a.py"}}
    await served.play({"tool_calls": [tag]}, {"tool_calls": [tag | {"id": "b"}, remove]}, {"text": "Done."})
    async with served.socket() as page:
        chat = await begin(served, "tag it", agent="coder")
        ask = (await page.until("asked", chat_id=chat))["frame"]["ask"]
        assert (ask["rule"], ask["removes"]) == ("git tag made", False)
        await served.client.post(f"/api/asks/{ask['id']}", json={"granted": True, "remember": "command"})
        other = (await page.until("asked", chat_id=chat))["frame"]["ask"]
        assert other["what"] == "git rm a.py"
        denied = {"granted": False, "reason": "a.py is still needed"}
        await served.client.post(f"/api/asks/{other['id']}", json=denied)
        result = (await page.until("tool_result", failure="permission_denied"))["frame"]
        await page.until("turn_end")
    assert "The user said: a.py is still needed" in result["content"]
    assert read_commands(served.home, served.project) == ("git tag made",)


@pytest.mark.parametrize("usage", [{"prompt_tokens": 1000, "completion_tokens": 7}])
async def test_the_context_adds_up(served: Served, usage: dict[str, int]) -> None:
    view = {"tool_calls": [{"name": "view_file", "arguments": {"path": "a.py"}}]}
    await served.play({**view, "usage": usage}, {"text": "It is a.", "usage": usage})
    context = (await detail(served, await answered(served)))["context"]
    parts = context["parts"]
    assert sum(parts.values()) == context["tokens"] == 1007
    assert min(parts["system"], parts["tools"], parts["files"], parts["history"]) > 0
    assert parts["reply"] == 7
