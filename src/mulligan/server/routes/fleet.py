"""The fleet: its jobs, workers and model servers, if there is a fleet."""

import asyncio
import base64
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Response

from mulligan.core.fleet.server_choice import server_address
from mulligan.core.fleet.submissions import job_of
from mulligan.server.dependencies import StateDep
from mulligan.server.frames.envelopes import ChatChanged
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.views.fleet import (
    Fetched,
    FetchedBranch,
    FleetView,
    JobDetail,
    JobLog,
    JobsView,
    JobView,
    NewBranch,
    NewJob,
    NewServer,
    OldJobs,
    Pruned,
    Submitted,
    fleet_view,
    job_detail,
    job_log,
    job_view,
)
from mulligan.store.serialization import storable
from mulligan.types.errors import ChatBusy, ConfigurationError
from mulligan.types.fleet import FleetJob, JobResult, JobState

if TYPE_CHECKING:
    from mulligan.store.fleet.fleet_store import FleetStore

router = APIRouter(tags=["fleet"])

PATCH = "text/x-patch"
MAX_NUMBER = 2**53
"""What a page can hold without loss."""


@router.get("/api/fleet")
async def fleet(state: StateDep) -> FleetView:
    """Counts by label and model, the pace, workers, model servers."""
    reading = (await _store(state)).reading
    return fleet_view(*await asyncio.gather(reading.status(), reading.workers(), reading.servers()))


