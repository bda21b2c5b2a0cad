"""Turns that change files, taken over the API, and the repository that they are taken in."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.server.server_process import Page, Served

Reply = dict[str, Any]
Json = dict[str, Any]

GIT = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
DONE: Reply = {"text": "Done."}


def call(name: str, **arguments: Any) -> Reply:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def edit(path: str, old: str, new: str) -> Reply:
    return call("edit_file", path=path, old=old, new=new)


async def code(served: Served, page: Page, *replies: Reply, chat: str | None = None) -> str:
    """A turn of the coder, to its end. Returns the chat."""
    await served.play(*replies, DONE)
    return await say(served, page, "do it", agent="coder", chat=chat)


async def delegate(served: Served, page: Page, *steps: Json, chat: str | None = None) -> str:
    """A turn of the scripted agent, to its end. Returns the chat."""
    return await say(served, page, f"do it\nscript: {json.dumps(steps)}", agent="scripted", chat=chat)


async def say(served: Served, page: Page, text: str, *, agent: str, chat: str | None = None) -> str:
    where = f"/api/chats/{chat}/messages" if chat else f"/api/projects/{served.project_id}/chats"
    answer = await served.client.post(where, json={"text": text, "agent": agent})
    assert answer.status_code == 202, answer.text
    chat_id = answer.json()["chat_id"]
    await page.until("turn_end", chat_id=chat_id)
    await page.until("chat_changed", chat_id=chat_id)
    return chat_id


async def got(served: Served, path: str, **query: Any) -> Any:
    answer = await served.client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def changes(served: Served, **query: Any) -> list[Json]:
    return await got(served, f"/api/projects/{served.project_id}/changes", **query)


async def settle(served: Served, action: str, **body: Any) -> list[Json]:
    """Apply, reject or revert."""
    answer = await served.client.post(f"/api/projects/{served.project_id}/changes/{action}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def turns_checkpoint(served: Served, chat: str) -> Json:
    """The newest one that was taken before a turn of this chat."""
    taken = (await got(served, f"/api/chats/{chat}"))["checkpoints"]
    return [each for each in taken if each["kind"] == "turn"][-1]


async def restore(served: Served, checkpoint: Json) -> Json:
    where = f"/api/sessions/{checkpoint['session_id']}/checkpoints/{checkpoint['id']}/restore"
    answer = await served.client.post(where)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def roles(served: Served, chat: str) -> list[str]:
    return [message["role"] for message in (await got(served, f"/api/chats/{chat}"))["messages"]]


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout
