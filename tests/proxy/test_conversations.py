"""What the proxy does to a conversation and to a prompt, over real sockets."""

from pathlib import Path
from typing import Any

from tests.proxy.through_proxy import call, direct, proxied, step, user


def repeated(times: int) -> list[dict[str, Any]]:
    return [user(), *(message for n in range(times) for message in step(n, "read", {"path": "a"}, "content of a"))]


async def test_a_repeated_call_is_noted_at_the_end_of_the_prompt_alone(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "Done."}) as proxy:
        await proxy.ask(*repeated(2))
    sent = proxy.requests[0]["messages"]
    assert sent[:-1] == repeated(2)[:-1]
    assert sent[-1]["content"].startswith("content of a\n\nYou have called read a again")


async def test_a_third_call_loses_its_tool(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "Done."}) as proxy:
        await proxy.ask(*repeated(3))
    assert [tool["function"]["name"] for tool in proxy.requests[0]["tools"]] == ["write"]


async def test_a_fourth_call_ends_the_turn_without_asking_the_model(tmp_path: Path) -> None:
    async with proxied(tmp_path) as proxy:
        told = await proxy.ask(*repeated(4))
        whole = await proxy.ask(*repeated(4), stream=False)
    assert told.text.startswith("Stopped by Mulligan's proxy: the model repeats read a")
    assert (told.finish, told.calls, proxy.requests) == (["stop"], [], [])
    assert whole.whole["choices"][0]["finish_reason"] == "stop"


async def test_a_client_that_ends_by_a_tool_is_ended_by_it(tmp_path: Path) -> None:
    ending = {
        "name": "attempt_completion",
        "parameters": {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]},
    }
    read = {"name": "read", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
    tools = [{"type": "function", "function": each} for each in (ending, read)]
    async with proxied(tmp_path) as proxy:
        told = await proxy.ask(*repeated(4), tools=tools)
    [(name, arguments)] = told.calls
    assert name == "attempt_completion"
    assert arguments["result"].startswith("Stopped by Mulligan's proxy")


async def test_a_new_message_of_the_user_begins_anew(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "Done."}) as proxy:
        told = await proxy.ask(*repeated(4), {"role": "assistant", "content": "Stopped."}, user("Go on."))
    assert told.text == "Done."


async def test_a_reminder_of_the_agents_own_does_not(tmp_path: Path) -> None:
    reminder = user("<system-reminder>Mind the todo list.</system-reminder>")
    async with proxied(tmp_path) as proxy:
        told = await proxy.ask(*repeated(3), reminder, *step(9, "read", {"path": "a"}, "content of a"))
    assert "Stopped by Mulligan's proxy" in told.text


async def test_with_the_guard_off_the_same_request_passes_as_it_is(tmp_path: Path) -> None:
    [expected] = await direct(call("read", {"path": "a"}))
    async with proxied(tmp_path, call("read", {"path": "a"})) as proxy:
        told = await proxy.ask(*repeated(9), headers={"x-mulligan-off": "loops"})
    assert told.raw == expected
    assert proxy.requests[0]["messages"] == repeated(9)


LONG = [user(), *(m for n in range(20) for m in step(n, "read", {"path": str(n)}, f"{n} " * 400))]


async def test_a_prompt_that_would_be_cut_silently_is_refused_as_too_long(tmp_path: Path) -> None:
    async with proxied(tmp_path, kind="ollama", context_length=2048) as proxy:
        told = await proxy.ask(*LONG)
    assert (told.status, proxy.requests) == (400, [])
    assert told.whole["error"]["code"] == "context_length_exceeded"
    assert "maximum context length is 2048 tokens" in told.whole["error"]["message"]


async def test_it_is_made_shorter_if_asked_to_with_the_newest_results_kept(tmp_path: Path) -> None:
    async with proxied(tmp_path, {"text": "Yes."}, kind="ollama", context_length=4096, shorten=True) as proxy:
        told = await proxy.ask(*LONG)
    sent = proxy.requests[0]["messages"]
    assert told.text == "Yes."
    assert "was hidden to save room" in sent[2]["content"]
    assert sent[-1] == LONG[-1]


async def test_a_refusal_of_the_server_that_is_about_length_has_the_code_that_clients_know(tmp_path: Path) -> None:
    async with proxied(tmp_path, kind="llama.cpp", context_length=2048) as proxy:
        told = await proxy.ask(*LONG)
    assert (told.status, told.whole["error"]["code"]) == (400, "context_length_exceeded")