@router.get("/api/fleet/jobs")
async def jobs(
    state: StateDep,
    job_state: Annotated[JobState | None, Query(alias="state")] = None,
    label: Annotated[str | None, Query(max_length=200, description="The first label; empty for none.")] = None,
    after: Annotated[str | None, Query(max_length=100, description="A job's id: return the jobs after it.")] = None,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JobsView:
    """Newest first."""
    store = await _store(state)
    last = await _find(store, after) if after else None
    found = await store.reading.list(state=job_state, label=label, after=last, most=most + 1)
    return JobsView(jobs=tuple(job_view(job) for job in found[:most]), more=len(found) > most)


@router.post("/api/fleet/jobs", status_code=201)
async def submit(request: NewJob, state: StateDep) -> Submitted:
    """Workers take it when its turn comes."""
    spec = job_of(request.model_dump(), where="the job")
    (job_id,) = await (await _store(state)).jobs.submit([spec])
    return Submitted(id=job_id)


@router.post("/api/fleet/prune")
async def prune(request: OldJobs, state: StateDep) -> Pruned:
    """Delete jobs that ended long ago, with their results. What waits or runs stays."""
    return Pruned(deleted=await (await _store(state)).jobs.prune(older_than=request.days * 86_400))


@router.put("/api/fleet/servers")
async def add_server(request: NewServer, state: StateDep) -> FleetView:
    """Put a model server on the list, or change its slots and models."""
    url = server_address(request.url)
    await (await _store(state)).servers.register(url, models=request.models, slots=request.slots)
    return await fleet(state)


@router.delete("/api/fleet/servers")
async def remove_server(url: Annotated[str, Query(max_length=500)], state: StateDep) -> FleetView:
    """Remove a model server from the list. Running calls are not interrupted."""
    if not await (await _store(state)).servers.remove(storable(url)):
        raise NotFound(f"{url} is not on the list of model servers")
    return await fleet(state)


@router.get("/api/fleet/jobs/{job_id}")
async def job(job_id: str, state: StateDep) -> JobDetail:
    """A job's request, and how it ended."""
    from mulligan.app.fleet_results import is_checkout

    store = await _store(state)
    found = await _find(store, job_id)
    checkouts = await asyncio.gather(*(is_checkout(each.path, found) for each in state.projects.values()))
    here = [project_id for project_id, fits in zip(state.projects, checkouts, strict=True) if fits]
    return job_detail(found, await store.reading.result(found.id), here)


@router.get("/api/fleet/jobs/{job_id}/log")
async def log(job_id: str, state: StateDep, after: Annotated[int, Query(ge=0, le=MAX_NUMBER)] = 0) -> JobLog:
    """Frames of its run, from the start or after a given one. Call it repeatedly to follow the run."""
    store = await _store(state)
    ended = (await _find(store, job_id)).ended_at is not None
    return job_log(await store.reading.log(job_id, after=after), after=after, ended=ended)


@router.get(
    "/api/fleet/jobs/{job_id}/patch",
    response_class=Response,
    responses={200: {"content": {PATCH: {"schema": {"type": "string"}}}}},
)
async def patch(job_id: str, state: StateDep) -> Response:
    """What it changed, as input for `git apply`."""
    store = await _store(state)
    result = await _result(store, await _find(store, job_id))
    name = {"Content-Disposition": f'attachment; filename="fleet-{job_id}.patch"'}
    return Response(base64.b64decode(result.patch), media_type=PATCH, headers=name)


@router.post("/api/fleet/jobs/{job_id}/cancel")
async def cancel(job_id: str, state: StateDep) -> JobView:
    """A running job ends within seconds; one that has ended stays as it is."""
    store = await _store(state)
    await store.jobs.cancel((await _find(store, job_id)).id)
    return job_view(await _find(store, job_id))


@router.post("/api/fleet/jobs/{job_id}/retry")
async def retry(job_id: str, state: StateDep) -> JobView:
    """Queue an ended job again. Its earlier result is discarded."""
    store = await _store(state)
    if not await store.jobs.retry((await _find(store, job_id)).id):
        raise ChatBusy(f"job {job_id} has not ended: cancel it first")
    return job_view(await _find(store, job_id))


@router.post("/api/projects/{project_id}/fleet/{job_id}/fetch")
async def fetch(project_id: str, job_id: str, state: StateDep) -> Fetched:
    """Import the result as pending changes into a checkout of its repository."""
    from mulligan.app.fleet_results import stage_result

    project, found, result = await _fetched_into(state, project_id, job_id)
    changes = await stage_result(project.session, found, result)
    state.hub.publish(ChatChanged(), state.scope(project))
    return Fetched(changes=changes)


@router.post("/api/projects/{project_id}/fleet/{job_id}/branch")
async def fetch_as_branch(project_id: str, job_id: str, request: NewBranch, state: StateDep) -> FetchedBranch:
    """The result as a commit on a new branch of a checkout of its repository. HEAD, index and files stay."""
    from mulligan.app.fleet_results import fetch_branch

    project, found, result = await _fetched_into(state, project_id, job_id)
    return FetchedBranch(branch=request.name, commit=await fetch_branch(project.session, found, result, request.name))


async def _fetched_into(state: ServerState, project_id: str, job_id: str) -> tuple[ServedProject, FleetJob, JobResult]:
    from mulligan.app.fleet_results import is_checkout

    project = state.project(project_id)
    store = await _store(state)
    found = await _find(store, job_id)
    if not await is_checkout(project.path, found):
        raise ConfigurationError(f"{project.name} is not a checkout of the repository of job {job_id}: use its patch")
    return project, found, await _result(store, found)


async def _store(state: ServerState) -> "FleetStore":
    if not state.fleet.configured:
        raise NotFound("there is no fleet here: `mulligan serve --fleet URL` names its PostgreSQL")
    return await state.fleet.store()


async def _find(store: "FleetStore", job_id: str) -> FleetJob:
    """A job, by its full id."""
    try:
        found = await store.reading.find(job_id)
    except ConfigurationError:
        found = None
    if found is None or found.id != job_id:
        raise NotFound(f"there is no job {job_id} in the fleet")
    return found


async def _result(store: "FleetStore", job: FleetJob) -> JobResult:
    result = await store.reading.result(job.id)
    if result is None or not result.patch:
        raise NotFound(f"job {job.id} has no result to fetch: it is {job.state}, or changed nothing")
    return result
