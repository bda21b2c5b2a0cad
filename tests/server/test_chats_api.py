"""Chats over the API: turns that stream to every page, and what is refused before anything begins."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from mulligan.store.store import SqlStore, open_store
from mulligan.types.messages import Text, TurnMeta, UserMeta
from mulligan.types.sandbox import ExtraAccess
from mulligan.workspace.sandbox.grants import read_grants
from tests.server.page_rules import PageChat, stored
from tests.server.server_process import Page, Served

VIEW = {"tool_calls": [{"name": "view_file", "arguments": {"path": "a.py"}}]}
TURN = TurnMeta(agent="default", model="m")


async def begin(served: Served, text: str = "what is a?", **more: Any) -> str:
    """A new chat, its turn under way."""
    answer = await served.client.post(f"/api/projects/{served.project_id}/chats", json={"text": text, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()["chat_id"]


async def say(served: Served, chat: str, text: str, **more: Any) -> None:
    answer = await served.client.post(f"/api/chats/{chat}/messages", json={"text": text, **more})
    assert answer.status_code == 202, answer.text


async def detail(served: Served, chat: str, **asked: int) -> dict[str, Any]:
    answer = await served.client.get(f"/api/chats/{chat}", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def listed(served: Served) -> list[dict[str, Any]]:
    return (await served.client.get(f"/api/projects/{served.project_id}/chats")).json()


async def follow(page: Page, shown: PageChat) -> None:
    """Until the turn ends."""
    while True:
        envelope = await page.envelope()
        shown.take(envelope)
        if envelope["frame"]["type"] == "turn_end":
            return


@pytest.fixture
async def elsewhere(served: Served, database: dict[str, str]) -> AsyncGenerator[SqlStore]:
    """The same store in another process than the server's: this one."""
    store = await open_store(database.get("MULLIGAN_DATABASE_URL") or served.home / "mulligan.db")
    yield store
    await store.close()


@pytest.fixture
def one_step(project: Path) -> None:
    """Turns of this project are stopped after a step."""
    (project / "mulligan.toml").write_text("steps = 1\n")


@pytest.mark.both_databases
async def test_a_turn_streams_and_what_streamed_is_what_is_stored(served: Served) -> None:
    await served.play({"reasoning": "Let me look.", **VIEW}, {"text": "It returns 'a'.", "chunk_size": 2})
    async with served.socket() as page:
        chat = await begin(served)
        shown = PageChat({"seq": 0, "messages": [], "live": []})
        await follow(page, shown)
        end = await detail(served, chat)
    assert {message_id: each.parts for message_id, each in shown.messages.items()} == stored(end)
    assert [part["kind"] for part in end["messages"][1]["parts"]] == [
        "step_start",
        "reasoning",
        "tool_call",
        "tool_result",
        "step_start",
        "text",
    ]
    assert {envelope["chat_id"] for envelope in page.seen if envelope["frame"]["type"] != "files_changed"} == {chat}
    assert (end["chat"]["busy"], end["elsewhere"], end["live"]) == (False, False, [])
    assert end["context"]["tokens"] > 0


async def test_two_pages_see_the_same_frames(served: Served) -> None:
    await served.play({"text": "It returns 'a'.", "chunk_size": 1})
    async with served.socket() as one, served.socket() as other:
        await one.message()
        await other.message()
        await begin(served)
        for page in (one, other):
            await page.until("turn_end")
    seen = [[envelope for envelope in page.seen if envelope["chat_id"]] for page in (one, other)]
    shorter = min(map(len, seen))
    assert seen[0][:shorter] == seen[1][:shorter]
    assert shorter > 15


