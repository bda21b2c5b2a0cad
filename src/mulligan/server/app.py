"""The application: routes, and how errors are told. Who may ask is decided around it, in `access.middleware`."""

from typing import Any

from fastapi import FastAPI

from mulligan import __version__
from mulligan.runtime.serving.token import TokenGate
from mulligan.server.errors import REFUSALS, tell_errors
from mulligan.server.routes import (
    changes,
    chat_care,
    chats,
    checkpoints,
    fleet,
    frames,
    images,
    login,
    models,
    overview,
    page,
    projects,
    rules,
    runs,
    settings,
)
from mulligan.server.state import ServerState
from mulligan.server.views.bodies import Problem


def make_app(state: ServerState | None = None, gate: TokenGate | None = None) -> FastAPI:
    """Without a state it can only describe itself. Without a gate nobody is asked for a token."""
    app = FastAPI(
        title="Mulligan",
        version=__version__,
        description="A self-hosted coding agent. Refusals have a body with `error`, in words for a person.",
        responses={status: {"model": Problem} for status in REFUSALS},
        openapi_url="/api/openapi.json",
        # They load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    app.state.server = state
    app.state.gate = gate or TokenGate()
    for each in (
        login,
        projects,
        models,
        settings,
        rules,
        chats,
        chat_care,
        images,
        changes,
        checkpoints,
        runs,
        fleet,
        overview,
        frames,
        page,
    ):
        app.include_router(each.router)
    tell_errors(app, state.work.log if state else _no_log)
    return app


def _no_log(event: str, **fields: Any) -> None:
    """Nothing happens here that could be told."""
