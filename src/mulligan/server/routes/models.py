"""Agents and models, the choice among them, and downloads."""

from typing import Annotated

from fastapi import APIRouter, Query

from mulligan.server.dependencies import StateDep
from mulligan.server.views.bodies import Aborting
from mulligan.server.views.models import (
    ChoicesView,
    ChosenModel,
    ModelName,
    ProbeView,
    ServerAddress,
    ServerTest,
    ask_server,
    choices_view,
    choose_model,
    probe_model,
)

router = APIRouter(tags=["models"])


@router.get("/api/projects/{project_id}/choices")
async def choices(project_id: str, state: StateDep, *, rescan: bool = False) -> ChoicesView:
    """Agents and models. `rescan` looks for servers again. Makes no model call."""
    project = state.project(project_id)
    if rescan:
        project.session.models.look_again()
    return await choices_view(state, project)


@router.put("/api/projects/{project_id}/models/chosen")
async def choose(project_id: str, chosen: ChosenModel, state: StateDep) -> ChoicesView:
    """Choose the model that answers from now on, in all projects. The choice is stored in the user's settings."""
    project = state.project(project_id)
    choose_model(state, project.session, chosen)
    return await choices_view(state, project)


@router.post("/api/projects/{project_id}/models/test")
async def try_server(project_id: str, given: ServerAddress, state: StateDep) -> ServerTest:
    """Ask a model server for its models. Stores nothing."""
    return await ask_server(state.project(project_id).session, given)


@router.post("/api/projects/{project_id}/models/probe")
async def probe(
    project_id: str, state: StateDep, model: Annotated[str | None, Query(max_length=500)] = None
) -> ProbeView:
    """Ask a model a few tiny things to measure what it can do. Takes up to some minutes."""
    return await probe_model(state, state.project(project_id), model)


@router.post("/api/projects/{project_id}/models/download", status_code=202)
async def download(project_id: str, wanted: ModelName, state: StateDep) -> None:
    """Download an embedded model, or resume a download. This request is the approval. `pull` frames report the
    progress."""
    state.pulls.begin(state.project(project_id).id, wanted.model)


@router.delete("/api/projects/{project_id}/models/download")
async def cancel_download(project_id: str, model: Annotated[str, Query(max_length=500)], state: StateDep) -> Aborting:
    """Stop a download. The part already downloaded is kept, and the next one resumes from there."""
    state.project(project_id)
    return Aborting(aborted=await state.pulls.cancel(model))
