"""One HTTP request and its response, whichever client sends it; and what can go wrong."""

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

Headers = Mapping[str, str]
"""By name, in lower case."""


class HttpFailed(Exception):
    """The exchange did not complete: the response broke off, or it is not HTTP."""


class ConnectFailed(HttpFailed):
    """There was no connection; the system's reason is the cause."""


class ConnectTimedOut(HttpFailed):
    """No connection in time."""


class SendTimedOut(HttpFailed):
    """The server accepted no more of the request."""


class ProxyFailed(HttpFailed):
    """A proxy on the way refused."""


class CannotSend(HttpFailed):
    """The request is invalid: an address or a header that HTTP does not allow."""


class HttpResponse(Protocol):
    """A response whose head has arrived."""

    @property
    def status_code(self) -> int: ...

    @property
    def headers(self) -> Headers: ...

    def aiter_raw(self) -> AsyncGenerator[bytes]:
        """The body as it arrives. Raises `HttpFailed`."""
        ...

    async def aclose(self) -> None:
        """The rest of the body is not needed. May be called more than once."""
        ...


class HttpClient(Protocol):
    """Sends requests to one server, and keeps its connections."""

    async def send(self, method: str, url: str, headers: Headers, body: bytes | None) -> HttpResponse:
        """Raises `HttpFailed`."""
        ...

    async def aclose(self) -> None: ...
