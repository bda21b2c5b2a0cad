"""Long chats in small contexts: they run to their end, fit at every step, and know every file that was read."""

import json
import random
import re
from typing import Any

import pytest

from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.models.scripted.model import Script
from tests.e2e.command import Command
from tests.scripted_server import running

SUMMARY = """## Goal
Find out which function of the many files returns the answer.
## Progress
### Done
- Looked at several files.
## Next Steps
- Look at the others.
## Files Read
- invented/by_the_model.py
"""
ASKED_FOR_A_SUMMARY = "Sum up the session above"


def chat_of(calls: int, context: int, summary: dict[str, Any]) -> Script:
    reading = [
        {"tool_calls": [{"name": "view_file", "arguments": {"path": path(number)}}]} for number in range(1, calls + 1)
    ]
    return Script.model_validate(
        {
            "replies": [
                {"when": {"contains": ASKED_FOR_A_SUMMARY}, **summary},
                *reading,
                {"text": "It is function_7_3."},
            ],
            "server_style": {"kind": "llama.cpp", "context_length": context, "overflow": "refuse"},
        }
    )


def path(number: int) -> str:
    return f"src/part_{number % 7}/module_{number}.py"


@pytest.fixture
def many_files(mulligan: Command) -> Command:
    chance = random.Random(6)
    for number in range(1, 61):
        file = mulligan.project / path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"def function_{number}_{line}(): return {line}" for line in range(chance.randint(25, 70))]
        file.write_text("\n".join(lines))
    return mulligan


def characters(body: dict[str, Any]) -> int:
    """All that a request says, in messages, calls and descriptions of tools."""
    said = sum(len(message["content"]) for message in body["messages"])
    calls = [call["function"] for message in body["messages"] for call in message.get("tool_calls", ())]
    called = sum(len(call["name"]) + len(call["arguments"]) for call in calls)
    tools = [tool["function"] for tool in body.get("tools", ())]
    return said + called + sum(len(tool["description"]) + len(json.dumps(tool["parameters"])) for tool in tools)


def listed(summary: str) -> set[str]:
    """What stands under Files Read."""
    section = re.split(r"\n## |\n\[", summary.rpartition("## Files Read\n")[2])[0]
    return {line.removeprefix("- ").strip() for line in section.strip().split("\n")}


def called(body: dict[str, Any]) -> set[str]:
    """The paths of calls that the request still shows."""
    calls = [call for message in body["messages"] for call in message.get("tool_calls", ())]
    return {json.loads(call["function"]["arguments"])["path"] for call in calls}


@pytest.mark.parametrize(
    "summary",
    [
        pytest.param({"text": SUMMARY}, id="a model that sums up"),
        pytest.param({"text": ""}, id="a model that says nothing"),
        pytest.param({"status": 400, "body": "no"}, id="a model that fails"),
    ],
)
@pytest.mark.parametrize("context", [4096, pytest.param(8192, marks=pytest.mark.breadth)])
def test_sixty_calls_in_a_small_context_run_to_their_end(
    summary: dict[str, Any], context: int, many_files: Command
) -> None:
    with running(chat_of(60, context, summary)) as server:
        done = many_files.ask(server.base_url, prompt=["which function of the many files returns the answer?"])
        bodies = [request["body"] for request in server.requests()]
    assert (done.end["stop_reason"], done.end["steps"], done.code) == ("answered", 61, 0)
    assert all(characters(body) / 3 <= context for body in bodies)
    assert all(characters(body) / CHARS_PER_TOKEN <= 0.85 * context for body in bodies)
    compacted = [frame for frame in done.frames if frame["type"] == "sentinel"]
    assert all(frame["text"].startswith("Context was full: ") for frame in compacted)
    everything = {path(number) for number in range(1, 61)}
    stored = [frame["message"]["parts"][0]["text"] for frame in compacted if frame["message"]["parts"]][-1]
    assert listed(stored) <= everything
    assert listed(stored) | called(bodies[-1]) == everything
    shown = listed(bodies[-1]["messages"][1]["content"])
    if context == 8192:
        assert shown == listed(stored)
    else:  # the list would take over a tenth of the context
        assert all(re.search(r"/ \(\d+ files?\)$", line) for line in shown)


def test_another_process_goes_on_from_the_summary(many_files: Command) -> None:
    with running(chat_of(60, 8192, {"text": SUMMARY})) as server:
        first = many_files.ask(server.base_url, prompt=["which function of the many files returns the answer?"])
        before = server.requests()[-1]["body"]["messages"]
        server.replace_script(Script.model_validate({"replies": [{"text": "Yes."}]}))
        chat = first.end["chat_id"]
        second = many_files.ask(server.base_url, "--chat", chat, prompt=["are you sure?"])
        (request,) = server.requests()
    assert second.code == 0
    assert request["body"]["messages"][: len(before)] == before
