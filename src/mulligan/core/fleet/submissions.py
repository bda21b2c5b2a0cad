"""Jobs as people write them down: one JSON object a line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mulligan.types.base import InvalidRecord
from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import OLD_NAMES, JobSpec


def read_jobs(lines: Iterable[str], *, source: str, defaults: Mapping[str, Any] | None = None) -> Iterator[JobSpec]:
    """Blank lines are passed over. `defaults` are for what a line leaves out. Raises `ConfigurationError`, which names
    the line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, f"line {number} of {source}", defaults)


def is_url(repository: str) -> bool:
    """`host:path` is one, as git knows it."""
    return "://" in repository or ":" in repository.partition("/")[0]


def job_of(fields: Mapping[str, Any], *, where: str, defaults: Mapping[str, Any] | None = None) -> JobSpec:
    """Raises `ConfigurationError` that says what is not right."""
    if isinstance(fields.get("label"), str):  # as the option is called
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
            raise ConfigurationError(f"{where}: {name} is no field of a job; there are: {known}") from error
        raise ConfigurationError(f"{where}: {name} is not right: {first['msg']}") from error
    if not spec.goal.strip() and not spec.issue.strip():
        raise ConfigurationError(f"{where}: there is no goal: say what to reach, such as `make the tests pass`")
    if any(not command.strip() or "\0" in command for command in spec.verify):
        raise ConfigurationError(f"{where}: verify holds a command that is none")
    return spec


def _read_line(line: str, where: str, defaults: Mapping[str, Any] | None) -> JobSpec:
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise ConfigurationError(f"{where} is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise ConfigurationError(f'{where} is no object: write {{"repository": "…", "goal": "…"}}')
    return job_of(fields, where=where, defaults=defaults)  # pyright: ignore[reportUnknownArgumentType]  # checked by what it becomes
