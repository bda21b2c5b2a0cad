"""Jobs of a fleet, from submission to result.

A job's row and its row in the queue change together, in one transaction. While a worker has the job, every write
carries the token of that try, so a worker that was given up and returns writes nothing.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from secrets import token_hex

from mulligan.core.fleet.fair_order import queue_priority
from mulligan.store.database import Database
from mulligan.store.fleet.job_rows import job_of, spec_of
from mulligan.store.fleet.queue_rows import RETRY, SUBMIT, keep_end, queue_places, requeue
from mulligan.store.ids import new_id
from mulligan.types.errors import MulliganError
from mulligan.types.fleet import FleetJob, JobResult, JobSpec, JobState

TASK = "mulligan.fix"
"""The queue's name of the task."""
DEFAULT_QUEUE = "-"
"""The queue of jobs without a label."""
BATCH = 1000

SUBMITTING = 0x666C656574
"""The advisory lock of a submission: "fleet" in ASCII."""
POISONED = "its process, its worker or its model server failed every time it was started"


class JobLost(MulliganError):
    """The job no longer belongs to this worker: its result is not wanted any more."""


@dataclass(frozen=True, slots=True)
class TakenJob:
    """A job taken by a worker, and what an earlier try left."""

    job: FleetJob
    token: str
    run_state: str
    """Empty if it starts from the beginning."""
    work: str
    waits: int = 0
    """Consecutive failures of its model server, without progress in between."""