@pytest.mark.parametrize("every", [3, 7])
async def test_a_page_that_loads_in_mid_stream_sees_every_character_once(served: Served, every: int) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    await served.play(
        {"reasoning": "hm " * 9, "chunk_size": 2, "chunk_delay": 0.002, **VIEW},
        {"text": words, "chunk_size": 3, "chunk_delay": 0.002},
    )
    epoch = (await served.client.get("/api/server")).json()["epoch"]
    loaded: list[PageChat] = []
    async with served.socket() as watcher:
        chat = await begin(served)
        heard = 0
        while (envelope := await watcher.envelope())["frame"]["type"] != "turn_end":
            heard += 1
            if heard % every == 0:
                loaded.append(PageChat(await detail(served, chat)))
    end = await detail(served, chat)
    assert len(loaded) > 5
    for shown in loaded:
        async with served.socket(since=shown.seq, epoch=epoch) as page:
            while shown.seq < envelope["seq"]:
                shown.take(await page.envelope())
        assistant = end["messages"][1]["id"]
        assert shown.messages[assistant].parts == stored(end)[assistant]
        assert shown.messages[assistant].said == words


@pytest.mark.both_databases
async def test_an_abort_closes_the_turn_before_it_is_answered(served: Served) -> None:
    await served.play({"text": "never to be finished", "chunk_size": 1, "hang": 9}, {"text": "Hello again."})
    async with served.socket() as page:
        chat = await begin(served)
        await page.until("text_delta")
        during = await detail(served, chat)
        assert (await served.client.post(f"/api/chats/{chat}/abort")).json() == {"aborted": True}
        after = await detail(served, chat)
        assert (await served.client.post(f"/api/chats/{chat}/abort")).json() == {"aborted": False}
        await page.until("turn_end", stop_reason="aborted")
        await say(served, chat, "again")
        await page.until("turn_end", stop_reason="answered")
    assert (during["chat"]["busy"], during["elsewhere"], during["can_continue"]) == (True, False, False)
    assert during["live"][0]["frame"]["type"] == "turn_start"
    assert after["chat"]["busy"] is False
    assert [message["status"] for message in after["messages"]] == ["complete", "cancelled", "complete"]
    assert list(after["texts"].values()) == ["Stopped by you."]
    assert "the last turn ended: Stopped by you" in after["continue_refused"]


@pytest.mark.usefixtures("one_step")
async def test_a_guards_stop_is_continued_three_times_and_no_more(served: Served) -> None:
    await served.play(*[VIEW, {"text": "So far."}] * 4)
    chat = await begin(served)
    address = f"/api/chats/{chat}/continue"
    async with served.socket(since=0, epoch=(await served.client.get("/api/server")).json()["epoch"]) as page:
        for _ in range(3):
            await page.until("turn_end", stop_reason="step_cap", can_continue=True)
            assert (await detail(served, chat))["can_continue"] is True
            assert (await served.client.post(address)).status_code == 202
        await page.until("turn_end", stop_reason="step_cap", can_continue=False)
    end = await detail(served, chat)
    refused = await served.client.post(address)
    assert refused.status_code == 400
    assert refused.json()["error"] == end["continue_refused"]
    assert "3 times in a row" in end["continue_refused"]
    assert (end["can_continue"], len(end["texts"])) == (False, 4)
    assert len(served.model.requests) == 8


async def test_a_turn_that_ended_well_is_not_continued(served: Served) -> None:
    await served.play({"text": "It is."})
    async with served.socket() as page:
        chat = await begin(served)
        await page.until("turn_end")
    refused = await served.client.post(f"/api/chats/{chat}/continue")
    assert (refused.status_code, "the last turn ended: Answered" in refused.json()["error"]) == (400, True)


@pytest.mark.parametrize("granted", [True, False])
async def test_a_command_waits_for_the_users_answer(served: Served, granted: bool) -> None:
    command = {"name": "run_command", "arguments": {"command": "git tag made"}}
    await served.play({"tool_calls": [command]}, {"text": "Done."})
    async with served.socket() as page:
        chat = await begin(served, "make it", agent="coder")
        ask = (await page.until("asked", chat_id=chat))["frame"]["ask"]
        assert ask["what"] == "git tag made"
        assert (await served.client.get("/api/asks")).json() == [ask]
        assert (await detail(served, chat))["asks"] == [ask]
        answer = await served.client.post(f"/api/asks/{ask['id']}", json={"granted": granted})
        assert (answer.status_code, answer.json()) == (200, ask)
        late = await served.client.post(f"/api/asks/{ask['id']}", json={"granted": True})
        assert (late.status_code, "no longer open" in late.json()["error"]) == (404, True)
        await page.until("ask_settled", ask_id=ask["id"], granted=granted)
        result = (await page.until("tool_result"))["frame"]
        await page.until("turn_end")
    assert (result["failure"] == "permission_denied") is not granted
    assert (served.project / ".git" / "refs" / "tags" / "made").exists() is granted
    assert (await served.client.get("/api/asks")).json() == []


