"""Taking off what models wrap a text in: fences, line numbers, quote and diff marks, escapes.

A text is only unwrapped where every line that is not blank carries the mark, and is only read that way where it is not in the
file as it stands. So a list in Markdown or a table of numbers stays what it is.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from mulligan.core.edits.escapes import unescape, unescape_entities, unescape_quotes
from mulligan.core.line_diff import split_keeping_ends

Side = Literal["old", "new"]
Unwrap = Callable[[str, Side], str | None]

_FENCE = re.compile(r"\A\s*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:\n?[ \t]*\1[ \t]*\s*)?\Z", re.DOTALL)
_TICKS = re.compile(r"\A(`+)([^`\n]+)\1\Z")
_NUMBERED = (
    re.compile(r"[ \t]*(?P<number>\d{1,7})(?P<mark>[\u2192\t])(?P<gap>)(?P<rest>.*)", re.DOTALL),
    re.compile(r"[ \t]*(?:L|[Ll]ine )?(?P<number>\d{1,7})(?P<mark>[ ]?[:|\u2502>])(?P<gap>[ ]?)(?P<rest>.*)", re.DOTALL),
    re.compile(r"[ \t]*\[(?:L)?(?P<number>\d{1,7})\](?P<mark>:?)(?P<gap>[ ]?)(?P<rest>.*)", re.DOTALL),
    re.compile(r"(?P<path>[^\s:]+):(?P<number>\d{1,7})(?P<mark>[:-])(?P<gap>[ ]?)(?P<rest>.*)", re.DOTALL),
    re.compile(r"[ \t]*(?P<number>\d{1,7})(?P<mark>[ ])(?P<gap>)(?P<rest>.*)", re.DOTALL),
)
_QUOTED = re.compile(r"[ \t]?>[ ]?(.*)", re.DOTALL)
_DIFF_HEADER = re.compile(r"(?:@@ .*|--- .*|\+\+\+ .*|diff --git .*|index [0-9a-f]+\.\..*)\s*\Z")


@dataclass(frozen=True, slots=True)
class Reading:
    """The edit, as it may have been meant."""

    old: str
    new: str


def readings(content: str, old: str, new: str) -> Iterator[Reading]:
    """The edit as it stands first, then with more and more taken off."""
    yield Reading(old, _only_new_wrapped(old, new))
    layers: tuple[Unwrap, ...] = (
        _without_fence,
        _without_quote_marks,
        _without_numbers,
        _without_diff_marks,
        lambda text, _: unescape(text, content),
        lambda text, _: unescape_quotes(text),
        lambda text, _: unescape_entities(text),
    )
    for _ in range(2):
        for layer in layers:
            inner = layer(old, "old")
            if inner is None or inner == old or not inner.strip():
                continue
            new = _likewise(layer, inner, new)
            old = inner
            yield Reading(old, _only_new_wrapped(old, new))


def _likewise(layer: Unwrap, old: str, new: str) -> str:
    """The new text in the same manner, unless it has more in common with the old one as it stands."""
    inner = layer(new, "new")
    if inner is None:
        return new
    return inner if _shared(inner, old) >= _shared(new, old) else new


def _only_new_wrapped(old: str, new: str) -> str:
    """A new text that is wrapped although the old one was not, if what is inside goes with the old one."""
    for layer in (_without_fence, _without_numbers, _without_diff_marks):
        inner = layer(new, "new")
        if inner is not None and inner.strip() != old.strip() and _shared(inner, old) > _shared(new, old):
            return inner
    return new


def _shared(one: str, other: str) -> int:
    """How many characters of lines the two have in common."""
    lines = {line.strip() for line in split_keeping_ends(other)}
    return sum(len(line.strip()) for line in split_keeping_ends(one) if line.strip() in lines)


def _without_fence(text: str, _: Side) -> str | None:
    found = _FENCE.match(text)
    if found:
        return found[2]
    found = _TICKS.match(text.strip())
    return found[2] if found else None


def _without_quote_marks(text: str, _: Side) -> str | None:
    return _each_line(text, lambda line: found[1] if (found := _QUOTED.fullmatch(line)) else None)


def _without_numbers(text: str, side: Side) -> str | None:
    for pattern in _NUMBERED:
        found = [pattern.fullmatch(line) if line.strip() else None for line in split_keeping_ends(text)]
        marked = [match for match in found if match]
        if not marked or len(marked) < sum(bool(line.strip()) for line in split_keeping_ends(text)):
            continue
        numbers = [int(match["number"]) for match in marked]
        steps = [after - before for before, after in zip(numbers, numbers[1:], strict=False)]
        if side == "old" and any(step < 1 for step in steps):
            continue
        if "path" in pattern.groupindex and len({match["path"] for match in marked}) > 1:
            continue
        return _without_prefixes(split_keeping_ends(text), found)
    return None


def _without_prefixes(lines: list[str], found: list[re.Match[str] | None]) -> str:
    """The space after the mark belongs to it if it is there everywhere but before nothing."""
    spaced = all(match["gap"] or not match["rest"].strip() for match in found if match)
    return "".join(
        line if match is None else match["rest"] if spaced else match["gap"] + match["rest"]
        for line, match in zip(lines, found, strict=True)
    )


def _without_diff_marks(text: str, side: Side) -> str | None:
    lines = [line for line in split_keeping_ends(text) if not _DIFF_HEADER.match(line)]
    if not any(line[0] in "+-" for line in lines) and (side == "old" or len(lines) < 2):
        return None
    if not all(line[0] in " +-" or not line.strip() for line in lines):
        return None
    gone = "+" if side == "old" else "-"
    return "".join(line[1:] if line.strip() else line for line in lines if line[0] != gone)


def _each_line(text: str, unmarked: Callable[[str], str | None]) -> str | None:
    out: list[str] = []
    for line in split_keeping_ends(text):
        inner = unmarked(line) if line.strip() else line
        if inner is None:
            return None
        out.append(inner)
    return "".join(out)
