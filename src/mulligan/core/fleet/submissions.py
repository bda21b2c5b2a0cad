"""Jobs as people write them down: one JSON object a line."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import JobSpec


def read_jobs(lines: Iterable[str], *, source: str) -> Iterator[JobSpec]:
    """Blank lines are passed over. Raises `ConfigurationError` that names the line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, f"line {number} of {source}")


def job_of(fields: dict[str, Any], *, where: str) -> JobSpec:
    """Raises `ConfigurationError` that says what is not right."""
    if isinstance(fields.get("label"), str):  # as the option is called
        fields = {**fields, "labels": [fields.pop("label"), *fields.get("labels", ())]}
    try:
        spec = JobSpec.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "it"
        if first["type"] == "extra_forbidden":
            known = ", ".join(JobSpec.model_fields)
            raise ConfigurationError(f"{where}: {name} is no field of a job; there are: {known}") from error
        raise ConfigurationError(f"{where}: {name} is not right: {first['msg']}") from error
    if not spec.goal.strip() and not spec.issue.strip():
        raise ConfigurationError(f"{where}: there is no goal: say what to reach, such as `make the tests pass`")
    if any(not command.strip() or "\0" in command for command in spec.verify):
        raise ConfigurationError(f"{where}: verify holds a command that is none")
    return spec


def _read_line(line: str, where: str) -> JobSpec:
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise ConfigurationError(f"{where} is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise ConfigurationError(f'{where} is no object: write {{"repository": "…", "goal": "…"}}')
    return job_of(fields, where=where)  # pyright: ignore[reportUnknownArgumentType]  # checked by what it becomes
