"""Anthropic's clients, in front of a server that speaks chat completions."""

import json
from pathlib import Path
from typing import Any

from tests.proxy.through_proxy import call, proxied

READ = {
    "name": "read",
    "description": "to read",
    "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = messages or ({"role": "user", "content": "Look."},)
    return {"model": "claude", "max_tokens": 100, "system": "Be brief.", "messages": said, "tools": [READ], **more}


def used(number: int, *, error: bool = False) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {"path": f"{number}"}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": [{"type": "text", "text": "a b c"}]}
    return [
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{**result, **({"is_error": True} if error else {})}]},
    ]


async def test_a_request_becomes_a_chat_completion_and_the_reply_a_message(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "I look.", **call("read", "{'path': 'a.py'}")}) as proxy:
        told = await proxy.post("/v1/messages", body())
    assert [message["role"] for message in proxy.requests[0]["messages"]] == ["system", "user"]
    assert proxy.requests[0]["tools"][0]["function"]["name"] == "read"
    message = told.whole
    assert [block["type"] for block in message["content"]] == ["text", "tool_use"]
    assert (message["content"][1]["input"], message["stop_reason"]) == ({"path": "a.py"}, "tool_use")
    assert message["usage"]["input_tokens"] > 0


async def test_it_streams_in_the_clients_own_events(tmp_path: Path) -> None:
    reply = {"reasoning": "Hm.", "text": "I look.", "chunk_size": 3, **call("read", {"path": "a.py"})}
    async with proxied(tmp_path, reply) as proxy:
        told = await proxy.post("/v1/messages", body(stream=True))
    kinds = [payload["type"] for payload in told.payloads]
    assert (kinds[0], kinds[-2:]) == ("message_start", ["message_delta", "message_stop"])
    begun = [each for each in told.payloads if each["type"] == "content_block_start"]
    assert [(each["index"], each["content_block"]["type"]) for each in begun] == [
        (0, "thinking"), (1, "text"), (2, "tool_use"),
    ]  # fmt: skip
    assert kinds.count("content_block_stop") == 3
    written = [each["delta"].get("partial_json", "") for each in told.payloads if each["type"] == "content_block_delta"]
    assert json.loads("".join(written)) == {"path": "a.py"}
    assert told.payloads[-2]["delta"]["stop_reason"] == "tool_use"


async def test_results_that_the_client_marks_as_errors_count_as_failures(tmp_path: Path) -> None:
    history = [{"role": "user", "content": "Look."}, *(m for n in range(6) for m in used(n, error=True))]
    async with proxied(tmp_path) as proxy:
        told = await proxy.post("/v1/messages", body(*history))
    assert told.whole["content"][0]["text"].startswith("Stopped by Mulligan's proxy")
    assert (told.whole["stop_reason"], proxy.requests) == ("end_turn", [])


async def test_a_prompt_that_is_too_long_is_told_in_the_clients_words(tmp_path: Path) -> None:
    async with proxied(tmp_path, kind="ollama", context_length=512) as proxy:
        told = await proxy.post("/v1/messages", body({"role": "user", "content": "word " * 2000}))
    assert (told.status, told.whole["type"]) == (400, "error")
    assert told.whole["error"]["message"].startswith("prompt is too long: ")


async def test_tokens_are_counted_without_asking_the_model(tmp_path: Path) -> None:
    async with proxied(tmp_path) as proxy:
        told = await proxy.post("/v1/messages/count_tokens", body())
    assert told.whole["input_tokens"] > 10
