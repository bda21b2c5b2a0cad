"""What stands in a file outside of all functions: imports, constants, types."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.syntax.blocks import CodeBlock, defined_names
from mulligan.syntax.functions import CodeFunction, names_in

LONGEST_STATEMENT = 12
"""Lines; a longer one is not shown beside a function that uses it."""


@dataclass(frozen=True, slots=True)
class TopLevel:
    """A statement, and the names that it gives to the file."""

    block: CodeBlock
    names: frozenset[str]
    sets_a_value: bool


def top_level(path: str, lines: Sequence[str], functions: Sequence[CodeFunction]) -> Iterator[TopLevel]:
    """The short ones, in the order of the file. Classes are none: their methods are shown with their heads."""
    inside = {number for each in functions for number in range(each.first, each.last + 1)}
    number = 1
    while number <= len(lines):
        line = lines[number - 1]
        last = _end(lines, number)
        if line[:1].strip() and number not in inside and last - number < LONGEST_STATEMENT and not _CLASS.match(line):
            text = "\n".join(lines[number - 1 : last])
            assigned = _ASSIGNED.match(line)
            names = names_in(path, text) if _IMPORT.match(line) else {*defined_names([line])}
            names |= {assigned[1]} if assigned else set[str]()
            grouped = {*_GROUPED.findall(text)} if _GROUP.match(line) else set[str]()
            yield TopLevel(CodeBlock(number, last), frozenset(names | grouped), bool(assigned or grouped))
        number = last + 1


def _end(lines: Sequence[str], number: int) -> int:
    """The last line of the statement that begins here: those after it that are indented, and what closes it."""
    last = number
    while last < len(lines):
        line = lines[last]
        if not line.strip() or (line[:1].strip() and not _CLOSER.match(line)):
            break
        last += 1
    return last


_IMPORT = re.compile(r"(?:import|from|use|using)\b|(?:const|let|var)\s.*\brequire\(")
_CLASS = re.compile(r"(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\b")
_ASSIGNED = re.compile(r"(?:(?:export\s+)?(?:const|let|var)\s+)?([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=(?!=)")
_GROUP = re.compile(r"(?:const|var) \(")
_GROUPED = re.compile(r"^\s+(\w+)(?:\s+[\w.\[\]*]+)?\s*=", re.MULTILINE)
_CLOSER = re.compile(r"[)\]}]")
