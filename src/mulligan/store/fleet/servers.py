"""Model servers as a shared resource: slots, shared fairly between labels, and pauses while a server is down."""

import json
from collections.abc import Collection, Sequence

from mulligan.core.fleet.fair_order import SlotClaim, next_grants
from mulligan.core.fleet.pacing import server_pause
from mulligan.store.database import Database

LEASE_SECONDS = 30.0
"""A claim expires if it is not renewed for this long."""


class FleetServers:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def register(self, url: str, *, models: Sequence[str], slots: int) -> None:
        """Add a server, or update the models and slots of a known one."""
        await self._database.execute(
            "INSERT INTO fleet_servers (url, models, slots) VALUES (:url, :models, :slots)"
            " ON CONFLICT (url) DO UPDATE SET models = excluded.models, slots = excluded.slots, failures = 0,"
            " down_until = 0, error = ''",
            url=url,
            models=json.dumps(list(models)),
            slots=slots,
        )

    async def remove(self, url: str) -> bool:
        row = await self._database.fetch_one("DELETE FROM fleet_servers WHERE url = :url RETURNING url", url=url)
        return row is not None

    async def claim(self, claim_id: str, server: str, *, label: str, worker: str) -> bool:
        """Whether the call has its slot. Repeated until it has, which also keeps its place in the queue.

        True for a server that was removed: it is not shared any more.
        """
        async with self._database.transaction() as queries:
            row = await queries.fetch_one(
                "SELECT slots FROM fleet_servers WHERE url = :server FOR UPDATE", server=server
            )
            if row is None:
                return True
            await queries.execute(
                "DELETE FROM fleet_slots WHERE server = :server AND expires_at < fleet_now()", server=server
            )
            await queries.execute(
                "INSERT INTO fleet_slots (id, server, label, worker, expires_at)"
                " VALUES (:id, :server, :label, :worker, fleet_now() + :seconds)"
                " ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at",
                id=claim_id,
                server=server,
                label=label,
                worker=worker,
                seconds=LEASE_SECONDS,
            )
            claims = [
                SlotClaim(each["id"], each["label"], each["granted"])
                for each in await queries.fetch_all(
                    "SELECT id, label, granted FROM fleet_slots WHERE server = :server ORDER BY seq", server=server
                )
            ]
            grants = next_grants(row["slots"], claims)
            await queries.execute(
                "UPDATE fleet_slots SET granted = TRUE WHERE id IN (SELECT jsonb_array_elements_text(:ids::jsonb))",
                ids=json.dumps(grants),
            )
        return claim_id in grants or any(claim.granted for claim in claims if claim.id == claim_id)

    async def renew(self, claim_ids: Collection[str]) -> None:
        await self._database.execute(
            "UPDATE fleet_slots SET expires_at = fleet_now() + :seconds"
            " WHERE id IN (SELECT jsonb_array_elements_text(:ids::jsonb))",
            seconds=LEASE_SECONDS,
            ids=json.dumps(list(claim_ids)),
        )

    async def free(self, claim_id: str) -> None:
        """The call has ended, successfully or not."""
        await self._database.execute("DELETE FROM fleet_slots WHERE id = :id", id=claim_id)

    async def answered(self, server: str) -> None:
        """Record that the server works again."""
        await self._database.execute(
            "UPDATE fleet_servers SET failures = 0, down_until = 0, error = '' WHERE url = :server AND failures > 0",
            server=server,
        )

    async def works(self, server: str) -> bool:
        """Whether the server is registered and its last call was answered."""
        row = await self._database.fetch_one("SELECT failures FROM fleet_servers WHERE url = :server", server=server)
        return row is not None and row["failures"] == 0

    async def failed(self, server: str, error: str) -> float:
        """Record a failure. Returns the seconds for which to leave it alone. Calls that fail together count once."""
        async with self._database.transaction() as queries:
            row = await queries.fetch_one(
                "SELECT failures, down_until - fleet_now() AS left FROM fleet_servers WHERE url = :server FOR UPDATE",
                server=server,
            )
            if row is None:
                return server_pause(1)
            if row["left"] > 0:
                return row["left"]
            pause = server_pause(row["failures"] + 1)
            await queries.execute(
                "UPDATE fleet_servers SET failures = failures + 1, down_until = fleet_now() + :pause, error = :error"
                " WHERE url = :server",
                server=server,
                pause=pause,
                error=error[:500],
            )
        return pause
