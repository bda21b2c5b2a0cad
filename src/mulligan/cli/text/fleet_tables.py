"""A fleet as sentences and tables."""

from collections.abc import Iterator, Sequence

from mulligan.cli.text.safe_text import one_line
from mulligan.cli.text.sentences import format_time
from mulligan.core.turn_words import duration_words
from mulligan.types.fleet import FleetJob, FleetStatus, JobResult, JobState

STATES: tuple[JobState, ...] = ("queued", "running", "verified", "unverified", "failed", "cancelled")
JOB_HEADINGS = ("id", "state", "label", "submitted", "took", "repository", "what")


def status_rows(status: FleetStatus) -> tuple[Sequence[str], list[Sequence[str]]]:
    """A row for each label and model, and the sum."""
    kinds = sorted({(count.label, count.model) for count in status.counts})
    found = {(count.label, count.model, count.state): count.jobs for count in status.counts}
    rows: list[Sequence[str]] = [
        (label or "-", model or "-", *(str(found.get((label, model, state), 0)) for state in STATES))
        for label, model in kinds
    ]
    rows.append(("all", "", *(str(status.of(state)) for state in STATES)))
    return ("label", "model", *STATES), rows


def status_words(status: FleetStatus) -> str:
    workers = f"{status.workers} worker{'s' if status.workers != 1 else ''}"
    workers += f" with {status.slots} slot{'s' if status.slots != 1 else ''}" if status.workers else ""
    left = status.seconds_left
    pace = f"{status.jobs_per_hour:.0f} jobs an hour" if status.ended_lately else "no job has ended recently"
    eta = f", {duration_words(left)} left" if left else ""
    nobody = status.of("queued") and not status.workers
    return f"{workers}; {pace}{eta}" + ("; mulligan fleet work starts a worker" if nobody else "")


def status_fields(status: FleetStatus) -> dict[str, object]:
    return {
        **{state: status.of(state) for state in STATES},
        "by_label_and_model": [count.model_dump() for count in status.counts],
        "jobs_per_hour": status.jobs_per_hour,
        "seconds_left": status.seconds_left,
        "workers": status.workers,
        "slots": status.slots,
    }


def job_row(job: FleetJob) -> Sequence[str]:
    spec = job.spec
    return (
        job.id,
        job.state,
        ", ".join(spec.labels) or "-",
        format_time(job.created_at),
        _took(job),
        one_line(spec.repository, 50),
        one_line(job.explanation or job.note or spec.wanted, 60),
    )


def job_lines(job: FleetJob, result: JobResult | None) -> Iterator[str]:
    spec = job.spec
    yield f"{job.id}  {job.state}" + (f" ({job.reason})" if job.reason else "")
    facts = {
        "why": job.explanation or job.note,
        "repository": f"{spec.repository} {spec.ref}".strip(),
        "commit": job.commit,
        "goal": spec.wanted,
        "verify": "; ".join(spec.verify),
        "labels": ", ".join(spec.labels),
        "model": spec.model or "",
        "worker": job.worker,
        "server": job.server,
        "tries": f"{job.tries} of {spec.max_tries}",
        "submitted": format_time(job.created_at, with_seconds=True),
        "took": _took(job),
        "fetch": f"mulligan fleet fetch {job.id}" if result and result.patch else "",
    }
    for name, words in facts.items():
        if words:
            yield f"  {name:<10}  {one_line(words, 400)}"
    if result and result.report:
        yield ""
        yield from result.report.splitlines()


def _took(job: FleetJob) -> str:
    if job.started_at is None or job.ended_at is None:
        return ""
    return duration_words(job.ended_at - job.started_at)
