"""A result for a model: ranked sections, cut to a budget, with what was left out and how to get it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mulligan.types.frozen import frozen

if TYPE_CHECKING:
    from mulligan.types.codecontext import Link, Symbol


RESULT_TOKENS = 1500
RESULT_CHARS_PER_TOKEN = 4
"""Fixed, so that a result has the same length for every model."""
MAX_LINE_CHARS = 180
"""Most characters of one line to show."""
TIME_LIMIT = 180.0
"""Seconds of one call: the first one in a large project has to read all of it."""


@frozen
class Section:
    title: str
    lines: Sequence[str]
    more: str = ""
    """How to get the omitted lines."""
    least: int = 3
    """How many lines are shown before another section gets more than its minimum."""
    total: int = 0
    """The total number of lines, if not all of them are available."""


def lay_out(head: str, sections: Iterable[Section], *, more: str = "", tokens: int = RESULT_TOKENS) -> str:
    """The head, then what fits of the non-empty sections. Earlier ones get the remaining space. `more` says how to get
    sections that were left out completely.
    """
    filled = [section for section in sections if section.lines]
    left_chars = tokens * RESULT_CHARS_PER_TOKEN - len(head) - _NOTE
    counts: list[int] = []
    for section in filled:
        shown = section.lines[: section.least]
        cost = len(section.title) + _NOTE + _cost(shown)
        if cost > left_chars and counts:
            break
        counts.append(len(shown))
        left_chars -= cost
    for index, count in enumerate(counts):
        for line in filled[index].lines[count:]:
            if _cost([line]) > left_chars:
                break
            left_chars -= _cost([line])
            counts[index] += 1
    blocks = [_show(section, count) for section, count in zip(filled, counts, strict=False)]
    left = len(filled) - len(counts)
    return "\n\n".join([head, *blocks, *([f"[{left} more left out{_how(more)}]"] if left else [])])


def symbol_line(symbol: Symbol) -> str:
    """`src/a.py:12 method def run(self) in Turn — Runs the turn.`"""
    return f"{symbol.path}:{symbol.line} {symbol_words(symbol)}"


def member_line(symbol: Symbol) -> str:
    """`12-30 class Turn`: within a file that is already named."""
    lines = f"{symbol.line}" if symbol.end_line <= symbol.line else f"{symbol.line}-{symbol.end_line}"
    return f"{lines} {symbol_words(symbol)}"


def symbol_words(symbol: Symbol) -> str:
    """Its kind if the signature does not show it, the signature, what it is part of and its description."""
    signature = symbol.signature or symbol.name
    kind = "" if symbol.kind in signature.split() else f"{symbol.kind} "
    inside = f" in {symbol.parent}" if symbol.parent else ""
    return f"{kind}{signature}{inside}{f' — {symbol.doc}' if symbol.doc else ''}"


def link_line(link: Link) -> str:
    return f"{link.path}: {', '.join(link.names)}" if link.names else link.path


def short(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else line[: MAX_LINE_CHARS - 1] + "…"


_NOTE = 60
"""Characters reserved for the note about what was left out."""


def _show(section: Section, count: int) -> str:
    left = max(section.total, len(section.lines)) - count
    note = [f"[{left} more{_how(section.more)}]"] if left else []
    return "\n".join([f"{section.title}:", *map(short, section.lines[:count]), *note])


def _how(more: str) -> str:
    return f"; {more}" if more else ""


def _cost(lines: Iterable[str]) -> int:
    return sum(min(len(line), MAX_LINE_CHARS) + 1 for line in lines)
