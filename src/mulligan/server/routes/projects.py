"""What is served, and who and what can work on it."""

from fastapi import APIRouter

from mulligan.server.at_desk import AtDesk
from mulligan.server.views import AgentView, ModelsView, ProbeView, ProjectView, ServerView

router = APIRouter(tags=["projects"])


@router.get("/api/server")
async def server(desk: AtDesk) -> ServerView:
    """Which projects are served, and where the frames stand."""
    raise NotImplementedError


@router.get("/api/projects")
async def projects(desk: AtDesk) -> list[ProjectView]:
    raise NotImplementedError


@router.get("/api/projects/{project_id}/agents")
async def agents(project_id: str, desk: AtDesk) -> list[AgentView]:
    """Native agents, then external ones, found on this machine or not."""
    raise NotImplementedError


@router.get("/api/projects/{project_id}/models")
async def models(project_id: str, desk: AtDesk) -> ModelsView:
    """What answers if nobody says otherwise, and what else there is. No model is asked anything."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/models/probe")
async def probe(project_id: str, desk: AtDesk, model: str | None = None) -> ProbeView:
    """Ask a model a few tiny things to learn what it can do. Takes up to some minutes."""
    raise NotImplementedError
