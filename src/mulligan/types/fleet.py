"""Fleets: jobs, the workers that run them, and the model servers that the workers share."""

import re
from typing import Annotated, Literal

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Checked
from mulligan.types.fixing import ProfileName

JobState = Literal["queued", "running", "verified", "unverified", "failed", "cancelled"]
"""`verified`, `unverified` and `failed` are the verdicts of a fix run. A job without a verdict is also
`failed`; its reason says why."""

JobReason = Literal["cancelled", "refused", "time_limit", "memory_limit", "process_limit", "poisoned"]
"""Why a job ended without a verdict. Other jobs have the reason of their fix run."""

ENDED: tuple[JobState, ...] = ("verified", "unverified", "failed", "cancelled")

MAX_TRIES = 3
"""How often a job is started at most. A job that kills its worker every time would kill all of them."""
OLD_NAMES = {"most_takes": "max_tries"}
"""Of a job's fields, in rows and job files of earlier versions: by them, today's names."""
JOB_SECONDS = 3600.0
LABEL_CHARS = 60


def _usable(labels: tuple[str, ...]) -> tuple[str, ...]:
    for label in labels:
        if not 0 < len(label) <= LABEL_CHARS or not label.isprintable():
            raise ValueError(f"a label has 1 to {LABEL_CHARS} printable characters")
    return labels


def _no_option(value: str) -> str:
    if value.startswith("-") or "::" in value or not value.isprintable():
        raise ValueError(
            "it must be a git URL, a path or a name, and no option or helper of git: no `-` at its start, no `::`, "
            "only printable characters"
        )
    if re.match(r"[a-z+]+://[^/@]*:[^/]*@", value):
        raise ValueError("it contains a password, which everybody would see: give it to git on the workers instead")
    return value


FleetRole = Literal["look", "submit", "work"]
"""What a token for the fleet alone may do. All may look. `submit` may also submit, cancel and requeue jobs; `work` is
for machines with models, which add their servers to the list and remove them."""


class JobSpec(Record):
    """A job's request: a fix run in a repository."""

    repository: Annotated[str, Checked(_no_option)] = field(min_length=1, max_length=2000)
    """A git URL, or a path of a repository on the worker's machine."""
    ref: Annotated[str, Checked(_no_option)] = field(default="", max_length=500)
    """A branch, a tag or a commit; empty for the repository's HEAD."""
    goal: str = field(default="", max_length=20_000)
    issue: str = field(default="", max_length=200_000)
    """A text that describes what is wrong. With it, the goal is optional."""
    verify: tuple[str, ...] = field(default=(), max_length=20)
    """Commands that judge the result; by default those found in the project."""
    profile: ProfileName = "fast"
    model: str | None = None
    """The model; by default any that a worker has."""
    priority: int = field(default=0, ge=-9, le=9)
    """Jobs with a higher priority start first, whatever their labels."""
    labels: Annotated[tuple[str, ...], Checked(_usable)] = field(default=(), max_length=8)
    """The first label decides how jobs are shared, counted and taken."""
    time_limit: float = field(default=JOB_SECONDS, ge=1, le=7 * 86_400)
    """Seconds that one try of it may take."""
    max_tries: int = field(default=MAX_TRIES, ge=1, le=100, aliases=("max_tries", *OLD_NAMES))

    @property
    def label(self) -> str:
        return self.labels[0] if self.labels else ""

    @property
    def wanted(self) -> str:
        """The goal, or a default goal if there is only an issue."""
        return self.goal or "fix what the issue describes"


class FleetJob(Record):
    id: str
    spec: JobSpec
    state: JobState
    note: str = ""
    """Why it waits, if it is not simply queued."""
    reason: str = ""
    """The reason of its fix run, or a `JobReason`."""
    explanation: str = ""
    tries: int = 0
    worker: str = ""
    """The worker that has it, or had it last."""
    server: str = ""
    commit: str = ""
    """The commit that it started from."""
    created_at: float
    started_at: float | None = None
    ended_at: float | None = None


class JobResult(Record):
    """The result of a job."""

    patch: str = ""
    """A patch for `git apply`, against the job's commit; in base 64, because files may contain any bytes."""
    report: str = ""
    """The run's report, in Markdown."""
    end: str = ""
    """The frame `run_end`, as JSON; empty if the job ended before it."""


class WorkerRecord(Record):
    name: str
    host: str
    pid: int
    slots: int
    busy: int
    labels: tuple[str, ...]
    """The worker takes only jobs with these labels; all jobs if empty."""
    sandbox: str
    started_at: float
    seen_at: float
    silent: bool
    """Whether it has missed so many heartbeats that its jobs go to others."""


class FleetServer(Record):
    url: str
    models: tuple[str, ...]
    """Models that it is asked for; any if empty."""
    slots: int
    """Calls that it answers at the same time."""
    busy: int = 0
    waiting: int = 0
    failures: int = 0
    """Consecutive failures."""
    down_for: float = 0.0
    """Seconds until the next attempt to use it."""
    error: str = ""


class JobCount(Record):
    label: str
    model: str
    state: JobState
    jobs: int


class FleetStatus(Record):
    counts: tuple[JobCount, ...]
    ended_lately: int
    """In the last `window` seconds."""
    window: float
    workers: int
    """That are alive."""
    slots: int

    def of(self, *states: JobState) -> int:
        return sum(count.jobs for count in self.counts if count.state in states)

    @property
    def jobs_per_hour(self) -> float:
        return self.ended_lately / self.window * 3600 if self.window else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the recent pace; None if no job has ended yet or no worker runs."""
        left = self.of("queued", "running")
        if not left:
            return 0.0
        return left / self.ended_lately * self.window if self.ended_lately and self.workers else None
