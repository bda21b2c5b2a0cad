"""Login, if a token is required."""

from typing import cast

from fastapi import APIRouter, Request, Response

from mulligan.runtime.serving.token import TokenGate
from mulligan.server.access.middleware import COOKIE, client_of, slow_down
from mulligan.server.errors import problem
from mulligan.server.views.bodies import Login

STAYS = 365 * 24 * 3600
"""Seconds for which a browser keeps the cookie. `--new-token` invalidates it immediately."""

router = APIRouter(tags=["login"])


@router.post("/api/login", status_code=204)
async def login(request: Request, given: Login) -> Response:
    """Exchange the token that `mulligan serve` printed for a cookie. Programs send `Authorization: Bearer` instead."""
    gate = cast("TokenGate", request.app.state.gate)
    if wait := gate.attempts.take(client_of(request.scope)):
        return slow_down(wait)
    if not gate.admits(given.token):
        return problem(401, "this is not the token")
    response = Response(status_code=204)
    if gate.digest:
        https = request.url.scheme == "https"
        response.set_cookie(COOKIE, given.token, max_age=STAYS, httponly=True, samesite="strict", secure=https)
    return response
