"""Splits a file into blocks that make sense on their own: functions, methods, sections, paragraphs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

MAX_BLOCK_LINES = 40
"""Longer blocks are split at the next deeper level."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines `first` to `last`, counted from 1, both included."""

    first: int
    last: int
    head: int | None = None
    """The first line of what this block is a part of, such as its class."""


def split_blocks(path: str, lines: Sequence[str]) -> list[CodeBlock]:
    """In order and without overlap; blank lines between blocks belong to no block."""
    if path.lower().endswith((".md", ".rst", ".markdown")):
        starts = [index for index, line in enumerate(lines) if _HEADING.match(line)]
    else:
        starts = _paragraph_starts(lines, 0, len(lines), indent=0)
    return [block for first, end in _spans(0, starts, len(lines)) for block in _cut(lines, first, end)]


def defined_names(lines: Sequence[str]) -> Iterator[str]:
    """The functions, classes, types and constants that these lines define, in the common languages."""
    for line in lines:
        if found := _DEFINITION.match(line):
            yield found["name"] or found["constant"]
        elif line.rstrip().endswith("{") and (found := _METHOD.match(line)) and found["name"] not in _CONTROL:
            yield found["name"]


_HEADING = re.compile(r"#{1,4} \S")
_CLOSER = re.compile(r"\s*([)\]}]|end\b|else\b|elif\b|except\b|finally\b|catch\b)")
_DEFINITION = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|pub(?:\(\w+\))?|unsafe|"
    r"inline|override|declare|extern)\s+)*"
    r"(?:(?:def|class|function\*?|fn|func|struct|interface|enum|trait|type|module|object|record|impl|const|let|var|"
    r"macro_rules!|#define)\s+(?:\([^)]*\)\s*)?(?P<name>\w+)"
    r"|(?P<constant>[A-Z][A-Z0-9_]{2,})\b\s*(?:[:=]|=>))"
)
_METHOD = re.compile(r"\s*(?:[\w<>\[\],*&.:]+\s+){1,5}(?P<name>\w+)\s*\(")
"""A definition in C, Java and similar languages, which has no keyword; its line ends in a brace."""
_CONTROL = frozenset({"if", "for", "while", "switch", "catch", "return", "else", "match"})


def _spans(first: int, starts: Sequence[int], end: int) -> Iterator[tuple[int, int]]:
    """From each start to the next; the lines before the first start are a span too."""
    yield from pairwise(sorted({first, *starts, end}))


def _paragraph_starts(lines: Sequence[str], first: int, end: int, *, indent: int) -> list[int]:
    """Where a line of this indentation follows a blank one, so comments and decorators stay with what they describe."""
    return [
        index
        for index in range(first + 1, end)
        if not lines[index - 1].strip() and _indent(lines[index]) == indent and not _CLOSER.match(lines[index])
    ]


def _cut(lines: Sequence[str], first: int, end: int, head: int | None = None) -> Iterator[CodeBlock]:
    """The span as one block, or as several if it is too long."""
    while first < end and not lines[first].strip():
        first += 1
    while first < end and not lines[end - 1].strip():
        end -= 1
    if first == end:
        return
    if end - first <= MAX_BLOCK_LINES:
        yield CodeBlock(first + 1, end, head)
        return
    deeper = [_indent(lines[index]) for index in range(first + 1, end) if not lines[index - 1].strip()]
    for level in sorted({each for each in deeper if each is not None}):
        if starts := _paragraph_starts(lines, first, end, indent=level):
            break
    else:
        starts = list(range(first + MAX_BLOCK_LINES, end, MAX_BLOCK_LINES))
    opened_by = head or first + 1
    for index, (start, stop) in enumerate(_spans(first, starts, end)):
        yield from _cut(lines, start, stop, opened_by if index else head)


def _indent(line: str) -> int | None:
    """Columns before the text; None for a blank line."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip()) if expanded.strip() else None
