"""Checks on a request before the application sees it. One middleware per concern, for HTTP and WebSocket."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mulligan.core.images import MAX_BYTES
from mulligan.runtime.serving.requests import (
    LOOPBACK,
    READING,
    ClientGone,
    host_name,
    is_foreign,
    reached_address,
    read_body,
)
from mulligan.runtime.serving.token import Buckets, TokenGate
from mulligan.server.errors import problem
from mulligan.types.fleet import FleetRole

MAX_BODY_BYTES = 1_000_000
IMAGES = re.compile(r"/api/projects/[^/]+/images")
"""Routes whose body may be an image, and as large as one."""
LOGIN = "/api/login"
COOKIE = "mulligan"
FLEET = "/api/fleet"
FLEET_CHANGES: dict[FleetRole, str] = {"submit": f"{FLEET}/jobs", "work": f"{FLEET}/servers"}
"""What each role may change. Deleting what others have is for nobody who has only a token of the fleet."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
DIAGRAM_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-scripts"
)
"""For the only page that may be framed, and only by ours. It has no origin and no network; its own text names its
script."""
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
class AccessPolicy:
    """What is checked."""

    gate: TokenGate = field(default_factory=TokenGate)
    names: Collection[str] = ()
    """Host names under which it may be reached, besides those of this machine."""
    changing: Buckets = field(default_factory=lambda: Buckets(size=200, a_second=20))
    """Requests that change something, per client."""


def with_access_checks(app: ASGIApp, guard: AccessPolicy) -> ASGIApp:
    """The application behind every check. The last one here runs first."""
    app = SmallBodiesOnly(JsonOnly(app))
    app = ChangesLimit(app, guard.changing)
    app = Admission(app, guard.gate)
    app = OwnPagesOnly(app)
    app = KnownNamesOnly(app, LOOPBACK | {name.lower() for name in guard.names})
    return SafeHeaders(app)


class SafeHeaders:
    """What a browser may do with a response."""

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
    """A name that another site points at this machine is not ours, and neither are its pages (DNS rebinding).

    An IP address is safe: nobody else can have a page at the address under which this connection reached us.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = host_name(Headers(scope=scope).get("host", ""))
        if name is not None and (name in self._names or name == reached_address(scope)):
            await self._app(scope, receive, send)
            return
        words = "this server does not know that host name; to allow it: mulligan serve --allow-host NAME"
        await problem(403, words)(scope, receive, send)


class OwnPagesOnly:
    """Browsers report whose page sends a request. Pages of other sites may change nothing here, and read nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _in_api(scope) and is_foreign(scope):
            await problem(403, "pages of other sites may not send this request")(scope, receive, send)
            return
        await self._app(scope, receive, send)


class Admission:
    """The token, as a cookie or in `Authorization`. The page itself is not secret; what it shows is."""

    def __init__(self, app: ASGIApp, gate: TokenGate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = _token(Headers(scope=scope))
        if not _in_api(scope) or scope["path"] == LOGIN or self._gate.admits(token):
            await self._app(scope, receive, send)
            return
        if role := self._gate.fleet_role(token):
            words = _beyond(role, scope)
            await (problem(403, words) if words else self._app)(scope, receive, send)
            return
        headers = {"WWW-Authenticate": "Bearer"}
        await problem(401, "log in first, with the token that `mulligan serve` printed", headers)(scope, receive, send)


class ChangesLimit:
    """Slows down a runaway script."""

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
    """Reads the body here, up to the limit, so that one without a length can't exceed it either."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in READING:
            await self._app(scope, receive, send)
            return
        largest = MAX_BYTES if _is_image(scope) else MAX_BODY_BYTES
        try:
            body = await read_body(Headers(scope=scope), receive, largest)
        except ClientGone:
            return
        if body is None:
            words = f"{'an image' if _is_image(scope) else 'a request'} may have at most {largest // 1_000_000} MB"
            await problem(413, words, {"Connection": "close"})(scope, receive, send)
            return
        await self._app(scope, _replaying(body, receive), send)


class JsonOnly:
    """A form on another site could send any other type without a preflight."""

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
            await problem(415, "the body must be declared as JSON: Content-Type: application/json")(
                scope, receive, send
            )
            return
        await self._app(scope, receive, send)


def slow_down(wait: float) -> JSONResponse:
    seconds = math.ceil(wait)
    return problem(429, f"too many requests at once; try again in {seconds} s", {"Retry-After": str(seconds)})


def client_of(scope: Scope) -> str:
    return (scope.get("client") or ("",))[0]


def _in_api(scope: Scope) -> bool:
    return scope["path"] == "/api" or scope["path"].startswith("/api/")


def _beyond(role: FleetRole, scope: Scope) -> str:
    """Why a fleet token may not do this; empty if it may."""
    if scope["path"] != FLEET and not scope["path"].startswith(f"{FLEET}/"):
        return f"this token is only for the fleet, {FLEET}: for the rest, use the one from `mulligan serve`"
    if _only_reads(scope):
        return ""
    needed = next((each for each, path in FLEET_CHANGES.items() if scope["path"].startswith(path)), None)
    if needed is None:
        return "a fleet token may not do this: use the one from `mulligan serve`"
    if needed != role:
        asked = "may only look at the fleet" if role == "look" else f"is for those who {role}"
        return f"this token {asked}: `mulligan serve --fleet-token {needed}` makes one for this"
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


def _replaying(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
