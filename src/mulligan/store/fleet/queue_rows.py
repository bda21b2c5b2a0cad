"""A job's row in Procrastinate's queue: created, retried and ended in the same transaction as the job's row."""

import json
from collections.abc import Sequence

from mulligan.core.fleet.fair_order import NUMBERS_PER_PRIORITY, priority_bounds, queue_numbers
from mulligan.store.database import Queries
from mulligan.types.fleet import JobResult, JobSpec


async def queue_places(queries: Queries, specs: Sequence[JobSpec]) -> list[int]:
    """The queue number of each. Updates the labels' counters."""
    numbers: dict[int, int] = {}
    for priority in {spec.priority for spec in specs}:
        indexes = [index for index, spec in enumerate(specs) if spec.priority == priority]
        low, high = priority_bounds(priority)
        row = await queries.fetch_one(
            "SELECT priority FROM procrastinate_jobs WHERE status = 'todo' AND priority BETWEEN :low AND :high"
            " ORDER BY priority DESC, id LIMIT 1",
            low=low,
            high=high,
        )
        front = priority * NUMBERS_PER_PRIORITY - row["priority"] if row else None
        if front is None:
            await queries.execute("DELETE FROM fleet_labels WHERE priority = :priority", priority=priority)
        labels = [specs[index].label for index in indexes]
        known = await queries.fetch_all(
            "SELECT label, newest FROM fleet_labels WHERE priority = :priority"
            " AND label IN (SELECT jsonb_array_elements_text(:labels::jsonb))",
            priority=priority,
            labels=json.dumps(sorted(set(labels))),
        )
        made, newest = queue_numbers(labels, {row["label"]: row["newest"] for row in known}, front)
        numbers.update(zip(indexes, made, strict=True))
        await queries.execute(
            "INSERT INTO fleet_labels (priority, label, newest)"
            " SELECT :priority, key, value::bigint FROM jsonb_each_text(:newest::jsonb)"
            " ON CONFLICT (priority, label) DO UPDATE SET newest = excluded.newest",
            priority=priority,
            newest=json.dumps(newest),
        )
    return [numbers[index] for index in range(len(specs))]


async def keep_end(queries: Queries, job_id: str, queue_id: int, result: JobResult | None) -> None:
    if result:
        await queries.execute(
            "INSERT INTO fleet_results (job_id, patch, report, run_end) VALUES (:id, :patch, :report, :run_end)",
            id=job_id,
            patch=result.patch,
            report=result.report,
            run_end=result.end,
        )
    await queries.execute("DELETE FROM fleet_runs WHERE job_id = :id", id=job_id)
    await queries.execute(
        "SELECT procrastinate_finish_job_v1(id, 'succeeded', TRUE) FROM procrastinate_jobs"
        " WHERE id = :queue_id AND status IN ('todo', 'doing')",
        queue_id=queue_id,
    )


async def requeue(queries: Queries, job_id: str, queue_id: int, pause: float) -> None:
    """Requeue a job; if its end was requested, end it as cancelled."""
    row = await queries.fetch_one(
        "SELECT abort_requested FROM procrastinate_jobs WHERE id = :queue_id AND status = 'doing' FOR UPDATE",
        queue_id=queue_id,
    )
    if row and row["abort_requested"]:
        await queries.execute(
            "UPDATE fleet_jobs SET state = 'cancelled', reason = 'cancelled', note = '', ended_at = fleet_now()"
            " WHERE id = :id AND ended_at IS NULL",
            id=job_id,
        )
        await keep_end(queries, job_id, queue_id, None)
    elif row:
        await queries.execute(
            "SELECT procrastinate_retry_job_v2(:queue_id, clock_timestamp() + :pause * interval '1 second',"
            " NULL, NULL, NULL)",
            queue_id=queue_id,
            pause=pause,
        )


# Ids of the queue are given in the order of the array.
_QUEUED = """
    WITH given AS (
        SELECT row_number() OVER () AS place, job.* FROM jsonb_to_recordset(:rows::jsonb)
            AS job (id TEXT, spec TEXT, label TEXT, model TEXT, queue TEXT, priority INTEGER)
    ), deferred AS (
        SELECT procrastinate_defer_jobs_v1(array_agg(
            ROW(queue, :task, priority, NULL, NULL, jsonb_build_object('job', id), NULL)::procrastinate_job_to_defer_v1
            ORDER BY place)) AS ids FROM given
    ), queued AS (
        SELECT queue_id, row_number() OVER (ORDER BY queue_id) AS place
        FROM deferred, unnest(deferred.ids) AS queue_id
    )
"""

SUBMIT = f"""{_QUEUED}
    INSERT INTO fleet_jobs (id, spec, label, model, queue_id, created_at)
    SELECT given.id, given.spec, given.label, given.model, queued.queue_id, fleet_now()
    FROM given JOIN queued USING (place)
"""  # noqa: S608  of ours

RETRY = f"""{_QUEUED}
    UPDATE fleet_jobs SET queue_id = queued.queue_id FROM given JOIN queued USING (place)
    WHERE fleet_jobs.id = given.id
"""  # noqa: S608  of ours
