"""The connection to a model server, whatever protocol it speaks: one client, its time limits, and bounded bodies."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, aclosing, suppress
from typing import Any
from urllib.parse import urlsplit

from mulligan import __version__
from mulligan.core.waiting import WaitLimit
from mulligan.models.wire.http_exchange import HttpClient, HttpFailed, HttpResponse
from mulligan.models.wire.server_errors import Endpoint, error_for_status, stalled, translated
from mulligan.runtime.sse import MAX_EVENT_BYTES
from mulligan.types.errors import ConfigurationError, ModelRejected, ReplyCutOff

MAX_ERROR_BYTES = 64 * 1024
ERROR_TIMEOUT = 5.0
"""Bytes and seconds for the body of an error: its status says what matters."""


def as_bearer(api_key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {api_key}"}


class ModelServer:
    """One address, and the one client that keeps its connections."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        idle_timeout: float,
        connect_timeout: float,
        key_header: Callable[[str], Mapping[str, str]] = as_bearer,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Raises `ConfigurationError` for an address or a key that can't be used; does not connect yet."""
        self._base_url = _checked_url(base_url)
        self._api_key = _checked_key(api_key)
        # Compressed events would stay in the server's buffer until it is full.
        self._headers = {"user-agent": f"mulligan/{__version__}", "accept-encoding": "identity", **(headers or {})}
        if self._api_key:
            self._headers.update(key_header(self._api_key))
        self.idle_timeout = idle_timeout
        self._connect_timeout = connect_timeout
        self._client: HttpClient | None = None

    def endpoint(self, path: str, model: str | None = None) -> Endpoint:
        return Endpoint(self._base_url + path, model, self._api_key)

    def translating(self, endpoint: Endpoint) -> AbstractContextManager[None]:
        return translated(endpoint, idle_timeout=self.idle_timeout, connect_timeout=self._connect_timeout)

    async def send(
        self,
        method: str,
        endpoint: Endpoint,
        body: bytes | None = None,
        *,
        limit: WaitLimit | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """The response, with only its head received. `headers` override those of every request.

        Raises `ModelUnreachable` if the head does not arrive completely in time.
        """
        limit = limit or WaitLimit(self.idle_timeout, "the beginning of an answer", "idle_timeout")
        if self._client is None:
            self._client = self.new_client()
        sent = {"content-type": "application/json"} if body is not None else {}
        sent = {**self._headers, **sent, **(headers or {})}
        try:
            async with asyncio.timeout(limit.seconds):
                return await self._client.send(method, endpoint.url, sent, body)
        except TimeoutError as error:
            raise stalled(endpoint, limit) from error

    async def get_json(self, path: str) -> Any:
        """The response to a GET. Raises what a reply would raise."""
        endpoint = self.endpoint(path)
        with self.translating(endpoint):
            response = await self.send("GET", endpoint)
            await require_success(response, endpoint)
            return await self.read_json(response, endpoint)

    async def read_json(self, response: HttpResponse, endpoint: Endpoint) -> Any:
        """The whole body, parsed. Raises `ReplyCutOff`, and `TimeoutError` if it takes too long."""
        try:
            return json.loads(await self.read_body(response, endpoint))
        except (ValueError, RecursionError) as error:
            raise ReplyCutOff(f"The answer of {endpoint.shown} is not whole JSON.") from error

    async def read_body(self, response: HttpResponse, endpoint: Endpoint) -> bytes:
        """The whole body as bytes. Raises like `read_json`."""
        body = bytearray()
        async with asyncio.timeout(self.idle_timeout):
            await _read(response, body, MAX_EVENT_BYTES)
        if len(body) > MAX_EVENT_BYTES:
            raise ReplyCutOff(f"The answer of {endpoint.shown} has more than {MAX_EVENT_BYTES // 1024 // 1024} MB.")
        return bytes(body)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def new_client(self) -> HttpClient:
        limits = {"connect_timeout": self._connect_timeout, "send_timeout": self.idle_timeout}
        if _is_direct(self._base_url):
            from mulligan.models.wire.direct_client import DirectClient

            return DirectClient(**limits)
        from mulligan.models.wire.httpx_client import HttpxClient

        host = urlsplit(self._base_url).hostname or ""
        return HttpxClient(**limits, trust_environment=not is_loopback(host))


def is_success(response: HttpResponse) -> bool:
    return 200 <= response.status_code < 300


async def require_success(response: HttpResponse, endpoint: Endpoint) -> None:
    """Raises what the status means, or if a web page or compressed bytes came. Does not read the body."""
    if not is_success(response):
        refusal = await read_refusal(response)
        raise error_for_status(response.status_code, response.headers, refusal, endpoint)
    if media_type(response) == "text/html":
        await response.aclose()
        raise ModelRejected(f"{endpoint.shown} answered with a web page. Check base_url, which often ends in /v1.")
    if _is_packed(response):
        await response.aclose()
        raise ModelRejected(
            f"{endpoint.shown} answered compressed, although it was asked not to. Turn compression off at the server, "
            "or at the proxy before it."
        )


async def read_refusal(response: HttpResponse) -> bytes:
    """The body of an error, as far as it arrives."""
    body = bytearray()
    with suppress(HttpFailed, TimeoutError):
        async with asyncio.timeout(ERROR_TIMEOUT):
            await _read(response, body, MAX_ERROR_BYTES)
    return b"" if _is_packed(response) else bytes(body[:MAX_ERROR_BYTES])


async def _read(response: HttpResponse, body: bytearray, limit: int) -> None:
    """Append what arrives to the body, until just over the limit. Closes the response."""
    try:
        async with aclosing(response.aiter_raw()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > limit:
                    break
    finally:
        await response.aclose()


def _is_packed(response: HttpResponse) -> bool:
    """A few compressed bytes can expand to gigabytes. We ask for none, so they are not decompressed."""
    return response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")


def media_type(response: HttpResponse) -> str:
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


def _is_direct(base_url: str) -> bool:
    """Whether nothing is between us and the server: no encryption, no login, no proxy."""
    parts = urlsplit(base_url)
    if parts.scheme != "http" or "@" in parts.netloc:
        return False
    asked_to_use_proxy = any(os.environ.get(name) for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"))
    # Elsewhere the system has its own proxy settings, which httpx2 knows.
    return is_loopback(parts.hostname or "") or (sys.platform == "linux" and not asked_to_use_proxy)


def is_loopback(host: str) -> bool:
    """A proxy can't reach our own machine, so none is used for it."""
    import ipaddress

    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
