"""`...` that stands for lines which the model did not care to write."""

import re
from itertools import pairwise

from mulligan.core.edits.lines import LinedText
from mulligan.core.edits.locate import find_alike
from mulligan.core.edits.matches import Aligned, Found, Lines, Piece, Several

_COMMENT = r"\{?(?:#|//|/\*|<!--|--|;|%)"
_CLOSED = r"\s*(?:\*/|-->)?\}?\s*\Z"
_DOTS = r"\[?(?:\.\.\.|\u2026)\]?"
_ELISION = re.compile(
    rf"\s*(?:{_DOTS}(?:\s+[\w' ,-]+{_DOTS})?\s*\Z|{_COMMENT}\s*{_DOTS}[\w' ,-]*(?:{_DOTS})?{_CLOSED})"
)
_PROMISE = re.compile(
    rf"\s*{_COMMENT}\s*(?:{_DOTS})?\s*\(?(?:existing|rest of|remaining|other|unchanged|same)\b[\w' ]*"
    rf"\b(?:code|unchanged|same|function|file|class|method|implementation|lines?)\b[\w' ]*\)?\s*(?:{_DOTS})?{_CLOSED}",
    re.IGNORECASE,
)


def is_elision(line: str) -> bool:
    return len(line) < 120 and bool(_ELISION.match(line) or _PROMISE.match(line))


def elisions(text: LinedText) -> list[int]:
    return [number for number, line in enumerate(text.lines) if is_elision(line)]


def left_out(text: LinedText) -> list[str]:
    """Lines that stand for code and are no code themselves: an ellipsis below a colon is a body in Python."""
    bodies = [text.body(line) for line in text.solid]
    return [
        body
        for above, body in zip(["", *bodies], bodies, strict=False)
        if is_elision(body) and not (body.strip() == "..." and above.rstrip().endswith(":"))
    ]


def find_elided(text: LinedText, needle: LinedText) -> Found:
    """Each piece between the elisions stands at one place only, and the places follow each other."""
    marks = elisions(needle)
    if not marks:
        return None
    partners: list[Lines | None] = [None] * len(needle.lines)
    after = 0
    bounds = [-1, *marks, len(needle.lines)]
    for above, below in pairwise(bounds):
        piece = LinedText("".join(needle.lines[above + 1 : below]))
        if not piece.solid:
            return None
        found = _whole_lines(text, piece)
        if found is None or isinstance(found, Several):
            return found
        start, end = found.lines
        if start < after:
            return None
        partners[above + 1 : below] = found.partners
        if above >= 0:
            partners[above] = (after, start)
        after = end
    return Aligned(tuple(partners), "elision")


def _whole_lines(text: LinedText, piece: LinedText) -> Aligned | Several | None:
    ended = piece if piece.text.endswith(("\n", "\r")) else LinedText(piece.text + "\n")
    found = find_alike(text, ended)
    return None if isinstance(found, Piece) else found
