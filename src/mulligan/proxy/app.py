"""The proxy as an application: routing, access control, and how responses go out.

It is a bare ASGI application: a framework would take longer per chunk than everything we do to it.
"""

import asyncio
import json
from contextlib import aclosing
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.core.proxy.switches import SwitchedOff
from mulligan.models.wire.http_client import is_success, media_type, read_refusal
from mulligan.proxy import anthropic_wire
from mulligan.proxy.access import Access
from mulligan.proxy.client_response import Answer, ClientResponse
from mulligan.proxy.dialects import ANTHROPIC, OPENAI, Dialect
from mulligan.proxy.exchange import ClientRequest, Exchange
from mulligan.proxy.journal import Account, Journal
from mulligan.proxy.openai_wire import read_tools
from mulligan.proxy.upstream import Upstream
from mulligan.runtime.lenient_json import as_object
from mulligan.runtime.serving.requests import ClientGone, read_body
from mulligan.types.errors import ModelError
from mulligan.types.tool_calls import JsonObject

MAX_BODY_BYTES = 32_000_000
"""A context of a million tokens, or a few screenshots."""
_PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/proxy.js": ("proxy.js", "text/javascript; charset=utf-8"),
    "/proxy.css": ("proxy.css", "text/css; charset=utf-8"),
}
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


@dataclass(frozen=True, slots=True)
class ProxyApp:
    upstream: Upstream
    journal: Journal
    access: Access
    switched_off: SwitchedOff = field(default_factory=SwitchedOff)
    shorten: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        response = ClientResponse(send)
        path, method = scope["path"].rstrip("/") or "/", scope["method"]
        refused = self.access.refusal(scope, headers)
        if refused:
            await response.answer(Answer(refused[0], _dialect(path).error(*refused)))
            return
        match method, path:
            case "POST", "/v1/chat/completions":
                await self._exchange(OPENAI, headers, receive, response)
            case "POST", "/v1/messages":
                await self._exchange(ANTHROPIC, headers, receive, response)
            case "POST", "/v1/messages/count_tokens":
                await self._count_tokens(headers, receive, response)
            case "GET", "/v1/models":
                await self._models(response)
            case "GET", "/metrics":
                text = self.journal.metrics().encode()
                await response.answer(Answer(200, text, {"content-type": "text/plain; version=0.0.4"}))
            case "GET", "/proxy/state":
                body = json.dumps({"totals": self.journal.totals(), "actions": self.journal.newest()}).encode()
                await response.answer(Answer(200, body, {"cache-control": "no-store"}))
            case "GET", "/proxy/events":
                await self._events(receive, response)
            case "GET", _ if path in _PAGE:
                name, kind = _PAGE[path]
                content = (files("mulligan.proxy") / "page" / name).read_bytes()
                await response.answer(Answer(200, content, {**_PAGE_HEADERS, "content-type": kind}))
            case _, _ if path.startswith("/v1/"):
                await self._forward(method, path, headers, receive, response)
            case _:
                await response.answer(Answer(404, OPENAI.error(404, f"there is nothing at {path}")))

    async def _exchange(self, dialect: Dialect, headers: Headers, receive: Receive, response: ClientResponse) -> None:
        account = Account(client_name(headers), dialect.name)
        with self.journal.request(account):
            try:
                raw, body = await _read_json(headers, receive)
            except _BadRequest as bad:
                account.status = bad.status
                await response.answer(Answer(bad.status, dialect.error(bad.status, str(bad))))
                return
            except ClientGone:
                return
            exchange = Exchange(
                self._request(dialect, headers, raw, body, account), self.upstream, self.journal, account, response
            )
            response.streams = bool(body.get("stream"))
            await _until_gone(exchange.run(), receive)
            await response.end()
            account.status = account.status or 200

    def _request(
        self, dialect: Dialect, headers: Headers, raw: bytes, body: JsonObject, account: Account
    ) -> ClientRequest:
        switches = self.switched_off.switches_for(account.client, headers.get("x-mulligan-off"))
        failed: dict[str, bool] = {}
        chat, bytes_ = body, raw
        if dialect is ANTHROPIC:
            chat, failed = anthropic_wire.to_chat(body)
            bytes_ = None
        elif body.get("n") not in (None, 1):
            switches = switches.without(["text_calls", "arguments", "names", "thinking", "empty", "repetition"])
        return ClientRequest(
            dialect,
            chat,
            bytes_,
            stream=bool(body.get("stream")),
            switches=switches,
            key=self._key(headers),
            shorten=self.shorten or headers.get("x-mulligan-shorten") == "yes",
            failed=failed,
        )

    def _key(self, headers: Headers) -> dict[str, str]:
        """The client's own key, if none is configured and it is not our token."""
        if self.upstream.key or self.access.token_digest:
            return {}
        given = headers.get("authorization") or ""
        if not given and headers.get("x-api-key"):
            given = f"Bearer {headers['x-api-key']}"
        return {"authorization": given} if given else {}

    async def _models(self, response: ClientResponse) -> None:
        try:
            names = await self.upstream.models()
        except ModelError as error:
            await response.answer(Answer(502, OPENAI.error(502, str(error))))
            return
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "mulligan-proxy"} for name in names]
        # Anthropic's clients read other fields of the same list.
        models = [{**each, "type": "model", "display_name": each["id"]} for each in listed]
        await response.answer(Answer(200, json.dumps({"object": "list", "data": models, "has_more": False}).encode()))

    async def _count_tokens(self, headers: Headers, receive: Receive, response: ClientResponse) -> None:
        try:
            _, body = await _read_json(headers, receive)
        except (_BadRequest, ClientGone) as bad:
            await response.answer(Answer(400, ANTHROPIC.error(400, str(bad))))
            return
        chat, _ = anthropic_wire.to_chat(body)
        size = len(json.dumps([chat["messages"], [spec.parameters for spec in read_tools(chat)]]))
        await response.answer(Answer(200, json.dumps({"input_tokens": int(size / CHARS_PER_TOKEN)}).encode()))

    async def _events(self, receive: Receive, response: ClientResponse) -> None:
        async def tell() -> None:
            await response.begin_events()
            async with aclosing(self.journal.watch()) as events:
                async for event in events:
                    await response.reply(f"data: {event}\n\n".encode())

        await _until_gone(tell(), receive)

    async def _forward(
        self, method: str, path: str, headers: Headers, receive: Receive, response: ClientResponse
    ) -> None:
        """Anything else that the server supports, such as embeddings: forwarded unchanged."""
        server = self.upstream.server
        if server is None:
            await response.answer(Answer(404, OPENAI.error(404, f"this model has no {path}")))
            return
        try:
            body = await _read_body(headers, receive) if method not in ("GET", "HEAD") else None
            endpoint = server.endpoint(path.removeprefix("/v1"))
            with server.translating(endpoint):
                reply = await server.send(method, endpoint, body, headers=self._key(headers))
                whole = await (server.read_body(reply, endpoint) if is_success(reply) else read_refusal(reply))
            answer = Answer(reply.status_code, whole, {"content-type": media_type(reply) or "application/json"})
        except _BadRequest as bad:
            answer = Answer(bad.status, OPENAI.error(bad.status, str(bad)))
        except ClientGone:
            return
        except ModelError as error:
            answer = Answer(502, OPENAI.error(502, str(error)))
        await response.answer(answer)


