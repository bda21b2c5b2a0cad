"""Changes that take more than one line: a result that is not handed out, a change that is lost in a copy."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.line_context import indent_of
from mulligan.syntax.functions import functions_in

Change = tuple[tuple[str, ...], str]
"""All lines of the file with the change made, and what it is."""

_RESULT = re.compile(r"\breturn\b[ (]*[\w'\"\[{(`-]|=>\s*[^{\s]")
_HELD = re.compile(r"(?:const |let |var )?([A-Za-z_]\w*)(?:: [^=]+)? :?= ")
_OVER_COPIES = re.compile(r"(\s*)for (_|\w+), (\w+) := range ([\w.]+) \{")
_BY_VALUE = re.compile(r"func \((\w+) ([A-Z]\w*)\) ")


def not_handed_out(path: str, lines: Sequence[str], suspects: Sequence[int]) -> Iterator[Change]:
    """A function that returns nothing, with a return of what it holds behind its last line."""
    if path.endswith(".go"):  # does not compile without it
        return
    end = "" if path.endswith(".py") else ";"
    for function in functions_in(path, lines):
        body = lines[function.first : function.last]
        if not any(function.first <= line <= function.last for line in suspects) or _RESULT.search("\n".join(body)):
            continue
        rows = [row for row in body if row.strip() and row.strip() not in {"}", "};"}]
        if not rows or function.name in {"__init__", "constructor"}:
            continue
        indent = min(rows, key=indent_of)
        indent = indent[: len(indent) - len(indent.lstrip())]
        at = function.last - (not path.endswith(".py"))
        own = "self" if path.endswith(".py") else "this"
        held = [
            found[1] for row in rows if (found := _HELD.match(row.strip())) and row.startswith(indent + found[0][:1])
        ]
        for value in dict.fromkeys([*reversed(held), *([own] if re.search(rf"\b{own}\.", "\n".join(rows)) else [])]):
            statement = f"return {value}{end}"
            yield (*lines[:at], f"{indent}{statement}", *lines[at:]), f"{function.name} ends with `{statement}`"


def lost_in_copies(path: str, lines: Sequence[str]) -> Iterator[Change]:
    """Go: what is set in a loop's copy is set in the list, and a method that sets fields gets the thing itself."""
    if not path.endswith(".go"):
        return
    for at, line in enumerate(lines):
        found = _OVER_COPIES.match(line)
        if found:
            yield from _in_list(lines, at, found)
        by_value = _BY_VALUE.match(line)
        if by_value:
            body = _block(lines, at)
            if re.search(rf"\b{by_value[1]}\.\w+(?:\[[^\]]*\])?\s*(?:[-+*/]?=(?!=)|\+\+|--)", "\n".join(body)):
                head = line.replace(f"({by_value[1]} {by_value[2]})", f"({by_value[1]} *{by_value[2]})", 1)
                yield (*lines[:at], head, *lines[at + 1 :]), f"`{head.strip()}`"


def _in_list(lines: Sequence[str], at: int, found: re.Match[str]) -> Iterator[Change]:
    space, index, copy, listed = found.groups()
    body = _block(lines, at)
    setting = re.compile(rf"\b{copy}(?=\.\w+\s*(?:[-+*/]?=(?!=)|\+\+|--))")
    if not any(setting.search(row) for row in body):
        return
    index = "i" if index == "_" else index
    head = f"{space}for {index}, {copy} := range {listed} {{"
    changed = [setting.sub(f"{listed}[{index}]", row) for row in body]
    # A copy that nothing reads any more is not allowed.
    if not any(re.search(rf"\b{copy}\b", row) for row in changed):
        head = f"{space}for {index} := range {listed} {{"
    yield (*lines[:at], head, *changed, *lines[at + 1 + len(body) :]), f"`{listed}[{index}]` for the copy `{copy}`"


def _block(lines: Sequence[str], at: int) -> list[str]:
    """The lines within the block that a line opens."""
    body: list[str] = []
    for row in lines[at + 1 :]:
        if row.strip() and indent_of(row) <= indent_of(lines[at]):
            break
        body.append(row)
    return body
