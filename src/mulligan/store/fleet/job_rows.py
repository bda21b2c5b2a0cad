"""Converts a fleet's rows to the product's types."""

import json
from typing import Any

from mulligan.store.database import Row
from mulligan.types.base import InvalidRecord
from mulligan.types.fleet import OLD_NAMES, FleetJob, JobSpec


def job_of(row: Row) -> FleetJob:
    return FleetJob(
        id=row["id"],
        spec=spec_of(row["spec"]),
        state=row["state"],
        note=row["note"],
        reason=row["reason"],
        explanation=row["explanation"],
        tries=row["takes"],
        worker=row["worker"],
        server=row["server"],
        commit=row["commit_id"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )


def spec_of(text: str) -> JobSpec:
    """A stored spec always loads, even if another version wrote it, or today's rules refuse it: its job must be listed,
    cancelled and recovered like any other. Workers validate it before they run it."""
    try:
        return JobSpec.model_validate_json(text, extra="ignore")
    except InvalidRecord:
        read: dict[str, Any] = json.loads(text)
        stored = {OLD_NAMES.get(name, name): value for name, value in read.items()}
        lists = {name: tuple(stored.get(name) or ()) for name in ("verify", "labels")}
        return JobSpec.model_construct(**{**stored, **lists})
