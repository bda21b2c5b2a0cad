"""The end of a server in the middle of work, and the next one after it; and what never leaves it."""

import json
import signal

import httpx2
import pytest

from tests.patience import PATIENCE
from tests.server.server_process import Served, serving

SECRET = "sk-never-to-be-seen"  # noqa: S105 - made up
WORDS = "It is in " + " ".join(f"{a}{b}{a}{b}" for a in "abcdefgh" for b in "ijklm")


@pytest.mark.both_databases
async def test_a_turn_under_way_is_closed_as_aborted_and_told_by_the_next_server(served: Served) -> None:
    await served.play({"text": WORDS, "chunk_size": 5, "hang": 8})
    async with served.socket() as page:
        asked = await served.client.post(f"/api/projects/{served.project_id}/chats", json={"text": "where?"})
        chat = asked.json()["chat_id"]
        await page.until("text_delta", chat_id=chat)
        hello = await served.client.get("/api/frames")
        served.process.process.send_signal(signal.SIGINT)
        assert await served.process.end() == (0, "", "")

    before = hello.json()[0]
    async with (
        serving(served.project, served.home, env=served.database) as again,
        httpx2.AsyncClient(base_url=again.url, timeout=PATIENCE) as client,
    ):
        detail = (await client.get(f"/api/chats/{chat}")).json()
        known = await client.get("/api/frames", params={"since": before["seq"], "epoch": before["epoch"]})
    assert [message["status"] for message in detail["messages"]] == ["complete", "cancelled", "complete"]
    assert detail["messages"][2]["metadata"]["kind"] == "aborted"
    assert detail["chat"]["busy"] is False
    assert known.json()[0]["resync"] is True


async def test_no_secret_is_in_an_answer_a_frame_or_the_log(served: Served) -> None:
    secrets = {**served.database, "MULLIGAN_API_KEY": SECRET}
    await served.play({"status": 401, "body": "no such key"}, then="repeat_last")
    model = ["--base-url", served.model.base_url, "--model", "scripted"]
    async with (
        serving(served.project, served.home, *model, env=secrets) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
    ):
        other = Served(server, served.project, served.home, served.model, client, served.database, served.project_id)
        project = f"/api/projects/{served.project_id}"
        async with other.socket() as page:
            chat = (await client.post(f"{project}/chats", json={"text": "where?"})).json()["chat_id"]
            await page.until("turn_end", chat_id=chat)
        paths = ("/api/server", f"{project}/models", f"{project}/agents", f"/api/chats/{chat}", "/api/openapi.json")
        answers = [(await client.get(path)).text for path in paths]
        answers.append((await client.post(f"{project}/models/probe")).text)
    assert served.model.requests, "the model was asked, so the key was in use"
    logs = [file.read_text() for file in (served.home / "logs").rglob("*") if file.is_file()]
    assert SECRET not in json.dumps(page.seen) + "".join(answers) + "".join(logs)
