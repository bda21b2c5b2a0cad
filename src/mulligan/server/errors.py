"""How errors are reported: a status, and a body with a message for people."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mulligan.ports.callbacks import Log
from mulligan.server.state import NotFound
from mulligan.server.views.bodies import Problem
from mulligan.types.errors import CallRejected, ChatBusy, ConfigurationError, MulliganError, StoreError

REFUSALS = (400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 502, 503)
"""All errors that a request can get."""

_STATUSES: tuple[tuple[type[MulliganError], int], ...] = (
    (NotFound, 404),
    (ChatBusy, 409),
    (ConfigurationError, 400),
    (CallRejected, 400),
    (StoreError, 503),
    # A model server, an external agent, git, a mirror: something we rely on failed.
    (MulliganError, 502),
)


def tell_errors(app: FastAPI, log: Log) -> None:
    """Every error that leaves a route becomes a `Problem`."""
    app.add_exception_handler(MulliganError, _ours)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _not_found)
    app.add_middleware(_CatchAllErrors, log=log)


def problem(status: int, words: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(Problem(error=words).model_dump(), status, headers)


def status_of(error: MulliganError) -> int:
    return next(status for kind, status in _STATUSES if isinstance(error, kind))


def in_words(errors: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong with a request, in a sentence. It doesn't repeat what was sent: that may be a secret, or long."""
    first = errors[0]
    where = ".".join(str(each) for each in first["loc"][1:])
    words = "the body is not valid JSON" if first["type"] == "json_invalid" else f"{first['msg']}"
    named = f"{where}: {words}" if where and first["type"] != "json_invalid" else words
    return named if len(errors) == 1 else f"{named} (and {len(errors) - 1} more)"


async def _ours(_request: Request, error: Exception) -> JSONResponse:
    known = cast("MulliganError", error)
    return problem(status_of(known), str(known))


async def _not_valid(_request: Request, error: Exception) -> JSONResponse:
    return problem(422, in_words(cast("RequestValidationError", error).errors()))


async def _not_found(request: Request, error: Exception) -> JSONResponse:
    refused = cast("HTTPException", error)
    words = {
        404: f"there is nothing at {request.url.path}",
        405: f"{request.url.path} does not support {request.method}",
    }
    return problem(refused.status_code, words.get(refused.status_code, refused.detail), refused.headers)


class _CatchAllErrors:
    """Any other exception is our own error: the log has the details, and the client only learns that it happened."""

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noticing(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noticing)
        except Exception as error:  # noqa: BLE001 - whatever it is, the server keeps running and the client gets a sentence
            self._log("request_failed", path=scope.get("path"), method=scope.get("method"), error=error)
            if scope["type"] == "http" and not begun:
                await problem(500, "Mulligan itself failed; its log says how.")(scope, receive, send)
            elif scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1011})
