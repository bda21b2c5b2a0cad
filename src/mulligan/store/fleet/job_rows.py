"""Rows of a fleet as the product's values."""

from mulligan.store.database import Row
from mulligan.types.fleet import FleetJob, JobSpec


def job_of(row: Row) -> FleetJob:
    return FleetJob(
        id=row["id"],
        spec=JobSpec.model_validate_json(row["spec"]),
        state=row["state"],
        note=row["note"],
        reason=row["reason"],
        explanation=row["explanation"],
        takes=row["takes"],
        worker=row["worker"],
        server=row["server"],
        commit=row["commit_id"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )
