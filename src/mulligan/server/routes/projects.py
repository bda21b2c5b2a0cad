"""What is served."""

import asyncio

from fastapi import APIRouter

from mulligan import __version__
from mulligan.server.dependencies import StateDep
from mulligan.server.state import ServedProject
from mulligan.server.views.bodies import ProjectView, ServerView
from mulligan.types.errors import MulliganError
from mulligan.types.words import all_words
from mulligan.workspace.git import open_repository

router = APIRouter(tags=["projects"])


@router.get("/api/server")
async def server(state: StateDep) -> ServerView:
    """The served projects, and the newest frame number."""
    seq = state.hub.seq
    first = next(iter(state.projects.values()))
    return ServerView(
        version=__version__,
        epoch=state.hub.epoch,
        seq=seq,
        projects=tuple(await projects(state)),
        words=all_words(),
        editor_link=first.session.settings.editor_link,
        fleet=state.fleet.configured,
    )


@router.get("/api/projects")
async def projects(state: StateDep) -> list[ProjectView]:
    return list(await asyncio.gather(*(_view(each) for each in state.projects.values())))


async def _view(project: ServedProject) -> ProjectView:
    try:
        await open_repository(project.path)
    except MulliganError:
        git = False
    else:
        git = True
    return ProjectView(id=project.id, name=project.name, path=str(project.path), git=git)
