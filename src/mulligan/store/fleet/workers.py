"""Workers of a fleet and their heartbeats."""

import json
import os
import socket
from collections.abc import Sequence

from mulligan.store.database import Database

SILENT_AFTER = 30.0
"""Seconds. Workers send heartbeats much more often."""
FORGOTTEN_AFTER = 86_400.0


class FleetWorkers:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def beat(self, name: str, *, slots: int, labels: Sequence[str], sandbox: str) -> None:
        """A heartbeat of this process, under that worker name."""
        async with self._database.transaction() as queries:
            await queries.execute(
                "INSERT INTO fleet_workers (name, host, pid, slots, labels, sandbox, started_at, seen_at)"
                " VALUES (:name, :host, :pid, :slots, :labels, :sandbox, fleet_now(), fleet_now())"
                " ON CONFLICT (name) DO UPDATE SET host = excluded.host, pid = excluded.pid, slots = excluded.slots,"
                " labels = excluded.labels, sandbox = excluded.sandbox, seen_at = excluded.seen_at",
                name=name,
                host=socket.gethostname(),
                pid=os.getpid(),
                slots=slots,
                labels=json.dumps(list(labels)),
                sandbox=sandbox,
            )
            await queries.execute(
                "DELETE FROM fleet_workers WHERE seen_at < fleet_now() - :seconds", seconds=FORGOTTEN_AFTER
            )

    async def leave(self, name: str) -> None:
        await self._database.execute("DELETE FROM fleet_workers WHERE name = :name", name=name)

    async def taken_unknown(self, queue_worker: int, known: Sequence[int]) -> list[int]:
        """Queue rows that this worker has but does not know: the answer got lost when it took them."""
        rows = await self._database.fetch_all(
            "SELECT id FROM procrastinate_jobs WHERE status = 'doing' AND worker_id = :worker_id",
            worker_id=queue_worker,
        )
        return [row["id"] for row in rows if row["id"] not in known]