class FleetJobs:
    """Every public method is one transaction, or one per batch."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def submit(self, specs: Sequence[JobSpec]) -> list[str]:
        """Queue jobs. Returns their ids, in order."""
        return [job_id async for ids in self.submit_batches(specs) for job_id in ids]

    async def submit_batches(self, specs: Sequence[JobSpec]) -> AsyncGenerator[list[str]]:
        """Queue jobs in batches. Yields the ids of each batch."""
        for start in range(0, len(specs), BATCH):
            yield await self._submit_batch(specs[start : start + BATCH])

    async def _submit_batch(self, specs: Sequence[JobSpec]) -> list[str]:
        ids = [new_id() for _ in specs]
        async with self._database.transaction() as queries:
            await queries.execute("SELECT pg_advisory_xact_lock(:key)", key=SUBMITTING)
            numbers = await queue_places(queries, specs)
            rows = [
                {
                    "id": job_id,
                    "spec": spec.model_dump_json(),
                    "label": spec.label,
                    "model": spec.model or "",
                    "queue": spec.label or DEFAULT_QUEUE,
                    "priority": queue_priority(spec.priority, number),
                }
                for job_id, spec, number in zip(ids, specs, numbers, strict=True)
            ]
            await queries.execute(SUBMIT, rows=json.dumps(rows), task=TASK)
        return ids

    async def take(self, job_id: str, queue_id: int, *, worker: str, token: str) -> TakenJob | None:
        """None if it must not be started: it was cancelled, or belongs to another row of the queue."""
        row = await self._database.fetch_one(
            "UPDATE fleet_jobs SET state = 'running', token = :token, worker = :worker, note = '',"
            " takes = takes + CASE WHEN state = 'queued' THEN 1 ELSE 0 END,"
            " started_at = COALESCE(started_at, fleet_now())"
            " WHERE id = :id AND queue_id = :queue_id AND (state = 'queued' OR (state = 'running' AND token = :token))"
            " RETURNING *",
            id=job_id,
            queue_id=queue_id,
            worker=worker,
            token=token,
        )
        if row is None:
            return None
        kept = await self._database.fetch_one("SELECT state, work FROM fleet_runs WHERE job_id = :id", id=job_id)
        state, work = (kept["state"], kept["work"]) if kept else ("", "")
        return TakenJob(job_of(row), token, state, work, row["waits"])

    async def began(self, taken: TakenJob, *, server: str, commit: str) -> None:
        """Record the server and the commit. Raises `JobLost`."""
        await self._fenced("SET server = :server, commit_id = :commit", taken, server=server, commit=commit)

    async def save(self, taken: TakenJob, *, run_state: str, work: str) -> None:
        """Store the run's state after a node. Raises `JobLost`."""
        saved = await self._database.fetch_one(
            "WITH held AS"
            " (SELECT id FROM fleet_jobs WHERE id = :id AND token = :token AND state = 'running' FOR UPDATE),"
            " further AS (UPDATE fleet_jobs SET waits = 0 WHERE waits > 0 AND id IN (SELECT id FROM held))"
            " INSERT INTO fleet_runs (job_id, state, work) SELECT id, :state, :work FROM held"
            " ON CONFLICT (job_id) DO UPDATE SET state = excluded.state, work = excluded.work RETURNING job_id",
            id=taken.job.id,
            token=taken.token,
            state=run_state,
            work=work,
        )
        if saved is None:
            raise JobLost(f"job {taken.job.id} is not this worker's any more")

    async def log(self, taken: TakenJob, frames: str) -> None:
        """Append frames, one JSON object per line. Raises `JobLost`."""
        written = await self._database.fetch_one(
            "INSERT INTO fleet_log (job_id, frames)"
            " SELECT id, :frames FROM fleet_jobs WHERE id = :id AND token = :token AND state = 'running'"
            " RETURNING job_id",
            id=taken.job.id,
            token=taken.token,
            frames=frames,
        )
        if written is None:
            raise JobLost(f"job {taken.job.id} is not this worker's any more")

    async def finish(
        self, taken: TakenJob, state: JobState, reason: str, explanation: str, result: JobResult | None = None
    ) -> None:
        """End the job. Raises `JobLost`, except if this end is already stored and only the answer got lost."""
        async with self._database.transaction() as queries:
            row = await queries.fetch_one(
                "UPDATE fleet_jobs SET state = :state, reason = :reason, explanation = :explanation,"
                " ended_at = fleet_now() WHERE id = :id AND token = :token AND state = 'running' RETURNING queue_id",
                id=taken.job.id,
                token=taken.token,
                state=state,
                reason=reason,
                explanation=explanation,
            )
            if row is None:
                ours = await queries.fetch_one(
                    "SELECT id FROM fleet_jobs WHERE id = :id AND token = :token AND ended_at IS NOT NULL",
                    id=taken.job.id,
                    token=taken.token,
                )
                if ours:
                    return
                raise JobLost(f"job {taken.job.id} is not this worker's any more")
            await keep_end(queries, taken.job.id, row["queue_id"], result)

    async def give_back(self, taken: TakenJob, *, pause: float, note: str, counted: bool, waited: bool = False) -> None:
        """Requeue it after a pause. If the try is `counted` and was the last, the job ends; `waited`: its model server
        failed. Raises `JobLost`."""
        spec = taken.job.spec
        if counted and taken.job.tries >= spec.max_tries:
            await self.finish(taken, "failed", "poisoned", f"{POISONED} ({taken.job.tries} times); at last: {note}")
            return
        async with self._database.transaction() as queries:
            row = await queries.fetch_one(
                "UPDATE fleet_jobs SET state = 'queued', note = :note, takes = takes - :uncounted,"
                " waits = waits + :waited WHERE id = :id AND token = :token AND state = 'running' RETURNING queue_id",
                id=taken.job.id,
                token=taken.token,
                note=note,
                uncounted=0 if counted else 1,
                waited=1 if waited else 0,
            )
            if row is None:
                raise JobLost(f"job {taken.job.id} is not this worker's any more")
            await requeue(queries, taken.job.id, row["queue_id"], pause)

    async def lost(self, held: Sequence[TakenJob]) -> set[str]:
        """Tokens of jobs that no longer belong to their worker. A job that this worker has just ended or given back is
        not included until another worker takes it."""
        if not held:
            return set()
        rows = await self._database.fetch_all(
            "SELECT token FROM fleet_jobs WHERE id IN (SELECT jsonb_array_elements_text(:ids::jsonb))",
            ids=json.dumps([taken.job.id for taken in held]),
        )
        return {taken.token for taken in held} - {row["token"] for row in rows}

    async def recover(self, queue_id: int, *, silence: float, worker_id: int | None = None) -> bool:
        """Requeue a job whose worker had no heartbeat for so long, or that this worker has without knowing."""
        async with self._database.transaction() as queries:
            held = await queries.fetch_one(
                "SELECT q.id FROM procrastinate_jobs q WHERE q.id = :queue_id AND q.status = 'doing' AND ("
                " q.worker_id = :worker_id OR NOT EXISTS (SELECT 1 FROM procrastinate_workers w WHERE"
                " w.id = q.worker_id AND w.last_heartbeat > clock_timestamp() - :silence * interval '1 second'))"
                " FOR UPDATE",
                queue_id=queue_id,
                worker_id=worker_id,
                silence=silence,
            )
            if held is None:
                return False
            row = await queries.fetch_one(
                "UPDATE fleet_jobs SET state = 'queued', token = NULL, note = 'its worker died'"
                " WHERE queue_id = :queue_id AND state = 'running' RETURNING *",
                queue_id=queue_id,
            )
            job = job_of(row) if row else None
            if job and job.tries >= job.spec.max_tries:
                await queries.execute(
                    "UPDATE fleet_jobs SET state = 'failed', reason = 'poisoned', explanation = :explanation,"
                    " note = '', ended_at = fleet_now() WHERE id = :id",
                    id=job.id,
                    explanation=f"{POISONED} ({job.tries} times)",
                )
                await keep_end(queries, job.id, queue_id, None)
            else:
                await requeue(queries, job.id if job else "", queue_id, 0.0)
        return True

    async def cancel(self, job_id: str) -> JobState:
        """Returns its state: a queued job is cancelled immediately, a running one once its worker notices."""
        async with self._database.transaction() as queries:
            row = await queries.fetch_one(
                "UPDATE fleet_jobs SET note = CASE WHEN state = 'running' THEN 'being cancelled' ELSE note END"
                " WHERE id = :id RETURNING state, queue_id",
                id=job_id,
            )
            if row is None or row["state"] not in ("queued", "running"):
                return row["state"] if row else "cancelled"
            await queries.execute("SELECT procrastinate_cancel_job_v1(:queue_id, TRUE, TRUE)", queue_id=row["queue_id"])
            if row["state"] == "running":
                return "running"
            await queries.execute(
                "UPDATE fleet_jobs SET state = 'cancelled', reason = 'cancelled', ended_at = fleet_now()"
                " WHERE id = :id",
                id=job_id,
            )
            await queries.execute("DELETE FROM fleet_runs WHERE job_id = :id", id=job_id)
        return "cancelled"

    async def retry(self, job_id: str) -> bool:
        """Queue an ended job again. False if it has not ended."""
        async with self._database.transaction() as queries:
            row = await queries.fetch_one(
                "UPDATE fleet_jobs SET state = 'queued', reason = '', explanation = '', note = '', takes = 0,"
                " waits = 0, token = NULL, started_at = NULL, ended_at = NULL, commit_id = '', server = '', worker = ''"
                " WHERE id = :id AND state NOT IN ('queued', 'running') RETURNING spec",
                id=job_id,
            )
            if row is None:
                return False
            for table in ("fleet_results", "fleet_log", "fleet_runs"):
                await queries.execute(f"DELETE FROM {table} WHERE job_id = :id", id=job_id)  # noqa: S608  names of ours
            await queries.execute("SELECT pg_advisory_xact_lock(:key)", key=SUBMITTING)
            spec = spec_of(row["spec"])
            (number,) = await queue_places(queries, [spec])
            queued = [
                {
                    "id": job_id,
                    "queue": spec.label or DEFAULT_QUEUE,
                    "priority": queue_priority(spec.priority, number),
                }
            ]
            await queries.execute(RETRY, rows=json.dumps(queued), task=TASK)
        return True

    async def prune(self, *, older_than: float) -> int:
        """Delete jobs that ended longer ago than these seconds, in batches. Returns how many."""
        deleted = 0
        while True:
            rows = await self._database.fetch_all(
                "DELETE FROM fleet_jobs WHERE id IN (SELECT id FROM fleet_jobs"
                " WHERE ended_at < fleet_now() - :seconds ORDER BY ended_at LIMIT 5000) RETURNING id",
                seconds=older_than,
            )
            deleted += len(rows)
            if not rows:
                return deleted

    async def _fenced(self, assignment: str, taken: TakenJob, **values: str) -> None:
        row = await self._database.fetch_one(
            f"UPDATE fleet_jobs {assignment} WHERE id = :id AND token = :token AND state = 'running' RETURNING id",
            id=taken.job.id,
            token=taken.token,
            **values,
        )
        if row is None:
            raise JobLost(f"job {taken.job.id} is not this worker's any more")


def new_token() -> str:
    return token_hex(8)
