"""Whether the user's goal asks for code to be written as a whole, and which."""

import re
from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.instructions import instructions_about
from mulligan.core.writing.prompts import WRITING_SYSTEM, missing_context
from mulligan.core.writing.task import WritingTask
from mulligan.syntax.definitions import Definition, cut_code
from mulligan.syntax.test_files import is_test_file

LONGEST_FILE = 6000
"""Longest file to show whole, in characters."""

_WRITES = re.compile(r"\b(?:write|implement|complete|finish|fill in|add|create|code)\b", re.IGNORECASE)
_NAMED = re.compile(
    r"`([A-Za-z_][\w.]*)(?:\([^`]*\))?`|(?<![\w.])([A-Za-z_][\w.]{0,80})\(|\b([A-Za-z]+_\w+|[a-z]+[A-Z]\w*)\b"
)
_A_FUNCTION = re.compile(r"\b(?:function|method)\b", re.IGNORECASE)


def task_for_goal(
    goal: str, files: Mapping[str, Sequence[str]], documents: Mapping[str, Sequence[str]]
) -> WritingTask | None:
    """The stubs that the goal names, or all stubs of the first file that has some, or a new function. None if the goal
    is about something else.

    `files` are those that the goal is about, likeliest first.
    """
    asks = bool(_WRITES.search(goal))
    named = list(_names(goal))
    sources = {path: lines for path, lines in files.items() if not is_test_file(path)}
    stubs = {path: [each for each in _definitions(path, lines) if each.is_stub] for path, lines in sources.items()}
    for path, lines in sources.items():
        wanted = [each for each in stubs[path] if each.name in re.findall(r"\w+", goal)]
        if wanted:
            return _task(goal, path, lines, [_name(each) for each in wanted], documents)
    if not asks:
        return None
    defined = {each.name for path, lines in sources.items() for each in _definitions(path, lines)}
    new = [name for name in named if name.rpartition(".")[2] not in defined and f"{name}." not in " ".join(sources)]
    for path, lines in sources.items():
        if stubs[path] and not new:
            return _task(goal, path, lines, [_name(each) for each in stubs[path]], documents)
    path = next(
        (path for path in sources if path in goal or path.rpartition("/")[2] in goal), next(iter(sources), None)
    )
    if new and path and _A_FUNCTION.search(goal) and cut_code(path, ()) is not None:
        return _task(goal, path, sources[path], new[:1], documents)
    return None


def _task(
    goal: str, path: str, lines: Sequence[str], names: Sequence[str], documents: Mapping[str, Sequence[str]]
) -> WritingTask:
    functions = [each for each in _definitions(path, lines) if each.is_function]
    text = "\n".join(lines)[:LONGEST_FILE]
    words = {part for name in names for part in name.split(".")}
    context = missing_context(
        instructions=instructions_about(words, documents),
        shown=[Excerpt(path, 1, len(lines), text)] if text.strip() else [],
        tests="",
        failures=(),
        goal=goal,
    )
    whole = bool(functions) and {_name(each) for each in functions} <= {*names}
    return WritingTask("missing", path, tuple(names), WRITING_SYSTEM, context, whole=whole)


def _definitions(path: str, lines: Sequence[str]) -> tuple[Definition, ...]:
    cut = cut_code(path, lines)
    return cut.definitions if cut else ()


def _name(each: Definition) -> str:
    return f"{each.owner}.{each.name}" if each.owner else each.name


def _names(goal: str) -> Iterator[str]:
    for found in _NAMED.finditer(goal):
        yield next(filter(None, found.groups()))
