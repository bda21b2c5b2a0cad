"""The application: routes, and how errors are reported. `access.middleware` around it checks access."""

from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute

from mulligan import __version__
from mulligan.runtime.serving.token import TokenGate
from mulligan.server.errors import REFUSALS, tell_errors
from mulligan.server.routes import (
    changes,
    chat_management,
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

ROUTES = (
    login, projects, models, settings, rules, chats, chat_management, images, changes, checkpoints, runs, fleet,
    overview, frames, page,
)  # fmt: skip


def make_app(state: ServerState | None = None, gate: TokenGate | None = None) -> FastAPI:
    """Without a state it can only describe itself. Without a gate no token is required."""
    app = FastAPI(
        title="Mulligan",
        version=__version__,
        description="A self-hosted coding agent. Errors have a body with `error`, a message for people.",
        openapi_url="/api/openapi.json",
        # They load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    app.state.server = state
    app.state.gate = gate or TokenGate()
    app.router.routes.extend(_built_routes())
    tell_errors(app, state.work.log if state else _no_log)
    return app


@cache
def _built_routes() -> list[BaseRoute]:
    """Built once per process and shared by all apps, since FastAPI takes long to build them."""
    together = APIRouter()
    for each in ROUTES:
        together.include_router(each.router, responses=_refusals())
    return together.routes


def _refusals() -> dict[int | str, dict[str, Any]]:
    """How each route may refuse. One status brings the schema and the others refer to it: a model for each status of
    each route took the first request 0.2 s."""
    first, *others = REFUSALS
    referring: dict[str, Any] = {
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}}
    }
    return {first: {"model": Problem}, **dict.fromkeys(others, referring)}


def _no_log(event: str, **fields: Any) -> None:
    """Nothing happens here that could be published."""
