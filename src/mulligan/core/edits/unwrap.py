"""Removes what models wrap a text in: fences, line numbers, quote and diff marks, escapes.

A text is only unwrapped if every line that is not blank has the mark, and only if the file does not contain it as it
is. So a Markdown list or a table of numbers stays.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from mulligan.core.edits.escapes import unescape, unescape_entities, unescape_quotes
from mulligan.core.edits.lines import LinedText, indent_of
from mulligan.core.line_diff import split_keeping_ends

Side = Literal["old", "new"]
Unwrap = Callable[[str, Side], Sequence[str]]
"""The ways to read a text without its marks, likeliest first; empty if it has none."""

_FENCE = re.compile(r"\s*+(`{3,}+|~{3,}+)[^\n`]*+\n")
_QUOTES = "`\"'"
_NUMBERED = (
    re.compile(r"[ \t]*(?P<number>\d{1,7})(?P<mark>[\u2192\t])(?P<gap>)(?P<rest>.*)", re.DOTALL),
    re.compile(
        r"[ \t]*(?:L|[Ll]ine )?(?P<number>\d{1,7})(?P<mark>[ ]?[:|\u2502>])(?P<gap>[ ]?)(?P<rest>.*)", re.DOTALL
    ),
    re.compile(r"[ \t]*\[(?:L)?(?P<number>\d{1,7})\](?P<mark>:?)(?P<gap>[ ]?)(?P<rest>.*)", re.DOTALL),
    re.compile(r"(?P<path>[^\s:]+):(?P<number>\d{1,7})(?P<mark>[:-])(?P<gap>[ ]?)(?P<rest>.*)", re.DOTALL),
    re.compile(r"[ \t]*(?P<number>\d{1,7})(?P<mark>[ ])(?P<gap>)(?P<rest>.*)", re.DOTALL),
)
_QUOTED = re.compile(r"[ \t]?>(?!>)[ ]?(.*)", re.DOTALL)
_DIFF_HEADER = re.compile(r"^(?:@@ .*|--- .*\r?\n\+\+\+ .*|diff --git .*|index [0-9a-f]+\.\..*)\r?\n", re.MULTILINE)


@dataclass(frozen=True)
class EditReading:
    """One way to read the edit."""

    old: str
    new: str

    @cached_property
    def old_text(self) -> LinedText:
        return LinedText(self.old)

    @cached_property
    def new_text(self) -> LinedText:
        return LinedText(self.new)


def readings(content: str, old: str, new: str) -> Iterator[EditReading]:
    """The edit as written first, then with more and more removed; nothing is removed if the file has the old text."""
    yield EditReading(old, _only_new_wrapped(content, old, new))
    if old in content:
        return
    layers: tuple[Unwrap, ...] = (
        _without_fence,
        _without_quotes_around,
        lambda text, _: _if_any(unescape(text, content)),
        _without_quote_marks,
        _without_numbers,
        _without_diff_marks,
        lambda text, _: _if_any(unescape_quotes(text)),
        lambda text, _: _if_any(unescape_entities(text)),
    )
    for _ in range(2):
        for layer in layers:
            ways = layer(old, "old")
            inner = max(ways, key=lambda way: _fitness(way, content)) if len(ways) > 1 else "".join(ways)
            from_end = len(ways) - ways.index(inner) if ways else 0
            if inner == old or not inner.strip():
                continue
            with_new = _likewise(layer, inner, new, from_end, wrapped=_first_line(old) == _first_line(new))
            if new.strip() and not with_new.strip():
                continue
            old, new = inner, with_new
            yield EditReading(old, _only_new_wrapped(content, old, new))


def _likewise(layer: Unwrap, old: str, new: str, from_end: int = 0, *, wrapped: bool = False) -> str:
    """Unwrap the new text in the same way, unless it has more in common with the old one as it is.

    A new text that begins like the old one before unwrapping is wrapped as well. If there are several ways, take the
    one in which the old text was read, counted from the last.
    """
    inner = layer(new, "new")
    if from_end and inner:
        inner = (inner[-min(from_end, len(inner))],)
    ways = inner if wrapped else (*inner, new)
    return max(ways, key=lambda text: _shared(text, old)) if inner else new


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip()


def _only_new_wrapped(content: str, old: str, new: str) -> str:
    """Unwrap a new text whose old text was not wrapped, if its content goes with the old text.

    A fence is always removed, unless the file has fences itself, or the fence is all that is new.
    """
    for inner in _without_fence(new, "new"):
        if "```" not in content and "~~~" not in content and inner.strip() != old.strip():
            return inner
    for layer in (_without_numbers, _without_diff_marks):
        inner = _likewise(layer, old, new)
        if inner is not new and inner.strip() != old.strip() and _shared(inner, old) > _shared(new, old):
            return inner
    return new


def _fitness(way: str, content: str) -> tuple[int, int]:
    """How well a text fits the file: by common lines, then by indents that the file does not have."""
    strange = {indent_of(line) for line in split_keeping_ends(way)} - set(map(indent_of, split_keeping_ends(content)))
    return _shared(way, content), -len(strange)


def _shared(one: str, other: str) -> int:
    """Characters of lines that both have; lines with equal indentation count twice."""
    lines = {line.rstrip() for line in split_keeping_ends(other)}
    bodies = {line.strip() for line in lines}
    return sum(
        len(line.strip()) * (2 if line.rstrip() in lines else 1)
        for line in split_keeping_ends(one)
        if line.strip() in bodies
    )


def _if_any(text: str | None) -> Sequence[str]:
    return () if text is None else (text,)


def _without_fence(text: str, _: Side) -> Sequence[str]:
    if opened := _FENCE.match(text):
        inside = text[opened.end() :]
        body = inside.rstrip()
        # An unclosed fence goes on to the end.
        return (body.removesuffix(opened[1]).rstrip(" \t").removesuffix("\n") if body.endswith(opened[1]) else inside,)
    return ()


def _without_quotes_around(text: str, _: Side) -> Sequence[str]:
    whole = text.strip("\r\n")
    mark = whole[:1]
    if not mark or mark not in _QUOTES:
        return ()
    leading, trailing = (len(whole) - len(rest) for rest in (whole.lstrip(mark), whole.rstrip(mark)))
    around = min(leading, trailing, (len(whole) - 1) // 2)
    return (whole[around : len(whole) - around],) if around else ()


def _without_quote_marks(text: str, _: Side) -> Sequence[str]:
    found = [_QUOTED.fullmatch(line) if line.strip() else None for line in split_keeping_ends(text)]
    lines = list(zip(split_keeping_ends(text), found, strict=True))
    if any(match is None and line.strip() for line, match in lines):
        return ()
    return ("".join(line if match is None else match[1] for line, match in lines),)


def _without_numbers(text: str, side: Side) -> Sequence[str]:
    lines = split_keeping_ends(text)
    first = next((line for line in lines if line.strip()), "")
    for pattern in _NUMBERED:
        if not pattern.fullmatch(first):
            continue
        found = [pattern.fullmatch(line) if line.strip() else None for line in lines]
        marked = [match for match in found if match]
        if len(marked) < sum(bool(line.strip()) for line in lines):
            continue
        numbers = [int(match["number"]) for match in marked]
        if side == "old" and any(after <= before for before, after in pairwise(numbers)):
            continue
        if "path" in pattern.groupindex and len({match["path"] for match in marked}) > 1:
            continue
        return _without_prefixes(lines, found)
    return ()


def _without_prefixes(lines: Sequence[str], found: Sequence[re.Match[str] | None]) -> Sequence[str]:
    """The space after the mark belongs to it if every line has it, except where nothing follows."""
    pairs = list(zip(lines, found, strict=True))
    whole = "".join(line if match is None else match["gap"] + match["rest"] for line, match in pairs)
    if any(match and not match["gap"] and match["rest"].strip() for match in found):
        return (whole,)
    return "".join(line if match is None else match["rest"] for line, match in pairs), whole


def _without_diff_marks(text: str, side: Side) -> Sequence[str]:
    lines = split_keeping_ends(_DIFF_HEADER.sub("", text))
    if not any(line[0] in "+-" for line in lines) and (side == "old" or len(lines) < 2):
        return ()
    if not all(line[0] in " +-" or not line.strip() for line in lines):
        return ()
    gone = "+" if side == "old" else "-"
    return ("".join(line if line[0] in "\r\n" else line[1:] for line in lines if line[0] != gone),)
