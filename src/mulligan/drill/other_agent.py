"""A typical agent: it sends the whole history, runs the calls it gets, and is done when a reply has none."""

import asyncio
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2

from mulligan.drill.fault import ProxyStep
from mulligan.drill.observed import ProxiedReply
from mulligan.runtime.lenient_json import as_list, as_object, as_text
from mulligan.types.tool_calls import JsonObject

MAX_REQUESTS = 20
"""Far more than any guard allows: an agent that gets there would continue forever."""
REPLY_SECONDS = 30.0
LOOK_SECONDS = 0.02
"""Between two checks for the proxy's address."""
TASK = "Make the tests pass."
RESULTS = {"read_file": "def one():\n    return 'one'\n", "edit_file": "Edited.", "run_shell": "2 tests ran."}
"""What the agent's tools return."""


_ADDRESS = re.compile(r"is at (http://\S+), in front of")


def _tool(name: str, needed: tuple[str, ...], **types: str) -> JsonObject:
    properties = {field: {"type": kind} for field, kind in types.items()}
    parameters = {"type": "object", "properties": properties, "required": list(needed)}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


TOOLS = [
    _tool("read_file", ("path",), path="string", whole="boolean"),
    _tool("edit_file", ("path", "old", "new"), path="string", old="string", new="string"),
    _tool("run_shell", ("command",), command="string"),
]


async def proxy_address(stderr: Path) -> str:
    """Wait until the proxy listens and prints its address to standard error."""
    while (address := _ADDRESS.search(_read_text(stderr))) is None:  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(LOOK_SECONDS)
    return address[1]


def _read_text(file: Path) -> str:
    return file.read_text("utf-8", "replace") if file.exists() else ""


async def converse(step: ProxyStep, base_url: str, replies: list[ProxiedReply]) -> None:
    """Do one task from start to end. Replies are appended as they arrive."""
    messages: list[JsonObject] = [{"role": "user", "content": TASK}]
    async with httpx2.AsyncClient(timeout=REPLY_SECONDS, trust_env=False) as client:
        while len(replies) < MAX_REQUESTS:
            body = {"model": step.script.model, "messages": [*messages], "tools": TOOLS}
            reply = await _ask(client, f"{base_url}/chat/completions", {**body, "stream": True})
            replies.append(reply)
            if not reply.calls:
                return
            messages += _after(reply, step, len(replies))


def _after(reply: ProxiedReply, step: ProxyStep, number: int) -> list[JsonObject]:
    """The reply and the results of its calls, as messages of the history."""
    calls = [
        {"id": f"c{number}_{index}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for index, (name, arguments) in enumerate(reply.calls)
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": _result(*call_parts, step)}
        for call, call_parts in zip(calls, reply.calls, strict=True)
    ]
    return [{"role": "assistant", "content": reply.text or None, "tool_calls": calls}, *results]


def _result(name: str, arguments: str, step: ProxyStep) -> str:
    if name not in RESULTS:
        return f"Error: unknown tool {name}"
    try:
        json.loads(arguments)
    except ValueError as error:
        return f"Error: invalid arguments: {error}"
    return step.results.get(name, RESULTS[name])


async def _ask(client: httpx2.AsyncClient, url: str, body: JsonObject) -> ProxiedReply:
    status, raw = None, b""
    with suppress(httpx2.HTTPError):  # the agent has what arrived until then
        async with client.stream("POST", url, json=body) as response:
            status = response.status_code
            async for chunk in response.aiter_bytes():
                raw += chunk
    return _read(body, status, raw)


def _read(sent: JsonObject, status: int | None, raw: bytes) -> ProxiedReply:
    lines = (line.removeprefix("data: ") for line in raw.decode().splitlines() if line.startswith("data: "))
    payloads = [as_object(json.loads(line)) for line in lines if line != "[DONE]"]
    choices = [as_object(choice) for payload in payloads for choice in as_list(payload.get("choices"))]
    deltas = [as_object(choice.get("delta")) for choice in choices]
    return ProxiedReply(
        sent,
        status,
        raw,
        "".join(as_text(delta.get("content")) for delta in deltas),
        _calls(deltas),
        next((choice["finish_reason"] for choice in choices if choice.get("finish_reason")), None),
    )


def _calls(deltas: list[JsonObject]) -> tuple[tuple[str, str], ...]:
    found: dict[Any, list[str]] = {}
    for piece in (as_object(piece) for delta in deltas for piece in as_list(delta.get("tool_calls"))):
        call, function = found.setdefault(piece.get("index"), ["", ""]), as_object(piece.get("function"))
        call[0] += as_text(function.get("name"))
        call[1] += as_text(function.get("arguments"))
    return tuple((name, arguments) for name, arguments in found.values())
