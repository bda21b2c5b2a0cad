"""Which restores a chat still stands on: each has a marker with the way back, until it is undone."""

from collections.abc import Iterable

from mulligan.types.checkpoints import DoneRestore, RestoreMark


def standing_restores(done: Iterable[DoneRestore]) -> list[RestoreMark]:
    """Of restores in the order they were made. One that returned to another's safety checkpoint undid that one, and
    takes its place; undone itself, it is the first one done again."""
    marks: dict[str, RestoreMark] = {}
    for each in done:
        undone = marks.pop(each.checkpoint.id, None)
        marks[each.safety.id] = RestoreMark(each, undoes=undone is not None and not undone.undoes)
    return list(marks.values())
