"""Reads submitted jobs: one JSON object per line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mulligan.types.base import InvalidRecord
from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import OLD_NAMES, JobSpec


def read_jobs(lines: Iterable[str], *, source: str, defaults: Mapping[str, Any] | None = None) -> Iterator[JobSpec]:
    """Blank lines are skipped. `defaults` fill in missing fields. Raises `ConfigurationError`, which names the line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, f"line {number} of {source}", defaults)


def is_url(repository: str) -> bool:
    """`host:path` counts, as in git."""
    return "://" in repository or ":" in repository.partition("/")[0]


def job_of(fields: Mapping[str, Any], *, where: str, defaults: Mapping[str, Any] | None = None) -> JobSpec:
    """Raises `ConfigurationError` that says what is wrong."""
    if isinstance(fields.get("label"), str):  # the name of the option
        others = {name: value for name, value in fields.items() if name != "label"}
        fields = {**others, "labels": [fields["label"], *others.get("labels", ())]}
    fields = {**(defaults or {}), **{OLD_NAMES.get(name, name): value for name, value in fields.items()}}
    try:
        spec = JobSpec.model_validate(fields)
    except InvalidRecord as error:
        first = error.problems[0]
        name = ".".join(map(str, first["loc"])) or "it"
        if first["type"] == "extra_forbidden":
            known = ", ".join(JobSpec.field_defaults)
            raise ConfigurationError(f"{where}: {name} is not a field of a job; these are: {known}") from error
        raise ConfigurationError(f"{where}: {name} is invalid: {first['msg']}") from error
    if not spec.goal.strip() and not spec.issue.strip():
        raise ConfigurationError(f"{where}: there is no goal: say what to reach, such as `make the tests pass`")
    if any(not command.strip() or "\0" in command for command in spec.verify):
        raise ConfigurationError(f"{where}: verify contains an empty or invalid command")
    return spec


def _read_line(line: str, where: str, defaults: Mapping[str, Any] | None) -> JobSpec:
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise ConfigurationError(f"{where} is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise ConfigurationError(f'{where} is not an object: write {{"repository": "…", "goal": "…"}}')
    return job_of(fields, where=where, defaults=defaults)  # pyright: ignore[reportUnknownArgumentType]  # checked by what it becomes
