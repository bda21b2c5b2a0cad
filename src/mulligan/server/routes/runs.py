"""Fix runs."""

from fastapi import APIRouter

from mulligan.server.at_desk import AtDesk
from mulligan.server.views import Aborting, Accepted, CommandsView, NewRun, RunDetail, RunView

router = APIRouter(tags=["runs"])


@router.get("/api/projects/{project_id}/commands")
async def commands(project_id: str, desk: AtDesk) -> CommandsView:
    """How this project is tested and linted, as far as it says."""
    raise NotImplementedError


@router.get("/api/projects/{project_id}/runs")
async def runs(project_id: str, desk: AtDesk) -> list[RunView]:
    """The newest first."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/runs", status_code=202)
async def new_run(project_id: str, wish: NewRun, desk: AtDesk) -> Accepted:
    raise NotImplementedError


@router.get("/api/projects/{project_id}/runs/{run_id}")
async def run(project_id: str, run_id: str, desk: AtDesk) -> RunDetail:
    raise NotImplementedError


@router.post("/api/projects/{project_id}/runs/{run_id}/resume", status_code=202)
async def resume(project_id: str, run_id: str, desk: AtDesk) -> Accepted:
    """Go on with a run that was interrupted."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/runs/{run_id}/abort")
async def abort(project_id: str, run_id: str, desk: AtDesk) -> Aborting:
    """Stop it. It can be resumed."""
    raise NotImplementedError
