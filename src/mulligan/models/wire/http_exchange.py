"""One request over HTTP and its answer, whoever carries it; and what can go wrong on the way."""

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

Headers = Mapping[str, str]
"""By name, in lower case."""


class HttpFailed(Exception):
    """The exchange did not come to its end: the answer broke off, or what came is no HTTP."""


class ConnectFailed(HttpFailed):
    """There was no connection; the system's reason is the cause."""


class ConnectTimedOut(HttpFailed):
    """There was none in time."""


class SendTimedOut(HttpFailed):
    """The server took no more of the request."""


class ProxyFailed(HttpFailed):
    """A proxy on the way refused."""


class CannotSend(HttpFailed):
    """The request itself is none: an address or a header that HTTP does not allow."""


class HttpResponse(Protocol):
    """An answer, of which the head has come."""

    @property
    def status_code(self) -> int: ...

    @property
    def headers(self) -> Headers: ...

    def aiter_raw(self) -> AsyncGenerator[bytes]:
        """The body as it comes. Raises `HttpFailed`."""
        ...

    async def aclose(self) -> None:
        """The rest of the body is not wanted. May be called more than once."""
        ...


class HttpClient(Protocol):
    """Sends requests to one server, and keeps its connections."""

    async def send(self, method: str, url: str, headers: Headers, body: bytes | None) -> HttpResponse:
        """Raises `HttpFailed`."""
        ...

    async def aclose(self) -> None: ...
