"""Which restores of a chat are in effect: each has a marker with its undo, until it is undone."""

from collections.abc import Iterable

from mulligan.types.checkpoints import DoneRestore, RestoreMark


def active_restores(done: Iterable[DoneRestore]) -> list[RestoreMark]:
    """From restores in the order they were made. One that returned to another's safety checkpoint undid that one, and
    takes its place; if it is itself undone, the first one is in effect again."""
    marks: dict[str, RestoreMark] = {}
    for each in done:
        undone = marks.pop(each.checkpoint.id, None)
        marks[each.safety.id] = RestoreMark(each, undoes=undone is not None and not undone.undoes)
    return list(marks.values())
