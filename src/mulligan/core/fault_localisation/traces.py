"""Which lines each test ran, as recorded by the programs in `syntax/tracers`."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

from mulligan.core.failures.project_paths import in_project
from mulligan.syntax.language import Tracer

MAX_TESTS = 10_000
"""Most tests to read."""
MAX_LINES = 200_000
"""Most lines of one file that a test may claim to have run."""


@dataclass(frozen=True, slots=True)
class TracedTest:
    id: str
    """As the runner names it."""
    passed: bool
    lines: Mapping[str, frozenset[int]]
    """By the project's paths."""
    ages: Mapping[str, Mapping[int, int]] = field(default_factory=dict[str, Mapping[int, int]])
    """For each function, by its first line: how many calls the test made after the last call of it. Empty if that is
    not known."""


def traced_command(command: str, tracers: Iterable[Tracer], folder: str) -> str:
    """The command with settings that make its runner load the tracers in this folder, even if it sets the same
    variables itself."""
    exports: list[str] = []
    for tracer in tracers:
        command = tracer.run_instead(command)
        for name, value, between in tracer.variables:
            mine = value.replace("{folder}", folder)
            command = _with_value(command, name, f"'{mine}{between}'")
            exports.append(f"export {name}='{mine}'\"${{{name}:+{between}${name}}}\"; ")
    return "".join(exports) + command


def _with_value(command: str, name: str, value: str) -> str:
    head, *parts = command.split(f"{name}=")
    for part in parts:
        is_whole = not head or head[-1] in " \t;&|("
        head += f"{name}=" + (value if is_whole else "") + part
    return head


def read_traces(texts: Iterable[str], paths: Collection[str]) -> tuple[TracedTest, ...]:
    """Lines that are not records, or about files outside the project, are ignored: the project's own code could have
    written them. Tests may share an id, since some runners let a file or several packages repeat a name."""
    found: list[TracedTest] = []
    meant: dict[str, str | None] = {}
    for line in (line for text in texts for line in text.splitlines()):
        record = _record(line)
        if record is None or len(found) >= MAX_TESTS:
            continue
        for name in record["lines"]:
            if name not in meant:
                meant[name] = name if name in paths else in_project(name, paths)
        lines = {own: frozenset(_numbers(each)) for name, each in record["lines"].items() if (own := meant[name])}
        ages = dict(_ages(record.get("ages"), meant))
        found.append(TracedTest(record["test"], record["passed"], lines, ages))
    return tuple(found)


def _record(line: str) -> dict[str, Any] | None:
    try:
        record: Any = json.loads(line)
    except ValueError:
        return None
    is_sound = (
        _is_object(record)
        and isinstance(record.get("test"), str)
        and isinstance(record.get("passed"), bool)
        and _is_object(record.get("lines"))
    )
    return record if is_sound else None


def _ages(value: Any, meant: Mapping[str, str | None]) -> Iterator[tuple[str, dict[int, int]]]:
    for name, ages in value.items() if _is_object(value) else ():
        if (own := meant.get(name)) and _is_object(ages):
            yield own, {int(key): age for key, age in ages.items() if key.isdecimal() and isinstance(age, int)}


def _numbers(value: Any) -> list[int]:
    return (
        [each for each in cast("list[Any]", value)[:MAX_LINES] if isinstance(each, int)] if type(value) is list else []
    )


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