async def test_a_yes_to_the_network_can_be_for_good(served: Served) -> None:
    line = "curl -s http://127.0.0.1:9"
    fetch = {"name": "run_command", "arguments": {"command": line}}
    tag = {"name": "run_command", "arguments": {"command": "git tag made"}}
    await served.play({"tool_calls": [fetch]}, {"tool_calls": [fetch | {"id": "b"}, tag]}, {"text": "Done."})
    async with served.socket() as page:
        chat = await begin(served, "get it", agent="coder")
        ask = (await page.until("asked", chat_id=chat))["frame"]["ask"]
        assert (ask["what"], ask["can_remember"]) == (line, True)
        await served.client.post(f"/api/asks/{ask['id']}", json={"granted": True, "remember": "network"})
        # The same command is not asked about again, and nothing but the network was opened.
        other = (await page.until("asked", chat_id=chat))["frame"]["ask"]
        assert (other["what"], other["can_remember"]) == ("git tag made", False)
        await served.client.post(f"/api/asks/{other['id']}", json={"granted": False, "remember": "network"})
        await page.until("turn_end")
    assert read_grants(served.home, served.project) == ExtraAccess(network=True)


async def test_changes_of_a_coder_are_staged_and_counted(served: Served) -> None:
    edit = {"name": "create_file", "arguments": {"path": "new.py", "content": "x = 1\n"}}
    await served.play({"tool_calls": [edit]}, {"text": "Done."})
    async with served.socket() as page:
        chat = await begin(served, "make it", agent="coder")
        await page.until("turn_end", pending=1)
    end = await detail(served, chat)
    assert (end["pending"], (served.project / "new.py").exists()) == (1, False)
    (checkpoint,) = end["checkpoints"]
    assert (checkpoint["kind"], checkpoint["message_id"]) == ("turn", end["messages"][1]["id"])
    assert checkpoint["session_id"]


async def test_a_message_may_name_another_agent_who_stays(served: Served) -> None:
    await served.play({"text": "One."}, {"text": "Two."}, {"text": "Three."})
    async with served.socket() as page:
        chat = await begin(served)
        await page.until("turn_end")
        await say(served, chat, "review it", agent="reviewer")
        assert (await page.until("turn_start"))["frame"]["agent"] == "reviewer"
        await page.until("turn_end")
        await say(served, chat, "and now?", model="other")
        started = (await page.until("turn_start"))["frame"]
        await page.until("turn_end")
    assert (started["agent"], started["model"]) == ("reviewer", "other")
    assert (await detail(served, chat))["chat"]["agent"] == "reviewer"
    assert [request.body["model"] for request in served.model.requests] == ["scripted", "scripted", "other"]


async def test_chats_are_listed_with_the_one_that_works_as_busy(served: Served) -> None:
    await served.play({"text": "One."}, {"text": "Two", "hang": 1})
    async with served.socket() as page:
        first = await begin(served, "the first\nof several lines")
        await page.until("turn_end")
        second = await begin(served, "the second")
        await page.until("text_delta", chat_id=second)
        chats = await listed(served)
        await served.client.post(f"/api/chats/{second}/abort")
    assert [(chat["id"], chat["title"], chat["busy"]) for chat in chats] == [
        (second, "the second", True),
        (first, "the first", False),
    ]
    assert [chat["busy"] for chat in await listed(served)] == [False, False]
    assert {chat["external"] for chat in chats} == {False}


async def test_a_chat_that_works_takes_no_other_message(served: Served) -> None:
    await served.play({"text": "One", "hang": 1})
    async with served.socket() as page:
        chat = await begin(served)
        await page.until("text_delta")
        for route in ("messages", "continue", "compact"):
            refused = await served.client.post(f"/api/chats/{chat}/{route}", json={"text": "me too"})
            assert (refused.status_code, "a turn is running" in refused.json()["error"]) == (409, True)
        await served.client.post(f"/api/chats/{chat}/abort")
    assert len((await detail(served, chat))["messages"]) == 3


