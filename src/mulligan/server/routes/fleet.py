"""The fleet: its jobs, workers and model servers. Where there is none, nothing is here."""

import asyncio
import base64
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Response

from mulligan.core.fleet.submissions import job_of
from mulligan.server.dependencies import StateDep
from mulligan.server.frames.envelopes import ChatChanged
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.views.fleet import (
    Fetched,
    FleetView,
    JobDetail,
    JobLog,
    JobsView,
    JobView,
    NewJob,
    Submitted,
    fleet_view,
    job_detail,
    job_log,
    job_view,
)
from mulligan.types.errors import ChatBusy, ConfigurationError, MulliganError
from mulligan.types.fleet import FleetJob, JobResult, JobState
from mulligan.workspace.git import open_repository

if TYPE_CHECKING:
    from mulligan.store.fleet.fleet_store import FleetStore

router = APIRouter(tags=["fleet"])

PATCH = "text/x-patch"
LARGEST_NUMBER = 2**53
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
    label: Annotated[str | None, Query(max_length=200, description="The first of a job's; empty for none.")] = None,
    after: Annotated[str | None, Query(max_length=100, description="The id of a job: those that follow it.")] = None,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JobsView:
    """The newest first."""
    store = await _store(state)
    last = await _find(store, after) if after else None
    found = await store.reading.list(state=job_state, label=label, after=last, most=most + 1)
    return JobsView(jobs=tuple(job_view(job) for job in found[:most]), more=len(found) > most)


@router.post("/api/fleet/jobs", status_code=201)
async def submit(request: NewJob, state: StateDep) -> Submitted:
    """Workers take it when its turn has come."""
    spec = job_of(request.model_dump(), where="the job")
    (job_id,) = await (await _store(state)).jobs.submit([spec])
    return Submitted(id=job_id)


@router.get("/api/fleet/jobs/{job_id}")
async def job(job_id: str, state: StateDep) -> JobDetail:
    """What was asked of it, and what came of it."""
    store = await _store(state)
    found = await _find(store, job_id)
    checkouts = await asyncio.gather(*(_is_checkout(each, found) for each in state.projects.values()))
    here = [project_id for project_id, fits in zip(state.projects, checkouts, strict=True) if fits]
    return job_detail(found, await store.reading.result(found.id), here)


@router.get("/api/fleet/jobs/{job_id}/log")
async def log(job_id: str, state: StateDep, after: Annotated[int, Query(ge=0, le=LARGEST_NUMBER)] = 0) -> JobLog:
    """Some frames of its run, from the beginning or after those that one has. Asked again and again, it follows."""
    store = await _store(state)
    ended = (await _find(store, job_id)).ended_at is not None
    return job_log(await store.reading.log(job_id, after=after), after=after, ended=ended)


@router.get(
    "/api/fleet/jobs/{job_id}/patch",
    response_class=Response,
    responses={200: {"content": {PATCH: {"schema": {"type": "string"}}}}},
)
async def patch(job_id: str, state: StateDep) -> Response:
    """What it changed, as `git apply` takes it."""
    store = await _store(state)
    result = await _result(store, await _find(store, job_id))
    name = {"Content-Disposition": f'attachment; filename="fleet-{job_id}.patch"'}
    return Response(base64.b64decode(result.patch), media_type=PATCH, headers=name)


@router.post("/api/fleet/jobs/{job_id}/cancel")
async def cancel(job_id: str, state: StateDep) -> JobView:
    """One that runs ends within seconds; one that has ended stays as it is."""
    store = await _store(state)
    await store.jobs.cancel((await _find(store, job_id)).id)
    return job_view(await _find(store, job_id))


@router.post("/api/fleet/jobs/{job_id}/retry")
async def retry(job_id: str, state: StateDep) -> JobView:
    """Queue one anew that has ended. What came of it before is forgotten."""
    store = await _store(state)
    if not await store.jobs.retry((await _find(store, job_id)).id):
        raise ChatBusy(f"job {job_id} has not ended: cancel it first")
    return job_view(await _find(store, job_id))


@router.post("/api/projects/{project_id}/fleet/{job_id}/fetch")
async def fetch(project_id: str, job_id: str, state: StateDep) -> Fetched:
    """The result as pending changes of a checkout of its repository."""
    from mulligan.app.fleet_results import stage_result

    project = state.project(project_id)
    store = await _store(state)
    found = await _find(store, job_id)
    if not await _is_checkout(project, found):
        raise ConfigurationError(f"{project.name} is no checkout of the repository of job {job_id}: take its patch")
    changes = await stage_result(project.session, found, await _result(store, found))
    state.hub.publish(ChatChanged(), state.scope(project))
    return Fetched(changes=changes)


async def _store(state: ServerState) -> "FleetStore":
    if not state.fleet.configured:
        raise NotFound("there is no fleet here: `mulligan serve --fleet URL` names its PostgreSQL")
    return await state.fleet.store()


async def _find(store: "FleetStore", job_id: str) -> FleetJob:
    """A job, by its whole id."""
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


async def _is_checkout(project: ServedProject, job: FleetJob) -> bool:
    """Whether it is the job's repository, or has it as a remote."""
    if _plain(str(project.path)) == _plain(job.spec.repository):
        return True
    try:
        git = await open_repository(project.path)
        named = await git.run("config", "--get-regexp", r"^remote\..*\.url$", accept=(0, 1))
    except MulliganError:
        return False
    return _plain(job.spec.repository) in {_plain(line.partition(" ")[2]) for line in named.text.splitlines()}


def _plain(repository: str) -> str:
    return repository.rstrip("/").removesuffix(".git")
