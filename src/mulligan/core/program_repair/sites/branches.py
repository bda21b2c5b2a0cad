"""A branch that was taken and should not have been, or the other way round: its condition is the suspect."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.failures.symptoms import values
from mulligan.core.program_repair.sites.ranking import Weighed
from mulligan.core.retrieval.line_change import LineLocation

_RETURNS = re.compile(r"return (.+?);?$")
_CONDITION = re.compile(r"\}?\s*(?:if|elif|else|while|for|case)\b")
_DECIDES = re.compile(r"\breturn\b|=>\s*[^{\s]|^\}?\s*(?:if|elif|else if|while|case)\b")
_CALLED = re.compile(r"(\w+)\s*\(")


def wrong_branches(failures: Sequence[str], weighed: Sequence[Weighed]) -> Iterator[LineLocation]:
    """Where a failure got or wanted a value that some branch returns as it stands: the condition of that branch, and
    what decides in the functions that the condition calls."""
    told = {_plain(value) for pair in values(failures) for value in pair}
    for each in weighed:
        for number in range(each.function.first, each.function.last + 1):
            found = _RETURNS.match(each.file.lines[number - 1].strip())
            guard = _guard(each, number) if found and _plain(found[1]) in told else None
            if guard:
                yield LineLocation(each.file.path, guard)
                yield from _called_from(each.file.lines[guard - 1], weighed)


def _guard(each: Weighed, number: int) -> int | None:
    lines = each.file.lines
    for above in range(number - 1, each.function.first, -1):
        line = lines[above - 1]
        if line.strip() and _indent(line) < _indent(lines[number - 1]):
            return above if _CONDITION.match(line.strip()) else None
    return None


def _called_from(condition: str, weighed: Sequence[Weighed]) -> Iterator[LineLocation]:
    called = set(_CALLED.findall(condition))
    for other in weighed:
        if other.function.name.rpartition(".")[2] in called:
            for number in range(other.function.first, other.function.last + 1):
                if _DECIDES.search(other.file.lines[number - 1].strip()):
                    yield LineLocation(other.file.path, number)


def _plain(value: str) -> str:
    """So that `0`, `0.0` and `'0'` of another language are one."""
    bare = value.strip().strip("'\"`")
    try:
        return str(float(bare))
    except ValueError:
        return bare.lower()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