@pytest.mark.both_databases
async def test_a_turn_of_another_process_is_seen_and_not_disturbed(served: Served, elsewhere: SqlStore) -> None:
    chat = await elsewhere.chats.create(project=str(served.project.resolve()), agent="default", title="theirs")
    reply = await elsewhere.messages.open_turn(chat.id, "why?", UserMeta(), TURN)
    await elsewhere.messages.save_parts(reply.id, 0, [Text(text="Beca")])
    seen = await detail(served, chat.id)
    assert (seen["elsewhere"], seen["chat"]["busy"], seen["live"]) == (True, True, [])
    assert seen["messages"][1]["parts"][0]["text"] == "Beca"
    assert [each["busy"] for each in await listed(served)] == [True]
    for route in ("messages", "continue", "compact"):
        refused = await served.client.post(f"/api/chats/{chat.id}/{route}", json={"text": "me too"})
        assert (refused.status_code, "being answered by process" in refused.json()["error"]) == (409, True)
    assert (await served.client.post(f"/api/chats/{chat.id}/abort")).json() == {"aborted": False}
    await elsewhere.messages.close_reply(reply.id, "complete", TURN)
    assert (await detail(served, chat.id))["elsewhere"] is False


@pytest.mark.both_databases
async def test_a_long_chat_opens_at_its_end_and_is_read_page_by_page(served: Served, elsewhere: SqlStore) -> None:
    chat = await elsewhere.chats.create(project=str(served.project.resolve()), agent="default", title="long")
    for number in range(25):
        await elsewhere.messages.add(chat.id, role="user", metadata=UserMeta(), parts=[Text(text=str(number))])
    newest = await detail(served, chat.id, limit=10)
    assert ([message["seq"] for message in newest["messages"]], newest["earlier"]) == (list(range(16, 26)), True)
    before = await detail(served, chat.id, before=16, limit=100)
    assert ([message["seq"] for message in before["messages"]], before["earlier"]) == (list(range(1, 16)), False)
    after = await detail(served, chat.id, after=23)
    assert ([message["seq"] for message in after["messages"]], after["earlier"]) == ([24, 25], True)


async def test_a_chat_is_summed_up(served: Served) -> None:
    long = [{"text": " ".join(f"fact{number}" for number in range(start, start + 700))} for start in (0, 700, 1400)]
    await served.play(*long, {"text": "## Goal\nwhat is a?\n## Progress\nAll was said."})
    async with served.socket() as page:
        chat = await begin(served, "what is a?")
        await page.until("turn_end")
        for text in ("and b?", "and c?"):
            await say(served, chat, text)
            await page.until("turn_end")
        assert (await served.client.post(f"/api/chats/{chat}/compact")).json()["chat_id"] == chat
        await page.until("chat_changed", chat_id=chat)
        await page.until("chat_changed", chat_id=chat)
    (raised,) = [envelope["frame"] for envelope in page.seen if envelope["frame"]["type"] == "sentinel"]
    assert raised["message"]["metadata"]["kind"] == "compacted"
    assert raised["text"] in (await detail(served, chat))["texts"].values()


async def test_a_short_chat_is_left_as_it_is_and_the_page_told(served: Served) -> None:
    await served.play({"text": "It is."})
    async with served.socket() as page:
        chat = await begin(served)
        await page.until("turn_end")
        await served.client.post(f"/api/chats/{chat}/compact")
        told = (await page.until("notice", chat_id=chat))["frame"]
    assert "nothing to gain" in told["text"]


async def test_a_model_that_fails_is_told_by_a_sentinel(served: Served) -> None:
    await served.play({"status": 400, "body": "no such model"})
    async with served.socket() as page:
        chat = await begin(served)
        await page.until("turn_end", stop_reason="model_error")
    end = await detail(served, chat)
    assert "no such model" in " ".join(end["texts"].values())
    assert end["messages"][1]["status"] == "failed"
