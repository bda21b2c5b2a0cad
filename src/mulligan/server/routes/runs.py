"""Fix runs."""

from fastapi import APIRouter

from mulligan.app.fix_requests import BegunRun, Wish, begin_run, project_commands, take_up_run
from mulligan.app.fix_runs import FixRuns
from mulligan.ports.runs import KeptRun
from mulligan.server.dependencies import AtDesk
from mulligan.server.live_work import Outlet
from mulligan.server.state import Desk, Project, Unknown
from mulligan.server.views.bodies import Aborting, Accepted, CommandsView, NewRun, RunDetail, RunView
from mulligan.server.views.runs import LIMITS, run_detail, run_view
from mulligan.types.errors import ChatBusy, ConfigurationError

router = APIRouter(tags=["runs"])


@router.get("/api/projects/{project_id}/commands")
async def commands(project_id: str, desk: AtDesk) -> CommandsView:
    """How this project is tested and linted, as far as it says."""
    return CommandsView(commands=await project_commands(desk.project(project_id).house), limits=LIMITS)


@router.get("/api/projects/{project_id}/runs")
async def runs(project_id: str, desk: AtDesk) -> list[RunView]:
    """The newest first."""
    project = desk.project(project_id)
    return [run_view(desk, project, kept) for kept in await project.house.store.runs(str(project.path))]


@router.post("/api/projects/{project_id}/runs", status_code=202)
async def new_run(project_id: str, wish: NewRun, desk: AtDesk) -> Accepted:
    project = desk.project(project_id)
    asked = Wish(wish.goal.strip(), wish.profile, wish.verify, wish.time_limit, wish.model)
    return _begin(desk, project, await begin_run(project.house, asked))


@router.get("/api/projects/{project_id}/runs/{run_id}")
async def run(project_id: str, run_id: str, desk: AtDesk) -> RunDetail:
    project = desk.project(project_id)
    return await run_detail(desk, project, (await _find(project, run_id)).state.id)


@router.post("/api/projects/{project_id}/runs/{run_id}/resume", status_code=202)
async def resume(project_id: str, run_id: str, desk: AtDesk) -> Accepted:
    """Go on with a run that was interrupted."""
    project = desk.project(project_id)
    if (await _find(project, run_id)).running:
        raise ChatBusy(f"run {run_id} is being worked on: wait until it has ended, or stop it")
    return _begin(desk, project, await take_up_run(project.house, run_id))


@router.post("/api/projects/{project_id}/runs/{run_id}/abort")
async def abort(project_id: str, run_id: str, desk: AtDesk) -> Aborting:
    """Stop it. It can be resumed."""
    kept = await _find(desk.project(project_id), run_id)
    return Aborting(aborted=await desk.work.abort(kept.state.id))


def _begin(desk: Desk, project: Project, begun: BegunRun) -> Accepted:
    async def work(outlet: Outlet) -> None:
        # What it makes waits for the person: nothing is applied, verified or not.
        await FixRuns(project.house, outlet.emit, outlet.approve).carry_out(begun, apply=False)

    desk.work.begin(desk.place(project, run_id=begun.state.id), work)
    return Accepted(run_id=begun.state.id, chat_id=begun.state.chat_id)


async def _find(project: Project, run_id: str) -> KeptRun:
    """A run of this project, by its whole id."""
    try:
        found = await project.house.store.find_run(str(project.path), run_id)
    except ConfigurationError:
        found = None
    if found is None or found.state.id != run_id:
        raise Unknown(f"there is no run {run_id} here")
    return found
