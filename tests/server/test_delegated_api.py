"""Turns of external agents over the API."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.delegate_project import SCRIPTED, goal
from tests.server.page_rules import PageChat, stored
from tests.server.server_process import Served

EDIT = {"write": "a.py", "text": "def a():\n    return 'z'\n"}
SAY = {"say": "Done."}
ASK = {"ask": "1", "title": "curl", "kind": "execute", "input": {"command": "curl example.com"}, "yes": [EDIT]}


@pytest.fixture
def scripted(tmp_path: Path) -> None:
    """An agent that does what a message says."""
    home = tmp_path / "home"
    home.mkdir()
    script = tmp_path / "script.json"
    script.write_text("{}")
    table = f'kind = "acp"\ncommand = {json.dumps([sys.executable, str(SCRIPTED)])}\n'
    env = f"env.SCRIPTED_ACP = {json.dumps(str(script))}\n"
    tables = [f"[external.{name}]\n{table}{env}" for name in ("scripted", "second")]
    (home / "mulligan.toml").write_text("".join(tables))


async def delegate(served: Served, *steps: dict[str, Any]) -> str:
    body = {"text": goal(list(steps)), "agent": "scripted"}
    answer = await served.client.post(f"/api/projects/{served.project_id}/chats", json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()["chat_id"]


async def detail(served: Served, chat: str) -> dict[str, Any]:
    return (await served.client.get(f"/api/chats/{chat}")).json()


@pytest.mark.usefixtures("scripted")
async def test_an_agent_works_in_its_own_work_tree_and_its_changes_wait(served: Served) -> None:
    call = [{"call": "1", "title": "Edit a.py"}, EDIT, {"update": "1", "status": "completed", "text": "edited"}]
    async with served.socket() as page:
        chat = await delegate(served, {"think": "hm"}, *call, SAY)
        shown = PageChat({"seq": 0, "messages": [], "live": []})
        while (envelope := await page.envelope())["frame"]["type"] != "turn_end":
            shown.take(envelope)
    end = await detail(served, chat)
    assert {message_id: each.parts for message_id, each in shown.messages.items()} == stored(end)
    assert (end["chat"]["external"], end["chat"]["agent"], end["pending"]) == (True, "scripted", 1)
    (checkpoint,) = end["checkpoints"]
    assert (checkpoint["worktree"], checkpoint["message_id"]) == (True, end["messages"][1]["id"])
    assert "'a'" in (served.project / "a.py").read_text()


@pytest.mark.both_databases
@pytest.mark.usefixtures("scripted")
async def test_the_chat_goes_on_with_the_same_agent_or_another_external_one(served: Served) -> None:
    async with served.socket() as page:
        chat = await delegate(served, {"recall": True})
        await page.until("turn_end")
        for agent in (None, "second"):
            body = {"text": goal([{"recall": True}]), "agent": agent}
            assert (await served.client.post(f"/api/chats/{chat}/messages", json=body)).status_code == 202
            await page.until("turn_end")
    end = await detail(served, chat)
    said = [
        part["text"]
        for each in end["messages"]
        for part in each["parts"]
        if each["role"] == "assistant" and "text" in part
    ]
    assert said == ["1 prompts, mode none", "2 prompts, mode none", "1 prompts, mode none"]
    assert end["chat"]["agent"] == "second"


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize("granted", [True, False])
async def test_what_the_agent_wants_is_asked_in_the_chat(served: Served, granted: bool) -> None:
    async with served.socket() as page:
        chat = await delegate(served, ASK, SAY)
        ask = (await page.until("asked", chat_id=chat))["frame"]["ask"]
        assert (ask["what"], (await detail(served, chat))["asks"]) == ("curl example.com", [ask])
        await served.client.post(f"/api/asks/{ask['id']}", json={"granted": granted})
        await page.until("turn_end", pending=int(granted))
    told = [
        each["frame"]["text"] for each in page.seen if each["frame"]["type"] == "notice" and each["chat_id"] == chat
    ]
    assert any(text.startswith("denied: curl") for text in told) is not granted


@pytest.mark.usefixtures("scripted")
async def test_an_abort_closes_the_agents_turn_and_its_question(served: Served) -> None:
    async with served.socket() as page:
        chat = await delegate(served, SAY, ASK)
        ask = (await page.until("asked"))["frame"]["ask"]
        assert (await served.client.post(f"/api/chats/{chat}/abort")).json() == {"aborted": True}
        end = await detail(served, chat)
        await page.until("ask_settled", ask_id=ask["id"], granted=None)
    assert (end["chat"]["busy"], end["asks"], end["messages"][1]["status"]) == (False, [], "cancelled")