def client_name(headers: Headers) -> str:
    """The client's name: from a header made for that, or the start of its user agent."""
    header = headers.get("x-mulligan-client") or headers.get("user-agent") or "unknown"
    name = header.split("/", 1)[0].split(" ", 1)[0].strip().lower()
    return "".join(char for char in name if char.isalnum() or char in "-_.")[:40] or "unknown"


def _dialect(path: str) -> Dialect:
    return ANTHROPIC if path.startswith("/v1/messages") else OPENAI


class _BadRequest(Exception):
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


async def _read_json(headers: Headers, receive: Receive) -> tuple[bytes, JsonObject]:
    raw = await _read_body(headers, receive)
    try:
        body = as_object(json.loads(raw))
    except (ValueError, RecursionError):
        body = {}
    if not isinstance(body.get("messages"), list):
        raise _BadRequest(400, "the body must be a JSON object with `messages`")
    return raw, body


async def _read_body(headers: Headers, receive: Receive) -> bytes:
    body = await read_body(headers, receive, MAX_BODY_BYTES)
    if body is None:
        raise _BadRequest(413, f"a request may have at most {MAX_BODY_BYTES // 1_000_000} MB")
    return body


async def _until_gone(work: Any, receive: Receive) -> None:
    """Run `work` as long as the client is connected: a model that writes for nobody keeps others waiting."""

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    doing, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone())
    try:
        await asyncio.wait([doing, leaving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        if not doing.done():
            doing.cancel()
            await asyncio.wait([doing])
    if not doing.cancelled():
        doing.result()
