"""Where a request comes from, and its body."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

READING = {"GET", "HEAD", "OPTIONS"}
"""Methods that change nothing."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Host names that only work on this machine; no site elsewhere can have them."""


class ClientGone(Exception):
    """The client disconnected before it was answered."""


async def read_body(headers: Headers, receive: Receive, largest: int) -> bytes | None:
    """The whole body; None if it has more than `largest` bytes. Raises `ClientGone` if only a part arrived."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > largest:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        body += message.get("body", b"")
        if len(body) > largest:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def host_name(host: str) -> str | None:
    """A host without its port, which a tunnel may change; None if it is not a valid host."""
    try:
        parts = urlsplit(f"//{host}")
        plain = not (parts.path or parts.query or parts.fragment or parts.username is not None)
        return parts.hostname.rstrip(".") if plain and parts.hostname else None
    except ValueError:
        return None


def reached_address(scope: Scope) -> str:
    """Our own address on this connection: no other site can have a page there."""
    # An IPv6 socket that accepts both protocols writes IPv4 addresses like this.
    return (scope.get("server") or ("",))[0].removeprefix("::ffff:")


def is_foreign(scope: Scope) -> bool:
    """Whether a browser sent the request for a page of another site."""
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    if scope["type"] == "http" and scope["method"] in READING:
        # Another site's page can't see the response, but the server would do the work.
        return headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}
    if origin is None:
        return False  # not a browser
    scheme, _, place = origin.partition("://")
    return scheme not in {"http", "https"} or place.lower() != headers.get("host", "").lower()
