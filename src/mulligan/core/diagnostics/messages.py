"""Messages about diagnostics: to the model with an edit, to the user at the end of a turn."""

from collections import Counter
from collections.abc import Iterable

from mulligan.core.diagnostics.findings import Diagnostic

MAX_SHOWN = 5


def new_problem_lines(found: Iterable[tuple[str, Diagnostic]]) -> tuple[str, ...]:
    """For the model: each problem with the name of its checker."""
    lines, more = _spread(found)
    problems = [f"New since this edit ({name}): {_line(each)}" for name, each in lines]
    return (*problems, *([f"[{more} more]"] if more else []))


def remaining_problem_lines(found: Iterable[tuple[str, Diagnostic]]) -> tuple[str, ...]:
    """For the user: what the turn broke and did not fix."""
    lines, more = _spread(found)
    return (*(f"{_line(each)} ({name})" for name, each in lines), *([f"{more} more"] if more else []))


def slow_checker_lines(names: Iterable[str], seconds: float) -> tuple[str, ...]:
    listed = ", ".join(names)
    return (f"[No answer within {seconds:g} s: {listed}. Not asked again in this turn.]",) if listed else ()


def _spread(found: Iterable[tuple[str, Diagnostic]]) -> tuple[list[tuple[str, Diagnostic]], int]:
    """The few to show, and how many are left out. The first problem of every file comes before the second of any: the
    model can't see what breaks elsewhere."""
    before: Counter[str] = Counter()
    ranked: list[tuple[int, str, Diagnostic]] = []
    for name, each in found:
        ranked.append((before[each.path], name, each))
        before[each.path] += 1
    ranked.sort(key=lambda row: row[0])
    return [(name, each) for _, name, each in ranked[:MAX_SHOWN]], max(0, len(ranked) - MAX_SHOWN)


def _line(each: Diagnostic) -> str:
    code = f" [{each.code}]" if each.code else ""
    return f"{each.path}:{each.line}: {each.message}{code}"
