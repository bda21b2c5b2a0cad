"""What a request must be like before the application sees it. One middleware a concern, HTTP and WebSocket alike."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mulligan.core.images import MOST_BYTES
from mulligan.runtime.serving.requests import LOOPBACK, READING, host_name, is_foreign, reached_address
from mulligan.runtime.serving.token import Buckets, FleetRole, TokenGate
from mulligan.server.errors import problem

LARGEST_BODY = 1_000_000
"""Bytes."""
IMAGES = re.compile(r"/api/projects/[^/]+/images")
"""Where a body may be an image, and as large as one."""
LOGIN = "/api/login"
COOKIE = "mulligan"
FLEET = "/api/fleet"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
DIAGRAM_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-scripts"
)
"""Of the one page that may be framed, by ours alone. It has no origin and no network; its own text names its script."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
DIAGRAM_HEADERS = {**HEADERS, "Content-Security-Policy": DIAGRAM_POLICY, "X-Frame-Options": "SAMEORIGIN"}


@dataclass(frozen=True, slots=True)
class Guard:
    """What is checked."""

    gate: TokenGate = field(default_factory=TokenGate)
    names: Collection[str] = ()
    """Host names under which it may be reached, besides those of this machine."""
    changing: Buckets = field(default_factory=lambda: Buckets(size=200, a_second=20))
    """Requests that change something, for each client."""


def with_access_checks(app: ASGIApp, guard: Guard) -> ASGIApp:
    """The application behind every check. The first to look is the last one here."""
    app = SmallBodiesOnly(JsonOnly(app))
    app = ChangesLimit(app, guard.changing)
    app = Admission(app, guard.gate)
    app = OwnPagesOnly(app)
    app = KnownNamesOnly(app, LOOPBACK | {name.lower() for name in guard.names})
    return SafeHeaders(app)


class SafeHeaders:
    """What a browser may do with an answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        safe = DIAGRAM_HEADERS if _is_diagram(scope) else HEADERS

        async def adding(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                headers = MutableHeaders(scope=message)
                for name, value in safe.items():
                    headers[name] = value
                if _in_api(scope):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, adding)


class KnownNamesOnly:
    """A name that some site lets lead to this machine is not ours, and its pages are not either (DNS rebinding).

    An address is no name: nobody else can have a page at the address under which this connection reached us.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = host_name(Headers(scope=scope).get("host", ""))
        if name is not None and (name in self._names or name == reached_address(scope)):
            await self._app(scope, receive, send)
            return
        words = "this server is not known by that name; to allow it: mulligan serve --allow-host NAME"
        await problem(403, words)(scope, receive, send)


class OwnPagesOnly:
    """A browser tells whose page asks. Others than ours may change nothing here, and read nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _in_api(scope) and is_foreign(scope):
            await problem(403, "a page of another site may not ask this")(scope, receive, send)
            return
        await self._app(scope, receive, send)


class Admission:
    """The token, as a cookie or in `Authorization`. The page itself is no secret; what it shows is."""

    def __init__(self, app: ASGIApp, gate: TokenGate) -> None:
        self._app = app
        self._door = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = _token(Headers(scope=scope))
        if not _in_api(scope) or scope["path"] == LOGIN or self._door.admits(token):
            await self._app(scope, receive, send)
            return
        if role := self._door.fleet_role(token):
            words = _beyond(role, scope)
            await (problem(403, words) if words else self._app)(scope, receive, send)
            return
        headers = {"WWW-Authenticate": "Bearer"}
        await problem(401, "log in first, with the token that `mulligan serve` has shown", headers)(
            scope, receive, send
        )


class ChangesLimit:
    """A script gone wild is slowed down."""

    def __init__(self, app: ASGIApp, changing: Buckets) -> None:
        self._app = app
        self._changing = changing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait = 0.0 if _only_reads(scope) else self._changing.take(client_of(scope))
        if wait:
            await slow_down(wait)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class SmallBodiesOnly:
    """The body is taken in here, as far as it may go, so that one without a length can't grow beyond it either."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in READING:
            await self._app(scope, receive, send)
            return
        said = Headers(scope=scope).get("content-length", "0")
        largest = MOST_BYTES if _is_image(scope) else LARGEST_BODY
        try:
            body = None if not said.isdecimal() or int(said) > largest else await _read(receive, largest)
        except ClientDisconnect:
            return
        if body is None:
            words = f"{'an image' if _is_image(scope) else 'a request'} may hold {largest // 1_000_000} MB at most"
            await problem(413, words, {"Connection": "close"})(scope, receive, send)
            return
        await self._app(scope, _replaying(body, receive), send)


class JsonOnly:
    """A form of another site could send anything else without asking first."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        fits = kind == "application/json" or (
            _is_image(scope) and kind.startswith(("image/", "application/octet-stream"))
        )
        if scope["type"] == "http" and has_body and scope["method"] not in READING and not fits:
            await problem(415, "the body must be JSON, and say so: Content-Type: application/json")(
                scope, receive, send
            )
            return
        await self._app(scope, receive, send)


def slow_down(wait: float) -> JSONResponse:
    seconds = math.ceil(wait)
    return problem(429, f"too many at once; try again in {seconds} s", {"Retry-After": str(seconds)})


def client_of(scope: Scope) -> str:
    return (scope.get("client") or ("",))[0]


def _in_api(scope: Scope) -> bool:
    return scope["path"] == "/api" or scope["path"].startswith("/api/")


def _beyond(role: FleetRole, scope: Scope) -> str:
    """Why this is not for a token of the fleet; empty where it is."""
    if scope["path"] != FLEET and not scope["path"].startswith(f"{FLEET}/"):
        return f"this token is for the fleet alone, {FLEET}: for the rest, use the one of `mulligan serve`"
    if role == "look" and not _only_reads(scope):
        return "this token may only look at the fleet: `mulligan serve --fleet-token submit` makes one that may submit"
    return ""


def _is_diagram(scope: Scope) -> bool:
    return scope["path"].startswith("/assets/diagram-") and scope["path"].endswith(".html")


def _is_image(scope: Scope) -> bool:
    return IMAGES.fullmatch(scope["path"]) is not None


def _only_reads(scope: Scope) -> bool:
    return scope["type"] == "websocket" or scope["method"] in READING


def _token(headers: Headers) -> str | None:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return None
    return cookies[COOKIE].value if COOKIE in cookies else None


async def _read(receive: Receive, largest: int) -> bytes | None:
    """The whole body; None if it is too large. Raises `ClientDisconnect`: a part of a body is not one."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > largest:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
