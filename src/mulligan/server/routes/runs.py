"""Fix runs."""

import asyncio

from fastapi import APIRouter

from mulligan.app.fix_requests import FixRequest, StartedRun, project_commands, resume_run, start_run
from mulligan.app.fix_runs import FixRuns
from mulligan.ports.runs import KeptRun
from mulligan.server.dependencies import StateDep
from mulligan.server.live_work import WorkOutput
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.views.bodies import Aborting, Accepted
from mulligan.server.views.runs import (
    LIMITS,
    CommandsView,
    NewRun,
    RunDetail,
    RunLog,
    RunView,
    listed_run,
    run_detail,
    run_log,
)
from mulligan.types.errors import ChatBusy, ConfigurationError

router = APIRouter(tags=["runs"])


@router.get("/api/projects/{project_id}/commands")
async def commands(project_id: str, state: StateDep) -> CommandsView:
    """How this project is tested and linted, as far as its files say."""
    return CommandsView(commands=await project_commands(state.project(project_id).session), limits=LIMITS)


@router.get("/api/projects/{project_id}/runs")
async def runs(project_id: str, state: StateDep) -> list[RunView]:
    """Newest first, without attempts and the goal's texts."""
    project = state.project(project_id)
    return [listed_run(state, project, kept) for kept in await project.session.store.runs.list(str(project.path))]


@router.post("/api/projects/{project_id}/runs", status_code=202)
async def new_run(project_id: str, request: NewRun, state: StateDep) -> Accepted:
    project = state.project(project_id)
    asked = FixRequest(request.goal.strip(), request.profile, request.verify, request.time_limit, request.model)
    return _begin(state, project, await start_run(project.session, asked))


@router.get("/api/projects/{project_id}/runs/{run_id}")
async def run(project_id: str, run_id: str, state: StateDep) -> RunDetail:
    project = state.project(project_id)
    return await run_detail(state, project, (await _find(project, run_id)).state.id)


@router.get("/api/projects/{project_id}/runs/{run_id}/logs/{number}")
async def log(project_id: str, run_id: str, number: int, state: StateDep) -> RunLog:
    """The output of a command of the run, by the command's number."""
    kept = await _find(state.project(project_id), run_id)
    text = await asyncio.to_thread(run_log, kept, number)
    if text is None:
        raise NotFound(f"there is no log of command {number} of run {run_id} here")
    return RunLog(text=text)


@router.post("/api/projects/{project_id}/runs/{run_id}/resume", status_code=202)
async def resume(project_id: str, run_id: str, state: StateDep) -> Accepted:
    """Resume an interrupted run."""
    project = state.project(project_id)
    if (await _find(project, run_id)).running:
        raise ChatBusy(f"run {run_id} is running: wait until it has ended, or stop it")
    return _begin(state, project, await resume_run(project.session, run_id))


@router.post("/api/projects/{project_id}/runs/{run_id}/abort")
async def abort(project_id: str, run_id: str, state: StateDep) -> Aborting:
    """Stop it. It can be resumed."""
    kept = await _find(state.project(project_id), run_id)
    return Aborting(aborted=await state.work.abort(kept.state.id))


def _begin(state: ServerState, project: ServedProject, begun: StartedRun) -> Accepted:
    async def work(output: WorkOutput) -> None:
        # Its result stays pending: nothing is applied, verified or not.
        await FixRuns(project.session, output.emit, output.approve).carry_out(begun, apply=False)

    state.work.begin(state.scope(project, run_id=begun.state.id), work)
    return Accepted(run_id=begun.state.id, chat_id=begun.state.chat_id)


async def _find(project: ServedProject, run_id: str) -> KeptRun:
    """A run of this project, by its full id."""
    try:
        found = await project.session.store.runs.find(str(project.path), run_id)
    except ConfigurationError:
        found = None
    if found is None or found.state.id != run_id:
        raise NotFound(f"there is no run {run_id} here")
    return found
