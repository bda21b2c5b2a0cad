"""A model's to-do list."""

from collections.abc import Iterable

from mulligan.runtime.late_pattern import late_pattern

TOOL = "update_todos"
MAX_TODOS = 40

_ITEM = late_pattern(r"(?:[-*+]|\d{1,3}[.)])?\s*(?:\[(.?)\])?\s*(.*)")
_DONE, _UNDER_WAY = "xX\u2713\u2714", ">~-.*"


def todo_list(items: Iterable[str]) -> tuple[str, ...]:
    """The items for display, however the model wrote them: `[x] read it`, `[>] change it`, `[ ] test it`."""
    lines = [line for item in items for line in item.split("\n") if line.strip()]
    return tuple(shown for line in lines[:MAX_TODOS] if (shown := _shown(line)))


def _shown(line: str) -> str:
    match = _ITEM.fullmatch(line.strip())
    if match is None or not match[2]:
        return ""
    mark = match[1] or " "
    state = "x" if mark in _DONE else ">" if mark in _UNDER_WAY else " "
    return f"[{state}] {match[2][:200]}"
