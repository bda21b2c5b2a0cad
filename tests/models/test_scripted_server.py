import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedReply
from mulligan.models.scripted.server import main, running, serve_script
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.model_io import Finished, ModelRequest, TextDelta, UserText
from tests.patience import PATIENCE

HELLO = ModelRequest((UserText("hello"),))
COMPLETIONS = "/v1/chat/completions"


def ask(base_url: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """The status and the JSON body, by a client that is none of ours."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


async def converse(base_url: str, requests: int) -> None:
    model = OpenAIChat(base_url, "m")
    for _ in range(requests):
        assert [event async for event in model.stream(HELLO)][-1] == Finished("stop")
    await model.aclose()


async def test_a_client_that_does_not_stream_gets_the_whole_reply() -> None:
    call = ScriptedCall(name="ls", arguments={"path": "."})
    async with serve_script(
        Script(replies=(ScriptedReply(text="Look", reasoning="hm", tool_calls=(call,)),))
    ) as server:
        status, payload = await asyncio.to_thread(ask, server.base_url, "POST", COMPLETIONS, {"messages": []})

    assert status == 200
    assert payload["object"] == "chat.completion"
    assert payload["choices"] == [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Look",
                "reasoning_content": "hm",
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "call_1_0",
                        "type": "function",
                        "function": {"name": "ls", "arguments": '{"path":"."}'},
                    }
                ],
            },
            "finish_reason": "tool_calls",
        }
    ]


async def test_a_whole_reply_can_be_cut_too() -> None:
    async with serve_script(Script(replies=(ScriptedReply(text="Look", cut_after=0),))) as server:
        with pytest.raises(http.client.IncompleteRead):
            await asyncio.to_thread(ask, server.base_url, "POST", COMPLETIONS, {"messages": []})


async def test_usage_is_streamed_only_to_those_who_ask_for_it() -> None:
    def stream(base_url: str, options: Any) -> bytes:
        connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE)
        connection.request("POST", COMPLETIONS, json.dumps({"messages": [], "stream": True, **options}))
        with connection.getresponse() as response:
            body = response.read()
        connection.close()
        return body

    async with serve_script(Script(replies=(ScriptedReply(text="x", times=2),))) as server:
        without = await asyncio.to_thread(stream, server.base_url, {})
        with_usage = await asyncio.to_thread(stream, server.base_url, {"stream_options": {"include_usage": True}})

    assert b'"usage"' not in without
    assert b'"usage"' in with_usage


async def test_requests_are_told_with_their_times() -> None:
    async with serve_script(Script(replies=(ScriptedReply(text="x", times=2),))) as server:
        await converse(server.base_url, 2)
        _, seen = await asyncio.to_thread(ask, server.base_url, "GET", "/_requests")

    assert [request["number"] for request in seen] == [1, 2]
    assert [request["disconnected"] for request in seen] == [False, False]
    assert seen[0]["body"]["messages"] == [{"role": "user", "content": "hello"}]
    assert seen[0]["arrived"] <= seen[0]["finished"] <= seen[1]["arrived"] <= seen[1]["finished"]


async def test_a_chunk_tells_when_it_left() -> None:
    reply = ScriptedReply(text="$t $t ", chunk_size=3, chunk_delay=0.001, timed=True)
    async with serve_script(Script(replies=(reply,))) as server:
        model = OpenAIChat(server.base_url, "m")
        said = [event.text async for event in model.stream(HELLO) if isinstance(event, TextDelta)]
        await model.aclose()
        seen = await server.asked(1)
        await server.idle()

    first, second = (int(text) / 1_000_000 for text in said)
    assert seen.finished is not None
    assert seen.arrived - 0.000_001 <= first < second <= seen.finished


async def test_another_script_begins_anew() -> None:
    async with serve_script(Script(replies=())) as server:
        refused, _ = await asyncio.to_thread(ask, server.base_url, "POST", COMPLETIONS, {"messages": []})
        new = {"replies": [{"text": "request $n"}]}
        accepted, _ = await asyncio.to_thread(ask, server.base_url, "POST", "/_script", new)
        _, payload = await asyncio.to_thread(ask, server.base_url, "POST", COMPLETIONS, {"messages": []})

    assert (refused, accepted) == (400, 200)
    assert payload["choices"][0]["message"]["content"] == "request 1"
    assert [seen.number for seen in server.requests] == [1]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        pytest.param("POST", "/_script", {"replies": [{"txt": "a"}]}, 400, id="a script that is none"),
        pytest.param("GET", "/v1/chat/completions", None, 404, id="the wrong method"),
        pytest.param("POST", "/v1/embeddings", {}, 404, id="the wrong path"),
        pytest.param("GET", "/v1/models?limit=1", None, 200, id="a query is ignored"),
    ],
)
async def test_other_requests_are_answered_in_json(method: str, path: str, body: Any, status: int) -> None:
    async with serve_script(Script(replies=())) as server:
        assert (await asyncio.to_thread(ask, server.base_url, method, path, body))[0] == status


async def test_a_body_that_is_no_json_is_refused() -> None:
    def post(base_url: str) -> int:
        connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE)
        connection.request("POST", COMPLETIONS, "not JSON")
        with connection.getresponse() as response:
            status = response.status
        connection.close()
        return status

    async with serve_script(Script(replies=())) as server:
        assert await asyncio.to_thread(post, server.base_url) == 400


async def test_a_server_that_stops_drops_its_clients() -> None:
    async with serve_script(Script(replies=(ScriptedReply(text="x", hang=1),))) as server:
        model = OpenAIChat(server.base_url, "m")
        await anext(events := model.stream(HELLO))
    await events.aclose()
    await model.aclose()

    assert server.requests[0].disconnected


async def test_the_process_serves_a_script_and_takes_another() -> None:
    with running(Script(replies=(ScriptedReply(text="one"),))) as server:
        await converse(server.base_url, 1)
        server.replace_script(Script(replies=(ScriptedReply(text="two", times=2),)))
        await converse(server.base_url, 2)

        assert [request["number"] for request in server.requests()] == [1, 2]


def test_a_process_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")

    with pytest.raises(RuntimeError, match="did not start"), running(Script(replies=())):
        pass


async def test_the_process_logs_every_answered_request(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with running(Script(replies=(ScriptedReply(text="x", times=2),)), log=log) as server:
        await converse(server.base_url, 2)

    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [line["number"] for line in lines] == [1, 2]
    assert lines[0]["body"]["stream"] is True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_cleanly(number: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"replies": [{"text": "x", "hang": 0}]}', encoding="utf-8")
    command = [sys.executable, "-m", "mulligan.models.scripted.server", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        base_url: str = process.stdout.readline().removeprefix("listening on ").strip()
        connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE)
        connection.request("POST", COMPLETIONS, '{"messages": [], "stream": true}')
        os.kill(process.pid, number)
        _, complaints = process.communicate()
        connection.close()

    assert process.returncode == 0
    assert complaints == ""


@pytest.mark.parametrize("content", [None, "{", '{"replies": [{"txt": "a"}]}'])
def test_a_script_that_can_not_be_used_is_a_usage_error(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.json"
    if content is not None:
        script.write_text(content, encoding="utf-8")

    assert main([str(script)]) == 2
    assert str(script) in capsys.readouterr().err
