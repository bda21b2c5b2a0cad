"""Servers that speak OpenAI's chat completions: llama.cpp, Ollama, vLLM, LM Studio and many more."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractContextManager, aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mulligan import __version__
from mulligan.models.chat_reply import ReplyReader
from mulligan.models.chat_request import request_body
from mulligan.models.loose_json import as_list, as_object, as_text
from mulligan.models.server_errors import Endpoint, error_for_status, translated
from mulligan.models.sse import SseDecoder
from mulligan.types.errors import ConfigurationError, ModelRejected, ReplyCutOff
from mulligan.types.model_io import ModelEvent, ModelRequest

if TYPE_CHECKING:
    import httpx2

MAX_ERROR_BYTES = 64 * 1024
MAX_REPLY_BYTES = 16 * 1024 * 1024
"""Bodies that are read whole are cut here: a server must not fill the memory."""
LINGER = 2.0
"""Seconds to wait for what may follow a finish reason: the usage, `[DONE]`, the end of the body."""
KEEP_ALIVE = 60.0
"""Seconds a connection is kept: the tools of a step often take longer than httpx's 5."""
LISTING_TIMEOUT = 10.0


class OpenAIChat:
    """A model behind a chat completions endpoint. Implements `ports.Model`."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        idle_timeout: float = 300.0,
        connect_timeout: float = 3.0,
    ) -> None:
        """Raises `ConfigurationError` for an address or a key that can't be used; connects to nothing yet."""
        self._server = _Server(base_url, api_key, idle_timeout=idle_timeout, connect_timeout=connect_timeout)
        self._model = model
        self._endpoint = self._server.endpoint("/chat/completions", model)
        self._include_usage = True

    @property
    def name(self) -> str:
        return self._model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply as it comes. Closing the generator closes the connection."""
        with self._server.translating(self._endpoint):
            response = await self._ask(request)
            try:
                events = self._whole(response) if _media_type(response) == "application/json" else self._live(response)
                async with aclosing(events):
                    async for event in events:
                        yield event
            finally:
                await response.aclose()

    async def aclose(self) -> None:
        await self._server.aclose()

    async def _ask(self, request: ModelRequest) -> "httpx2.Response":
        """Send the request and wait for an answer that promises a reply."""
        body = request_body(request, self._model, include_usage=self._include_usage)
        response = await self._server.send("POST", self._endpoint, body)
        if response.is_success:
            await _refuse_web_page(response, self._endpoint)
            return response
        refusal = await _read_refusal(response)
        if self._include_usage and response.status_code in (400, 422) and b"stream_options" in refusal:
            self._include_usage = False
            return await self._ask(request)
        raise error_for_status(response.status_code, response.headers, refusal, self._endpoint)

    async def _live(self, response: "httpx2.Response") -> AsyncGenerator[ModelEvent]:
        reader, decoder = ReplyReader(self._endpoint), SseDecoder()
        async with aclosing(response.aiter_bytes()) as body:
            while (chunk := await _next_chunk(body, ending=bool(reader.finish_reason) or decoder.done)) is not None:
                for payload in decoder.feed(chunk):
                    for event in reader.read(payload):
                        yield event
        for payload in decoder.close():
            for event in reader.read(payload):
                yield event
        for event in reader.close():
            yield event

    async def _whole(self, response: "httpx2.Response") -> AsyncGenerator[ModelEvent]:
        """The reply of a server that does not stream."""
        reader = ReplyReader(self._endpoint)
        for event in [*reader.read(await _read_json(response, self._endpoint)), *reader.close()]:
            yield event


async def list_models(base_url: str, api_key: str | None = None) -> list[str]:
    """The names of the models that the server offers. Raises what a reply would raise."""
    server = _Server(base_url, api_key, idle_timeout=LISTING_TIMEOUT, connect_timeout=3.0)
    endpoint = server.endpoint("/models")
    try:
        with server.translating(endpoint):
            response = await server.send("GET", endpoint)
            if not response.is_success:
                refusal = await _read_refusal(response)
                raise error_for_status(response.status_code, response.headers, refusal, endpoint)
            await _refuse_web_page(response, endpoint)
            listing = await _read_json(response, endpoint)
    finally:
        await server.aclose()
    # Some servers answer with the bare list.
    entries = as_list(as_object(listing).get("data")) or as_list(listing)
    return [name for entry in entries if (name := as_text(as_object(entry).get("id")))]


class _Server:
    """One address, and the one client that keeps its connections."""

    def __init__(self, base_url: str, api_key: str | None, *, idle_timeout: float, connect_timeout: float) -> None:
        self._base_url = _checked_url(base_url)
        self._api_key = _checked_key(api_key)
        self._idle_timeout = idle_timeout
        self._connect_timeout = connect_timeout
        self._client: httpx2.AsyncClient | None = None

    def endpoint(self, path: str, model: str | None = None) -> Endpoint:
        return Endpoint(self._base_url + path, model, self._api_key)

    def translating(self, endpoint: Endpoint) -> AbstractContextManager[None]:
        return translated(endpoint, idle_timeout=self._idle_timeout, connect_timeout=self._connect_timeout)

    async def send(self, method: str, endpoint: Endpoint, body: bytes | None = None) -> "httpx2.Response":
        if self._client is None:
            self._client = self._new_client()
        headers = {"content-type": "application/json"} if body is not None else {}
        request = self._client.build_request(method, endpoint.url, content=body, headers=headers)
        return await self._client.send(request, stream=True)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _new_client(self) -> "httpx2.AsyncClient":
        import httpx2  # 80 ms, paid only by those who talk to a server

        parts = urlsplit(self._base_url)
        # Compressed events would sit in the server's buffer until it is full.
        headers = {"user-agent": f"mulligan/{__version__}", "accept-encoding": "identity"}
        if self._api_key:
            headers["authorization"] = f"Bearer {self._api_key}"
        try:
            return httpx2.AsyncClient(
                headers=headers,
                timeout=httpx2.Timeout(self._idle_timeout, connect=self._connect_timeout),
                limits=httpx2.Limits(keepalive_expiry=KEEP_ALIVE),
                # Loading the certificates costs 30 ms; plain http has no use for them. This context trusts nobody.
                verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if parts.scheme == "http" else True,
                trust_env=not _is_loopback(parts.hostname or ""),
            )
        except (ImportError, ValueError, httpx2.InvalidURL) as error:
            raise ConfigurationError(f"The proxy set in the environment can't be used: {error}") from error


async def _next_chunk(body: AsyncIterator[bytes], *, ending: bool) -> bytes | None:
    """The next bytes, or None at the end. Once the reply is whole, neither silence nor a lost connection harms it."""
    if not ending:
        return await anext(body, None)
    import httpx2

    try:
        async with asyncio.timeout(LINGER):
            return await anext(body, None)
    except (TimeoutError, httpx2.HTTPError):
        return None


async def _read(response: "httpx2.Response", limit: int) -> bytes:
    """The body, as far as the limit goes. The response is closed."""
    body = bytearray()
    try:
        async with aclosing(response.aiter_bytes()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > limit:
                    break
    finally:
        await response.aclose()
    return bytes(body[:limit])


async def _read_refusal(response: "httpx2.Response") -> bytes:
    """The body of an error, if it comes: the status alone says what matters."""
    import httpx2

    try:
        return await _read(response, MAX_ERROR_BYTES)
    except httpx2.HTTPError:
        return b""


async def _read_json(response: "httpx2.Response", endpoint: Endpoint) -> Any:
    try:
        return json.loads(await _read(response, MAX_REPLY_BYTES))
    except (ValueError, RecursionError) as error:
        raise ReplyCutOff(f"The answer of {endpoint.shown} is not whole JSON.") from error


async def _refuse_web_page(response: "httpx2.Response", endpoint: Endpoint) -> None:
    if _media_type(response) == "text/html":
        await response.aclose()
        raise ModelRejected(f"{endpoint.shown} answered with a web page. Check base_url, which often ends in /v1.")


def _media_type(response: "httpx2.Response") -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _checked_url(base_url: str) -> str:
    url = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        host_ok = parts.hostname and not any(char.isspace() for char in url)
        usable = parts.scheme in ("http", "https") and host_ok and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(f"base_url must look like http://127.0.0.1:8080/v1, not {base_url!r}.")
    return url


def _checked_key(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    if not key.isascii() or not key.isprintable():
        raise ConfigurationError("The API key holds characters that can't be sent. Was it copied whole?")
    return key or None


def _is_loopback(host: str) -> bool:
    """A proxy can't reach our own machine, so none is used for it."""
    import ipaddress

    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
