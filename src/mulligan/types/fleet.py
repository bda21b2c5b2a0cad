"""Fleets: jobs that many workers share out, the workers, and the model servers that they share."""

import re
from typing import Annotated, Literal

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Checked
from mulligan.types.fixing import ProfileName

JobState = Literal["queued", "running", "verified", "unverified", "failed", "cancelled"]
"""`verified`, `unverified` and `failed` are the verdicts of a fix run. A job also fails that never came to one: its
reason says why."""

JobReason = Literal["cancelled", "refused", "time_limit", "memory_limit", "process_limit", "poisoned"]
"""Why a job ended that came to no verdict. Others have the reason of their fix run."""

ENDED: tuple[JobState, ...] = ("verified", "unverified", "failed", "cancelled")

MAX_TRIES = 3
"""How often a job is tried. One that kills its worker each time would kill all of them."""
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
        raise ValueError("it holds a password, which everybody would see: let git on the workers know it instead")
    return value


class JobSpec(Record):
    """What is asked of a job: a fix run in somebody's repository."""

    repository: Annotated[str, Checked(_no_option)] = field(min_length=1, max_length=2000)
    """A git URL, or the path of a repository on the worker's machine."""
    ref: Annotated[str, Checked(_no_option)] = field(default="", max_length=500)
    """A branch, a tag or a commit; empty for the repository's HEAD."""
    goal: str = field(default="", max_length=20_000)
    issue: str = field(default="", max_length=200_000)
    """A text that tells what is wrong. With it, the goal may be left out."""
    verify: tuple[str, ...] = field(default=(), max_length=20)
    """Commands that judge it; found in the project if none is given."""
    profile: ProfileName = "fast"
    model: str | None = None
    """Any that a worker has, where none is named."""
    priority: int = field(default=0, ge=-9, le=9)
    """A higher one is begun first, whatever its label."""
    labels: Annotated[tuple[str, ...], Checked(_usable)] = field(default=(), max_length=8)
    """The first is the one that jobs are shared out, counted and taken by."""
    time_limit: float = field(default=JOB_SECONDS, ge=1, le=7 * 86_400)
    """Seconds that one try of it may take."""
    max_tries: int = field(default=MAX_TRIES, ge=1, le=100, aliases=("max_tries", *OLD_NAMES))

    @property
    def label(self) -> str:
        return self.labels[0] if self.labels else ""

    @property
    def wanted(self) -> str:
        """The goal, or what stands for it where there is only an issue."""
        return self.goal or "fix what the issue describes"


class FleetJob(Record):
    id: str
    spec: JobSpec
    state: JobState
    note: str = ""
    """Why it waits, if it does not just wait for its turn."""
    reason: str = ""
    """Of its fix run, or a `JobReason`."""
    explanation: str = ""
    tries: int = 0
    worker: str = ""
    """Who has it, or had it last."""
    server: str = ""
    commit: str = ""
    """What it started from."""
    created_at: float
    started_at: float | None = None
    ended_at: float | None = None


class JobResult(Record):
    """The result of a job."""

    patch: str = ""
    """As `git apply` takes it, against the job's commit; in base 64, since files may hold any bytes."""
    report: str = ""
    """The run's report, in Markdown."""
    end: str = ""
    """The frame `run_end`, as JSON; empty for a job that never came to it."""


class FleetWorker(Record):
    name: str
    host: str
    pid: int
    slots: int
    busy: int
    labels: tuple[str, ...]
    """It takes only these; all, if there are none."""
    sandbox: str
    started_at: float
    seen_at: float
    silent: bool
    """No sign of life for so long that its jobs go to others."""


class FleetServer(Record):
    url: str
    models: tuple[str, ...]
    """It is asked for these; for any, if there are none."""
    slots: int
    """Calls that it answers at once."""
    busy: int = 0
    waiting: int = 0
    failures: int = 0
    """In a row."""
    down_for: float = 0.0
    """Seconds until it is asked again."""
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
        """At the recent pace; None while nothing has ended, or nobody works."""
        left = self.of("queued", "running")
        if not left:
            return 0.0
        return left / self.ended_lately * self.window if self.ended_lately and self.workers else None
