"""A proxy in front of a scripted server, both on real sockets, and a plain client."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from mulligan.core.proxy.switches import read_switches
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.proxy.access import Access
from mulligan.proxy.app import ProxyApp
from mulligan.proxy.process import open_proxy, running_proxy
from mulligan.runtime.serving.listening import address, listen
from mulligan.types.settings import Settings
from tests.patience import PATIENCE

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"to {name}",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "all": {"type": "boolean"}},
                "required": ["path"],
            },
        },
    }
    for name in ("read", "write")
]


@dataclass(frozen=True)
class Proxied:
    url: str
    client: httpx2.AsyncClient
    model: ScriptedServer
    app: ProxyApp

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What the model was asked."""
        return [seen.body for seen in self.model.requests]

    async def ask(self, *messages: dict[str, Any], headers: dict[str, str] | None = None, **more: Any) -> "Told":
        body = {"model": "scripted", "messages": messages or [user()], "tools": TOOLS, "stream": True, **more}
        return await self.post("/v1/chat/completions", body, headers)

    async def post(self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> "Told":
        response = await self.client.post(f"{self.url}{path}", json=body, headers=headers or {})
        return Told(response.status_code, response.content)


@dataclass(frozen=True)
class Told:
    """What the client got."""

    status: int
    raw: bytes

    @property
    def payloads(self) -> list[dict[str, Any]]:
        lines = [line.removeprefix("data: ") for line in self.raw.decode().split("\n") if line.startswith("data: ")]
        return [json.loads(line) for line in lines if line != "[DONE]"]

    @property
    def whole(self) -> dict[str, Any]:
        return json.loads(self.raw)

    @property
    def choices(self) -> list[dict[str, Any]]:
        return [choice for payload in self.payloads for choice in payload.get("choices", ())]

    @property
    def text(self) -> str:
        return "".join(choice["delta"].get("content") or "" for choice in self.choices)

    @property
    def reasoning(self) -> str:
        return "".join(choice["delta"].get("reasoning_content") or "" for choice in self.choices)

    @property
    def finish(self) -> list[str]:
        return [choice["finish_reason"] for choice in self.choices if choice["finish_reason"]]

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """Names and arguments, which have to be JSON."""
        found: dict[int, dict[str, str]] = {}
        for choice in self.choices:
            for piece in choice["delta"].get("tool_calls") or ():
                call = found.setdefault(piece["index"], {"name": "", "arguments": ""})
                for field, value in piece["function"].items():
                    call[field] += value
        return [(call["name"], json.loads(call["arguments"])) for call in found.values()]


def user(text: str = "Look at it.") -> dict[str, Any]:
    return {"role": "user", "content": text}


def step(number: int, name: str, arguments: Any, result: str) -> list[dict[str, Any]]:
    """A call and its result, as a history has them."""
    function = {"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


def call(name: str, arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


@asynccontextmanager
async def proxied(
    home: Path,
    *replies: dict[str, Any],
    then: str = "fail",
    off: tuple[str, ...] = (),
    access: Access | None = None,
    shorten: bool = False,
    log: list[str] | None = None,
    settings: dict[str, Any] | None = None,
    **style: Any,
) -> AsyncGenerator[Proxied]:
    script = Script.model_validate({"replies": replies, "then": then, "server_style": style})
    async with serve_script(script) as server:
        configured = Settings.model_validate(
            {"home": home, "project": home, "base_url": server.base_url, "discovery": False, **(settings or {})}
        )
        listening = listen("127.0.0.1", 0)
        async with (
            open_proxy(
                configured,
                tell=lambda _: None,
                access=access or Access(),
                switched_off=read_switches(off),
                shorten=shorten,
                log=log.append if log is not None else None,
            ) as app,
            running_proxy(app, listening, configured),
            httpx2.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
        ):
            yield Proxied(address(listening).rstrip("/"), client, server, app)


async def direct(*replies: dict[str, Any], **body: Any) -> list[bytes]:
    """What a server with the same script sends without a proxy."""
    async with (
        serve_script(Script.model_validate({"replies": replies})) as server,
        httpx2.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        sent = {"model": "scripted", "messages": [user()], "tools": TOOLS, "stream": True, **body}
        return [(await client.post(f"{server.base_url}/chat/completions", json=sent)).content for _ in replies]
