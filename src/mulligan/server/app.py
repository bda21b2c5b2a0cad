"""The application: routes, who may ask, and how errors are told."""

from fastapi import FastAPI

from mulligan import __version__
from mulligan.server.desk import Desk
from mulligan.server.routes import changes, chats, checkpoints, frames, overview, projects, runs
from mulligan.server.views import Problem


def make_app(desk: Desk | None = None) -> FastAPI:
    """Without a desk it can only describe itself."""
    app = FastAPI(
        title="Mulligan",
        version=__version__,
        description="A self-hosted coding agent. Refusals have a body with `error`, in words for a person.",
        responses={status: {"model": Problem} for status in (400, 401, 403, 404, 409, 413, 422, 429, 502, 503)},
    )
    app.state.desk = desk
    for each in (projects, chats, changes, checkpoints, runs, overview, frames):
        app.include_router(each.router)
    return app
