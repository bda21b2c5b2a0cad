"""What a request says of where it comes from, and its body."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

READING = {"GET", "HEAD", "OPTIONS"}
"""Methods that change nothing."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names that lead here from this machine alone; a site elsewhere can't take them for its own."""


class ClientGone(Exception):
    """Nobody is left to be answered."""


async def read_body(headers: Headers, receive: Receive, largest: int) -> bytes | None:
    """The whole body; None if it has more bytes than that. Raises `ClientGone`: a part of a body is not one."""
    said = headers.get("content-length", "0")
    if not said.isdecimal() or int(said) > largest:
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
    """Without the port, which a tunnel may change; None for what is no host."""
    try:
        parts = urlsplit(f"//{host}")
        plain = not (parts.path or parts.query or parts.fragment or parts.username is not None)
        return parts.hostname.rstrip(".") if plain and parts.hostname else None
    except ValueError:
        return None


def reached_address(scope: Scope) -> str:
    """The address under which this connection reached us: nobody else can have a page there."""
    # A socket for IPv6 that takes both writes IPv4 addresses in its own way.
    return (scope.get("server") or ("",))[0].removeprefix("::ffff:")


def is_foreign(scope: Scope) -> bool:
    """A browser sent it for a page of another site."""
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    if scope["type"] == "http" and scope["method"] in READING:
        # Who reads without leave gets nothing to see, but the work would be done.
        return headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}
    if origin is None:
        return False  # no browser
    scheme, _, place = origin.partition("://")
    return scheme not in {"http", "https"} or place.lower() != headers.get("host", "").lower()
