"""The command against servers that behave like Ollama, llama.cpp, vLLM and LM Studio, with what they can't do."""

import json
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command
from tests.scripted_server import running

KINDS = ["ollama", "llama.cpp", "vllm", "lmstudio"]
LIMITS: list[Any] = [
    pytest.param({}, id="takes everything"),
    pytest.param({"tools": "refused"}, id="without tools"),
    pytest.param({"tools": "refused", "json_schema": "refused"}, id="without tools and schema"),
    pytest.param({"tools": "ignored", "json_schema": "ignored"}, id="ignoring both"),
]

AS_TEXT = '<tool_call>\n{"name": "view_file", "arguments": {"path": "a.py"}}\n</tool_call>'


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_call_that_comes_as_text_is_carried_out_whatever_the_server_can_do(
    kind: str, limits: dict[str, Any], mulligan: Command
) -> None:
    server_style = {"kind": kind, "context_length": 8192, **limits}
    replies = [{"text": AS_TEXT}, {"text": "It returns a."}]
    with running(Script.model_validate({"replies": replies, "server_style": server_style})) as server:
        done = mulligan.ask(server.base_url)
    results = [frame for frame in done.frames if frame["type"] == "tool_result"]
    assert (done.end["stop_reason"], done.code) == ("answered", 0)
    assert ["def a():" in result["content"] for result in results] == [True]
    said = [frame["text"] for frame in done.frames if frame["type"] == "text_delta"]
    assert "".join(said).strip() == "It returns a."


def test_what_a_server_refused_is_remembered(mulligan: Command) -> None:
    server_style = {"kind": "ollama", "tools": "refused"}
    answer = {"text": '{"tool": "answer", "text": "Here."}'}
    with running(Script.model_validate({"replies": [answer], "then": "loop", "server_style": server_style})) as server:
        first = mulligan.ask(server.base_url)
        tried = [sorted(request["body"].keys() & {"tools", "response_format"}) for request in server.requests()]
        second = mulligan.ask(server.base_url)
        later = [sorted(request["body"].keys() & {"tools", "response_format"}) for request in server.requests()]
    assert (first.code, second.code) == (0, 0)
    assert tried == [["tools"], ["response_format"]]
    assert later[2:] == [["response_format"]]


def test_the_short_context_of_ollama_is_known_before_it_cuts_anything(mulligan: Command) -> None:
    long = "\n".join(f"def function_{line}(argument): return argument + {line}" for line in range(400))
    for number in range(8):
        (mulligan.project / f"long_{number}.py").write_text(long)
    reading = [{"tool_calls": [{"name": "view_file", "arguments": {"path": f"long_{n}.py"}}]} for n in range(8)]
    server_style = {"kind": "ollama", "context_length": 4096, "overflow": "refuse"}
    with running(
        Script.model_validate({"replies": [*reading, {"text": "All alike."}], "server_style": server_style})
    ) as server:
        done = mulligan.ask(server.base_url)
    assert (done.end["stop_reason"], done.end["steps"]) == ("answered", 9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_probe_tells_what_the_server_can_do(kind: str, mulligan: Command) -> None:
    server_style = {"kind": kind, "context_length": 4096, "tools": "refused"}
    with running(
        Script.model_validate({"replies": [{"text": "ok"}], "then": "loop", "server_style": server_style})
    ) as server:
        done = mulligan("models", "probe", "--json", "--base-url", server.base_url, "--model", "scripted")
    assert done.code == 0, done.stderr
    profile = json.loads(done.stdout)
    assert (profile["native_tools"], profile["probed"], profile["agency"]) == (False, True, "guided")
