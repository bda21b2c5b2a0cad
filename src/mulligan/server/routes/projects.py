"""What is served, and who and what can work on it."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from mulligan import __version__
from mulligan.server.dependencies import StateDep
from mulligan.server.state import ServedProject
from mulligan.server.views.agents import external_view, native_view
from mulligan.server.views.bodies import AgentView, ModelsView, ProbeView, ProjectView, ServerView
from mulligan.server.views.models import models_view, probe_model
from mulligan.types.errors import MulliganError
from mulligan.types.words import all_words
from mulligan.workspace.git import open_repository

router = APIRouter(tags=["projects"])


@router.get("/api/server")
async def server(state: StateDep) -> ServerView:
    """Which projects are served, and where the frames stand."""
    seq = state.hub.seq
    first = next(iter(state.projects.values()))
    return ServerView(
        version=__version__,
        epoch=state.hub.epoch,
        seq=seq,
        projects=tuple(await projects(state)),
        words=all_words(),
        editor_link=first.session.settings.editor_link,
    )


@router.get("/api/projects")
async def projects(state: StateDep) -> list[ProjectView]:
    return list(await asyncio.gather(*(_view(each) for each in state.projects.values())))


@router.get("/api/projects/{project_id}/agents")
async def agents(project_id: str, state: StateDep) -> list[AgentView]:
    """Native agents, then external ones, found on this machine or not. Versions are there from the second time on."""
    project = state.project(project_id)
    found = project.versions.known()
    native = [native_view(each) for each in project.session.agents.values()]
    return native + [external_view(each, found.get(each.name)) for each in project.external.values()]


@router.get("/api/projects/{project_id}/models")
async def models(project_id: str, state: StateDep) -> ModelsView:
    """What answers if nobody says otherwise, and what else there is. No model is asked anything."""
    return await models_view(state.project(project_id).session)


@router.post("/api/projects/{project_id}/models/probe")
async def probe(
    project_id: str, state: StateDep, model: Annotated[str | None, Query(max_length=500)] = None
) -> ProbeView:
    """Ask a model a few tiny things to learn what it can do. Takes up to some minutes."""
    return await probe_model(state, state.project(project_id), model)


async def _view(project: ServedProject) -> ProjectView:
    try:
        await open_repository(project.path)
    except MulliganError:
        git = False
    else:
        git = True
    return ProjectView(id=project.id, name=project.name, path=str(project.path), git=git)
