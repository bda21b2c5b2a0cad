"""Queries about a fleet. Nothing here changes anything."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.store.database import Database, Value
from mulligan.store.fleet.job_rows import job_of
from mulligan.store.fleet.workers import SILENT_AFTER
from mulligan.store.ids import as_typed
from mulligan.store.rows import find_by_prefix
from mulligan.store.serialization import storable
from mulligan.types.fleet import FleetJob, FleetServer, FleetStatus, JobCount, JobResult, JobState, WorkerRecord

IN_RANGE = """id COLLATE "C" >= :typed AND id COLLATE "C" < :typed || '{'"""
"""A prefix search that can use an index: `{` sorts after every character of an id."""
WINDOW = 600.0
"""Seconds over which throughput is measured."""


@dataclass(frozen=True, slots=True)
class LogPiece:
    id: int
    """For `after` of the next query."""
    frames: str
    """One JSON object per line."""


class FleetReading:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(
        self,
        *,
        state: JobState | None = None,
        label: str | None = None,
        after: FleetJob | None = None,
        most: int = 50,
    ) -> list[FleetJob]:
        """Newest first; with `after`, those that follow that job."""
        sql, values = listing(state, label, after)
        return [job_of(row) for row in await self._database.fetch_all(sql, most=most, **values)]

    async def find(self, prefix: str) -> FleetJob:
        """The job whose id starts with the prefix. Raises `ConfigurationError` for none or several."""
        whole = await self._database.fetch_one("SELECT * FROM fleet_jobs WHERE id = :id", id=storable(as_typed(prefix)))
        if whole:
            return job_of(whole)
        where = ": `mulligan fleet list` lists them"
        row = await find_by_prefix(self._database, "fleet_jobs", prefix, what="job", where=where, only=IN_RANGE)
        return job_of(row)

    async def result(self, job_id: str) -> JobResult | None:
        row = await self._database.fetch_one("SELECT * FROM fleet_results WHERE job_id = :id", id=job_id)
        return JobResult(patch=row["patch"], report=row["report"], end=row["run_end"]) if row else None

    async def log(self, job_id: str, *, after: int = 0, most: int = 200) -> Sequence[LogPiece]:
        rows = await self._database.fetch_all(
            "SELECT id, frames FROM fleet_log WHERE job_id = :id AND id > :after ORDER BY id LIMIT :most",
            id=job_id,
            after=after,
            most=most,
        )
        return [LogPiece(row["id"], row["frames"]) for row in rows]

    async def status(self) -> FleetStatus:
        counts = await self._database.fetch_all(
            "SELECT label, model, state, COUNT(*) AS jobs FROM fleet_jobs GROUP BY label, model, state"
            " ORDER BY label, model, state"
        )
        # If the fleet started a minute ago, throughput is measured over that minute.
        lately = await self._database.fetch_one(
            "SELECT COUNT(*) AS ended, COALESCE(fleet_now() - MIN(started_at), 0) AS since FROM fleet_jobs"
            " WHERE ended_at > fleet_now() - :window AND started_at IS NOT NULL",
            window=WINDOW,
        )
        alive = [worker for worker in await self.workers() if not worker.silent]
        return FleetStatus(
            counts=tuple(
                JobCount(label=row["label"], model=row["model"], state=row["state"], jobs=row["jobs"]) for row in counts
            ),
            ended_lately=lately["ended"] if lately else 0,
            window=min(WINDOW, max(1.0, lately["since"])) if lately else WINDOW,
            workers=len(alive),
            slots=sum(worker.slots for worker in alive),
        )

    async def workers(self) -> Sequence[WorkerRecord]:
        rows = await self._database.fetch_all(
            "SELECT w.*, fleet_now() - w.seen_at AS silence, (SELECT COUNT(*) FROM fleet_jobs j"
            " WHERE j.state = 'running' AND j.worker = w.name) AS busy FROM fleet_workers w ORDER BY name"
        )
        return [
            WorkerRecord(
                name=row["name"],
                host=row["host"],
                pid=row["pid"],
                slots=row["slots"],
                busy=row["busy"],
                labels=tuple(json.loads(row["labels"])),
                sandbox=row["sandbox"],
                started_at=row["started_at"],
                seen_at=row["seen_at"],
                silent=row["silence"] > SILENT_AFTER,
            )
            for row in rows
        ]

    async def servers(self) -> Sequence[FleetServer]:
        rows = await self._database.fetch_all(
            "SELECT s.*, GREATEST(0, s.down_until - fleet_now()) AS down_for,"
            " COUNT(c.id) FILTER (WHERE c.granted) AS busy, COUNT(c.id) FILTER (WHERE NOT c.granted) AS waiting"
            " FROM fleet_servers s LEFT JOIN fleet_slots c ON c.server = s.url AND c.expires_at > fleet_now()"
            " GROUP BY s.url ORDER BY s.url"
        )
        return [
            FleetServer(
                url=row["url"],
                models=tuple(json.loads(row["models"])),
                slots=row["slots"],
                busy=row["busy"],
                waiting=row["waiting"],
                failures=row["failures"],
                down_for=row["down_for"],
                error=row["error"],
            )
            for row in rows
        ]


def listing(state: JobState | None, label: str | None, after: FleetJob | None) -> tuple[str, dict[str, Value]]:
    """The query for a page of jobs; it also needs the value `most`."""
    wanted: dict[str, dict[str, Value]] = {}
    if state:
        wanted["state = :state"] = {"state": state}
    if label is not None:
        wanted["label = :label"] = {"label": storable(label)}
    if after:
        # Jobs that were submitted together have the same time.
        wanted["created_at <= :then AND (created_at < :then OR id > :last)"] = {
            "then": after.created_at,
            "last": after.id,
        }
    where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
    values = {name: value for each in wanted.values() for name, value in each.items()}
    return f"SELECT * FROM fleet_jobs{where} ORDER BY created_at DESC, id LIMIT :most", values  # noqa: S608  of ours
