"""HTTP through httpx2, if encryption, a proxy or a login in the address is needed. It takes 100 ms to import."""

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager

import httpx2

from mulligan.models.wire.direct_client import KEEP_ALIVE, MAX_IDLE_CONNECTIONS
from mulligan.models.wire.http_exchange import (
    CannotSend,
    ConnectFailed,
    ConnectTimedOut,
    Headers,
    HttpFailed,
    ProxyFailed,
    SendTimedOut,
)
from mulligan.types.errors import ConfigurationError

_OURS: tuple[tuple[type[Exception], type[HttpFailed]], ...] = (
    (httpx2.ConnectTimeout, ConnectTimedOut),
    (httpx2.ConnectError, ConnectFailed),
    (httpx2.ProxyError, ProxyFailed),
    (httpx2.TimeoutException, SendTimedOut),
    (httpx2.InvalidURL, CannotSend),
    (httpx2.UnsupportedProtocol, CannotSend),
    (httpx2.LocalProtocolError, CannotSend),
    (httpx2.HTTPError, HttpFailed),
)
"""Our error for each of httpx2's; the first match counts."""


class HttpxClient:
    """Implements `HttpClient`."""

    def __init__(self, *, connect_timeout: float, send_timeout: float, trust_environment: bool) -> None:
        """Raises `ConfigurationError` for a proxy that can't be used."""
        try:
            self._client = httpx2.AsyncClient(
                # Read timeouts depend on what is read, so the reader sets them.
                timeout=httpx2.Timeout(send_timeout, connect=connect_timeout, read=None),
                limits=httpx2.Limits(keepalive_expiry=KEEP_ALIVE, max_keepalive_connections=MAX_IDLE_CONNECTIONS),
                trust_env=trust_environment,
            )
        except (ImportError, ValueError, httpx2.InvalidURL) as error:
            raise ConfigurationError(f"The proxy set in the environment can't be used: {error}") from error

    async def send(self, method: str, url: str, headers: Headers, body: bytes | None) -> "HttpxResponse":
        with _translated():
            request = self._client.build_request(method, url, content=body, headers=headers)
            return HttpxResponse(await self._client.send(request, stream=True))

    async def aclose(self) -> None:
        await self._client.aclose()


class HttpxResponse:
    """Implements `HttpResponse`."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status_code = response.status_code
        self.headers = {name.lower(): value for name, value in response.headers.items()}

    async def aiter_raw(self) -> AsyncGenerator[bytes]:
        with _translated():
            async with aclosing(self._response.aiter_raw()) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        ours = next(ours for theirs, ours in _OURS if isinstance(error, theirs))
        raise ours(str(error) or type(error).__name__) from error
