"""Whether the user's goal asks for code to be written as a whole, and which."""

import re
from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.instructions import instructions_about
from mulligan.core.writing.prompts import WRITING_SYSTEM, missing_context
from mulligan.core.writing.task import WritingTask
from mulligan.syntax.definitions import Definition, cut_code
from mulligan.syntax.testfiles import is_test_file

MAX_FILE_CHARS = 6000
"""Longest file to show whole, in characters."""

_IMPLEMENTS = re.compile(r"\b(?:implement\w*|complete|finish|fill in|stubs?)\b", re.IGNORECASE)
_ASKS = (
    # "add a small function `name`", but not "add a test for `name`"
    r"(?i:\b(?:write|implement|complete|finish|fill in|add|create|code)\b)"
    r"(?P<words>(?:[^\w.;:]+(?!(?:to|for|in|of|from|with|and)\b)\w+){0,5}?)[^\w.;:]+(?:\w+\.)*%(name)s\b(?P<rest>.*)"
    r"|\b%(name)s\b[^\w.;:]+(?:must|should|has to|needs to) (?!be\b)"
)
_NAMED = re.compile(
    r"`([A-Za-z_][\w.]*)(?:\([^`]*\))?`|(?<![\w.])([A-Za-z_][\w.]{0,80})\(|\b([A-Za-z]+_\w+|[a-z]+[A-Z]\w*)\b(?!\.\w)"
    r"|\b(?:called|named) ([A-Za-z_]\w*)"
)
_A_FUNCTION = re.compile(r"\b(?:function|method)\b", re.IGNORECASE)
_IS_A_FUNCTION = re.compile(r"(?:\([^)]*\))?`? (?:function|method)\b", re.IGNORECASE)


def task_for_goal(
    goal: str, files: Mapping[str, Sequence[str]], documents: Mapping[str, Sequence[str]]
) -> WritingTask | None:
    """The stubs that the goal asks for, by their names or those of their classes; or all stubs of the first file that
    has some, if it names nothing; or a new function. None if the goal is about something else.

    `files` are those that the goal is about, likeliest first.
    """
    sources = {path: lines for path, lines in files.items() if not is_test_file(path)}
    definitions = {path: _definitions(path, lines) for path, lines in sources.items()}
    stubs = {path: [each for each in found if each.is_stub] for path, found in definitions.items()}
    defined = {each.name for found in definitions.values() for each in found}
    words, named = {*re.findall(r"\w+", goal)}, [name for name in _names(goal) if not _is_path(name, files)]
    about = defined & words | {name.rpartition(".")[2] for name in named}
    of_stubs = {name for found in stubs.values() for each in found for name in (each.name, each.owner)}
    only_stubs = bool(_IMPLEMENTS.search(goal)) and about <= of_stubs
    for path, lines in sources.items():
        wanted = [each for each in stubs[path] if each.name in words]
        if wanted and (only_stubs or any(_asked(goal, each.name) for each in wanted)):
            return _task(goal, path, lines, [_name(each) for each in wanted], documents)
    for path, lines in sources.items() if only_stubs else ():
        if wanted := [each for each in stubs[path] if not about or each.owner in about]:
            return _task(goal, path, lines, [_name(each) for each in wanted], documents)
    new = [name for name in named if name.rpartition(".")[2] not in defined and _asked_anew(goal, name)]
    path = next(
        (path for path in sources if path in goal or path.rpartition("/")[2] in goal), next(iter(sources), None)
    )
    if new and path and cut_code(path, ()) is not None:
        return _task(goal, path, sources[path], new[:1], documents)
    return None


def _asked(goal: str, name: str) -> re.Match[str] | None:
    """Whether the goal says that this has to be written, not something for it or with it."""
    return re.search(_ASKS % {"name": re.escape(name)}, goal)


def _asked_anew(goal: str, name: str) -> bool:
    asked = _asked(goal, name)
    is_function = asked and (_A_FUNCTION.search(asked["words"] or "") or _IS_A_FUNCTION.match(asked["rest"] or ""))
    return bool(is_function)


def _is_path(name: str, files: Mapping[str, Sequence[str]]) -> bool:
    return any(name in (path, path.rpartition("/")[2]) for path in files)


def _task(
    goal: str, path: str, lines: Sequence[str], names: Sequence[str], documents: Mapping[str, Sequence[str]]
) -> WritingTask:
    functions = [each for each in _definitions(path, lines) if each.is_function]
    text = "\n".join(lines)[:MAX_FILE_CHARS]
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
