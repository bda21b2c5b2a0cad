"""The few lines about diagnostics in an edit's result."""

from collections import Counter
from collections.abc import Iterable

from mulligan.core.diagnostics.findings import Diagnostic

MOST_TOLD = 5


def tell_new(found: Iterable[tuple[str, Diagnostic]]) -> tuple[str, ...]:
    """Each with the name of its checker. The first of every file goes before the second of any: what breaks elsewhere
    is what the model can't see."""
    before: Counter[str] = Counter()
    ranked: list[tuple[int, str, Diagnostic]] = []
    for name, each in found:
        ranked.append((before[each.path], name, each))
        before[each.path] += 1
    ranked.sort(key=lambda row: row[0])
    lines = [_line(name, each) for _, name, each in ranked[:MOST_TOLD]]
    more = len(ranked) - len(lines)
    return (*lines, *([f"[{more} more]"] if more else []))


def tell_slow(names: Iterable[str], seconds: float) -> tuple[str, ...]:
    listed = ", ".join(names)
    return (f"[No answer within {seconds:g} s: {listed}. Not asked again in this turn.]",) if listed else ()


def _line(name: str, each: Diagnostic) -> str:
    code = f" [{each.code}]" if each.code else ""
    return f"New since this edit ({name}): {each.path}:{each.line}: {each.message}{code}"
