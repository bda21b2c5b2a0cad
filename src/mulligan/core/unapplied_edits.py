"""Whether what a model wanted to change was changed."""

from collections.abc import Sequence

from mulligan.types.messages import Part, ToolCallPart, ToolResultPart

CHANGING = frozenset({"edit_file", "create_file", "delete_file"})


def unapplied_edits(parts: Sequence[Part]) -> tuple[str, ...]:
    """The files whose last change in this turn was refused, as the model named them, in the order of their calls.

    A model that was refused and then says that all is done is wrong, and its word is not taken for it. A file of the
    same name in another folder makes it good: then the first path was a wrong guess.
    """
    calls = {part.call_id: part for part in parts if isinstance(part, ToolCallPart) and part.name in CHANGING}
    landed: dict[str, bool] = {}
    for part in parts:
        call = calls.get(part.call_id) if isinstance(part, ToolResultPart) else None
        path = call.arguments.get("path") if call else None
        if isinstance(part, ToolResultPart) and isinstance(path, str):
            landed[path.removeprefix("./")] = part.failure is None
    done = {_name(path) for path, well in landed.items() if well}
    return tuple(path for path, well in landed.items() if not well and _name(path) not in done)


def _name(path: str) -> str:
    return path.rpartition("/")[2]
