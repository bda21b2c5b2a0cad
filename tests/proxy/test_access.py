"""Who may use the proxy, and what becomes of keys."""

import asyncio
import json
from hashlib import sha256
from pathlib import Path

from mulligan.proxy.access import Access
from mulligan.proxy.app import MAX_BODY_BYTES
from tests.proxy.through_proxy import proxied

SECRET = "sk-not-to-be-seen-0123456789abcdef"  # noqa: S105 - of nobody


async def test_a_token_is_asked_for_where_there_is_one(tmp_path: Path) -> None:
    access = Access(sha256(b"let-me-in").hexdigest())
    async with proxied(tmp_path, {"text": "Yes."}, {"text": "Yes."}, access=access) as proxy:
        refused = await proxy.ask()
        as_bearer = await proxy.ask(headers={"authorization": "Bearer let-me-in"})
        as_key = await proxy.ask(headers={"x-api-key": "let-me-in"})
        page = await proxy.client.get(proxy.url)
        shown = await proxy.client.get(f"{proxy.url}/proxy/state")
    assert (refused.status, as_bearer.status, as_key.status) == (401, 200, 200)
    assert (page.status_code, shown.status_code) == (200, 401)


async def test_pages_of_other_sites_and_strange_names_are_refused(tmp_path: Path) -> None:
    async with proxied(tmp_path) as proxy:
        foreign = await proxy.ask(headers={"origin": "https://evil.example"})
        rebound = await proxy.ask(headers={"host": "evil.example"})
    assert (foreign.status, rebound.status) == (403, 403)


async def test_a_body_is_bounded(tmp_path: Path) -> None:
    async with proxied(tmp_path) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {MAX_BODY_BYTES + 1}\r\n\r\n"
        writer.write(head.encode())
        told = await reader.readline()
        writer.close()
    assert b"413" in told


async def test_what_is_no_request_is_told_in_a_sentence(tmp_path: Path) -> None:
    async with proxied(tmp_path) as proxy:
        told = await proxy.client.post(f"{proxy.url}/v1/chat/completions", content=b"hello")
        nowhere = await proxy.client.get(f"{proxy.url}/nowhere")
    assert (told.status_code, nowhere.status_code) == (400, 404)
    assert "`messages`" in told.json()["error"]["message"]


async def test_keys_stand_neither_in_the_log_nor_on_the_page(tmp_path: Path) -> None:
    log: list[str] = []
    async with proxied(tmp_path, {"text": ""}, {"text": "Yes."}, log=log) as proxy:
        await proxy.ask(headers={"authorization": f"Bearer {SECRET}", "user-agent": "goose/1.52"})
        state = (await proxy.client.get(f"{proxy.url}/proxy/state")).text
        metrics = (await proxy.client.get(f"{proxy.url}/metrics")).text
    assert SECRET not in "".join([*log, state, metrics])
    [line] = map(json.loads, log)
    assert (line["client"], line["asked"], line["actions"]) == ("goose", 2, ["empty"])
    assert 'mulligan_proxy_actions_total{client="goose",what="empty"} 1' in metrics


async def test_the_page_shows_what_was_repaired_before_and_after(tmp_path: Path) -> None:
    broken = {"tool_calls": [{"name": "read", "arguments": "{'path': 'a.py'}"}]}
    async with proxied(tmp_path, broken) as proxy:
        await proxy.ask()
        state = (await proxy.client.get(f"{proxy.url}/proxy/state")).json()
    [action] = state["actions"]
    assert (action["what"], action["before"], action["after"]) == (
        "single_quotes", "read {'path': 'a.py'}", 'read {"path": "a.py"}',
    )  # fmt: skip
