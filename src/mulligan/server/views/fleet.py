"""A fleet as a page shows it. Jobs' output comes from anybody's repository."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field, ValidationError

from mulligan.core.secrets import mask_secrets
from mulligan.core.text_fields import map_texts
from mulligan.core.visible_text import visible
from mulligan.server.frames.envelopes import Envelope
from mulligan.server.views.bodies import Given
from mulligan.server.views.body import Body
from mulligan.store.fleet.reading import LogPiece
from mulligan.types.fleet import FleetJob, FleetServer, FleetStatus, JobCount, JobResult, JobState, WorkerRecord

MAX_LINES = 1_000_000
"""Most frames of one part of a log: more than any has, so that frame numbers increase from part to part."""


class FleetView(Body):
    counts: tuple[JobCount, ...]
    ended_lately: int
    """Jobs that ended in the last minutes, over which the pace is measured."""
    jobs_per_hour: float
    seconds_left: float | None
    """At the recent pace; null while nothing has ended."""
    workers: tuple[WorkerRecord, ...]
    servers: tuple[FleetServer, ...]


class JobView(Body):
    id: str
    state: JobState
    repository: str
    ref: str
    goal: str
    verify: tuple[str, ...]
    labels: tuple[str, ...]
    model: str
    """Empty: any that a worker has."""
    priority: int
    note: str
    """Why it waits, if not just for its turn."""
    reason: str
    explanation: str
    tries: int
    max_tries: int
    worker: str
    """The worker that has it, or had it last."""
    server: str
    commit: str
    created_at: float
    started_at: float | None
    ended_at: float | None


class JobsView(Body):
    jobs: tuple[JobView, ...]
    """The newest first."""
    more: bool
    """There are older ones: request those after the last."""


class JobDetail(Body):
    job: JobView
    report: str
    """Markdown; empty where there is none."""
    diff: str
    """What it changed, as a git diff; empty if there is none. `…/patch` has the exact bytes."""
    projects: tuple[str, ...]
    """Ids of served projects that are checkouts of its repository."""


class JobLog(Body):
    envelopes: tuple[Envelope, ...]
    """Frames like those of a local fix run."""
    after: int
    """Request what comes after it."""
    ended: bool
    """The job had ended before this was read: after an empty response nothing more comes."""


class NewJob(Given):
    repository: str = Field(min_length=1, max_length=2000)
    ref: str = Field(default="", max_length=500)
    goal: str = Field(min_length=1, max_length=20_000)
    verify: tuple[str, ...] = Field(default=(), max_length=20)
    model: str | None = Field(default=None, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")
    labels: tuple[str, ...] = Field(default=(), max_length=8)
    priority: int = Field(default=0, ge=-9, le=9)


class NewServer(Given):
    url: str = Field(min_length=1, max_length=500, description="Up to and including /v1, as workers reach it.")
    models: tuple[Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")], ...] = Field(
        default=(), max_length=100, description="It is asked for these; for any, if there are none."
    )
    slots: int = Field(default=1, ge=1, le=10_000, description="How many calls it answers at once.")


class OldJobs(Given):
    days: float = Field(ge=0, le=36_500, description="Jobs that ended longer ago than that.")


class Pruned(Body):
    deleted: int


class NewBranch(Given):
    name: str = Field(min_length=1, max_length=200)


class FetchedBranch(Body):
    branch: str
    commit: str


class Submitted(Body):
    id: str


class Fetched(Body):
    changes: int
    """Changes that are pending now."""


def fleet_view(status: FleetStatus, workers: Sequence[WorkerRecord], servers: Sequence[FleetServer]) -> FleetView:
    return FleetView(
        counts=tuple(map_texts(count, visible) for count in status.counts),
        ended_lately=status.ended_lately,
        jobs_per_hour=status.jobs_per_hour,
        seconds_left=status.seconds_left,
        workers=tuple(map_texts(worker, visible) for worker in workers),
        servers=tuple(map_texts(server, _shown) for server in servers),
    )


def job_view(job: FleetJob) -> JobView:
    spec = job.spec
    view = JobView(
        **job.model_dump(exclude={"spec"}),
        **spec.model_dump(include={"repository", "ref", "verify", "labels", "priority", "max_tries"}),
        goal=spec.wanted,
        model=spec.model or "",
    )
    return map_texts(view, _shown)


def job_detail(job: FleetJob, result: JobResult | None, projects: Sequence[str]) -> JobDetail:
    patch = base64.b64decode(result.patch).decode(errors="replace") if result else ""
    return JobDetail(
        job=job_view(job),
        report=_shown(result.report) if result else "",
        diff=visible(patch),
        projects=tuple(projects),
    )


def job_log(pieces: Sequence[LogPiece], *, after: int, ended: bool) -> JobLog:
    envelopes = tuple(envelope for piece in pieces for envelope in _envelopes(piece))
    return JobLog(envelopes=envelopes, after=pieces[-1].id if pieces else after, ended=ended)


def _envelopes(piece: LogPiece) -> Iterator[Envelope]:
    for number, line in enumerate(piece.frames.split("\n")):
        try:
            frame = json.loads(line)
            if frame.get("type") == "notice":
                frame["type"] = "notice"
            envelope = Envelope.model_validate({"seq": piece.id * MAX_LINES + number, "project_id": "", "frame": frame})
        except (ValueError, ValidationError, AttributeError):  # a newer worker's
            continue
        yield map_texts(envelope, _shown)


def _shown(text: str) -> str:
    return visible(mask_secrets(text))
