"""What the proxy does to a reply, over real sockets."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.proxy.through_proxy import call, direct, proxied, step, user

VALID: dict[str, dict[str, Any]] = {
    "plain text": {"text": "It is in one.py, as far as I can see.", "chunk_size": 3},
    "text with a fence": {"text": "Do this:\n```python\nprint({'a': 1})\n```\nThat is all.", "chunk_size": 2},
    "text that mentions a call": {"text": "You could write `<tool_call>` there.", "chunk_size": 5},
    "a call": {**call("read", {"path": "a.py"}), "chunk_size": 3},
    "text and two calls": {
        "text": "I look.",
        "tool_calls": [{"name": "read", "arguments": {"path": p}} for p in "ab"],
    },
    "a call with an argument that nobody forbade": call("read", {"path": "a.py", "why": "to see"}),
    "reasoning": {"reasoning": "Hm, let me see.", "text": "It is 4."},
    "cut at the token limit": {"text": "It is in", "finish_reason": "length"},
}


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("reply", VALID.values(), ids=VALID.keys())
async def test_a_valid_reply_is_byte_for_byte_the_servers(tmp_path: Path, reply: Any, stream: bool) -> None:
    [expected] = await direct(reply, stream=stream)
    async with proxied(tmp_path, reply) as proxy:
        told = await proxy.ask(stream=stream)
    assert told.raw == expected
    assert len(proxy.requests) == 1


async def test_a_request_is_passed_on_as_it_came(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "Yes."}) as proxy:
        await proxy.ask(temperature=0.3, seed=7, stream_options={"include_usage": True})
    [body] = proxy.requests
    assert body["temperature"] == 0.3
    assert list(body) == ["model", "messages", "tools", "stream", "temperature", "seed", "stream_options"]


BROKEN: dict[str, tuple[str, str]] = {
    "missing brace": ("read", '{"path": "a.py"'),
    "trailing comma": ("read", '{"path": "a.py",}'),
    "single quotes": ("read", "{'path': 'a.py'}"),
    "fenced": ("read", '```json\n{"path": "a.py"}\n```'),
    "encoded twice": ("read", '"{\\"path\\": \\"a.py\\"}"'),
    "upper case": ("READ", '{"path": "a.py"}'),
    "another form of the name": ("functions.read", '{"path": "a.py"}'),
    "a whole call as arguments": ("read", '{"name": "read", "arguments": {"path": "a.py"}}'),
}


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(("name", "arguments"), BROKEN.values(), ids=BROKEN.keys())
async def test_a_malformed_call_arrives_valid_without_another_request(
    tmp_path: Path, name: str, arguments: str, stream: bool
) -> None:
    async with proxied(tmp_path, {**call(name, arguments), "chunk_size": 4}) as proxy:
        told = await proxy.ask(stream=stream)
    if stream:
        assert (told.calls, told.finish) == ([("read", {"path": "a.py"})], ["tool_calls"])
    else:
        [made] = told.whole["choices"][0]["message"]["tool_calls"]
        assert (made["function"]["name"], json.loads(made["function"]["arguments"])) == ("read", {"path": "a.py"})
    assert len(proxy.requests) == 1


async def test_text_for_a_boolean_is_coerced_by_the_requests_own_schema(tmp_path: Path) -> None:
    async with proxied(tmp_path, call("read", {"path": "a", "all": "True"})) as proxy:
        told = await proxy.ask()
    assert told.calls == [("read", {"path": "a", "all": True})]


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_a_call_written_as_text_becomes_a_native_call(tmp_path: Path, stream: bool) -> None:
    reply = {**call("read", {"path": "a.py"}), "calls_as": "text", "text": "I look.\n", "chunk_size": 5}
    async with proxied(tmp_path, reply) as proxy:
        told = await proxy.ask(stream=stream)
    if stream:
        assert (told.text.strip(), told.calls) == ("I look.", [("read", {"path": "a.py"})])
        assert told.finish == ["tool_calls"]
    else:
        message = told.whole["choices"][0]["message"]
        assert message["content"].strip() == "I look."
        assert message["tool_calls"][0]["function"]["name"] == "read"


async def test_a_repaired_call_keeps_the_valid_one_before_it_and_its_number(tmp_path: Path) -> None:
    calls = [{"name": "read", "arguments": {"path": "a"}}, {"name": "read", "arguments": "{'path': 'b'}"}]
    async with proxied(tmp_path, {"tool_calls": calls}) as proxy:
        told = await proxy.ask()
    assert told.calls == [("read", {"path": "a"}), ("read", {"path": "b"})]


async def test_thinking_in_the_text_is_separated(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "<think>Hm.</think>It is 4.", "chunk_size": 3}) as proxy:
        told = await proxy.ask()
    assert (told.reasoning, told.text) == ("Hm.", "It is 4.")


async def test_an_empty_reply_is_asked_for_again_with_a_note(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": ""}, {"text": "It is 4."}) as proxy:
        told = await proxy.ask()
    assert (told.text, told.finish) == ("It is 4.", ["stop"])
    assert "Your last reply was empty" in proxy.requests[1]["messages"][-1]["content"]


async def test_two_empty_replies_are_told_and_not_silent(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": ""}, then="repeat_last") as proxy:
        told = await proxy.ask()
    assert "empty reply" in told.text
    assert (told.finish, len(proxy.requests)) == (["stop"], 2)


async def test_a_cut_call_never_passes_as_whole(tmp_path: Path) -> None:
    cut = {**call("write", '{"path": "a.py", "text": "de'), "finish_reason": "length"}
    async with proxied(tmp_path, cut, then="repeat_last") as proxy:
        told = await proxy.ask()
    assert (told.calls, told.finish, len(proxy.requests)) == ([], ["length"], 2)
    assert "cut off" in told.text


async def test_a_call_beyond_repair_gets_one_second_ask_with_the_error(tmp_path: Path) -> None:
    async with proxied(tmp_path, call("fetch_page", {}), call("read", {"path": "a"})) as proxy:
        told = await proxy.ask()
    assert told.calls == [("read", {"path": "a"})]
    error = proxy.requests[1]["messages"][-1]
    assert error["role"] == "tool"
    assert "There is no tool named" in error["content"]


async def test_a_call_beyond_repair_passes_as_it_is_after_the_second_ask(tmp_path: Path) -> None:
    async with proxied(tmp_path, call("fetch_page", {}), then="repeat_last") as proxy:
        told = await proxy.ask()
        seen = [action["what"] for action in proxy.app.journal.newest()]
    assert (told.calls, len(proxy.requests)) == ([("fetch_page", {})], 2)
    assert "passed_unrepaired" in seen


async def test_a_model_that_was_told_already_is_not_asked_twice(tmp_path: Path) -> None:
    history = [user(), *step(1, "fetch_page", {}, "Error: unknown tool fetch_page")]
    async with proxied(tmp_path, call("fetch_page", {}), then="repeat_last") as proxy:
        await proxy.ask(*history)
    assert len(proxy.requests) == 1


async def test_a_reply_that_repeats_itself_is_cut_and_asked_for_again(tmp_path: Path) -> None:
    loop = {"text": "I will look at the file again. " * 400, "chunk_size": 31}
    async with proxied(tmp_path, loop, {"text": "It is 4."}) as proxy:
        told = await proxy.ask()
    assert told.text.endswith("It is 4.")
    assert len(told.text) < 2_000
    assert "over and over" in proxy.requests[1]["messages"][-1]["content"]


async def test_a_stream_cut_twice_is_survived_and_the_text_told_once(tmp_path: Path) -> None:
    cut = {"text": "It is in the file that", "chunk_size": 4, "cut_after": 2}
    whole = {"text": "It is in the file one.py.", "chunk_size": 6}
    async with proxied(tmp_path, cut, cut, whole) as proxy:
        told = await proxy.ask()
    assert (told.text, told.finish, len(proxy.requests)) == ("It is in the file one.py.", ["stop"], 3)


async def test_a_server_error_is_tried_again(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"status": 500}, {"text": "It is 4."}) as proxy:
        told = await proxy.ask()
    assert (told.status, told.text) == (200, "It is 4.")


async def test_a_refusal_passes_as_it_is(tmp_path: Path) -> None:
    refused = {"status": 400, "body": {"error": {"message": "no such field: seed"}}}
    async with proxied(tmp_path, refused) as proxy:
        told = await proxy.ask()
    assert (told.status, told.whole) == (400, refused["body"])


async def test_a_server_that_takes_no_tools_is_asked_by_a_schema(tmp_path: Path) -> None:
    reply = {"text": '{"tool": "read", "arguments": {"path": "a.py"}}'}
    async with proxied(tmp_path, reply, kind="ollama", tools="refused") as proxy:
        told = await proxy.ask()
    assert told.calls == [("read", {"path": "a.py"})]
    assert proxy.requests[-1]["response_format"]["type"] == "json_schema"


async def test_a_refusal_of_tools_passes_if_calls_may_not_be_forced_into_a_schema(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "Never."}, off=("constrained",), kind="ollama", tools="refused") as proxy:
        told = await proxy.ask()
    assert told.status == 400
    assert "does not support tools" in told.raw.decode()


async def test_without_tools_nothing_is_taken_for_a_call(tmp_path: Path) -> None:
    text = '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}\n</tool_call>'
    [expected] = await direct({"text": text}, tools=[])
    async with proxied(tmp_path, {"text": text}) as proxy:
        told = await proxy.ask(tools=[])
    assert told.raw == expected


async def test_a_model_that_the_server_does_not_have_is_answered_by_the_one_it_has(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "Yes."}) as proxy:
        await proxy.ask(model="claude-sonnet")
        listed = await proxy.client.get(f"{proxy.url}/v1/models")
    assert proxy.requests[0]["model"] == "scripted"
    assert [each["id"] for each in listed.json()["data"]] == ["scripted"]


@pytest.mark.parametrize(
    ("off", "headers"), [(("arguments",), {}), ((), {"x-mulligan-off": "arguments"})], ids=["flag", "header"]
)
async def test_a_repair_can_be_switched_off(tmp_path: Path, off: tuple[str, ...], headers: dict[str, str]) -> None:
    reply = call("read", "{'path': 'a'}")
    [expected] = await direct(reply)
    async with proxied(tmp_path, reply, off=off) as proxy:
        told = await proxy.ask(headers=headers)
    assert told.raw == expected


async def test_a_guard_can_be_switched_off_for_one_client(tmp_path: Path) -> None:
    replies = [call("read", "{'path': 'a'}")] * 2
    async with proxied(tmp_path, *replies, off=("goose:arguments",)) as proxy:
        for_goose = await proxy.ask(headers={"user-agent": "goose/1.52"})
        for_others = await proxy.ask(headers={"user-agent": "opencode/1.18"})
    assert b"'path'" in for_goose.raw
    assert for_others.calls == [("read", {"path": "a"})]
