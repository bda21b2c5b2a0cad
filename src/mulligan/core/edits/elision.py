"""`...` in place of lines that the model left out."""

import re
from collections.abc import Sequence
from itertools import pairwise

from mulligan.core.edits.lines import LinedText
from mulligan.core.edits.locate import strictest_places
from mulligan.core.edits.matches import PLACES_SHOWN, Aligned, Found, Lines, Several
from mulligan.core.line_diff import changed_blocks

Chain = tuple[Aligned, ...]
"""Consecutive pieces."""

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
    """Elision lines. An ellipsis below a colon is not one: it is a body in Python."""
    bodies = [text.body(line) for line in text.solid]
    return [
        body
        for above, body in zip(["", *bodies], bodies, strict=False)
        if is_elision(body) and not (body.strip() == "..." and above.rstrip().endswith(":"))
    ]


def replaced_elisions(old: LinedText, new: LinedText) -> frozenset[int]:
    """The old text's elisions for which the new text, which has no elisions, has lines between the same two lines."""
    if elisions(new):
        return frozenset()
    before, after = ([text.body(line).rstrip() for line in range(len(text.lines))] for text in (old, new))
    alone = [block for block in changed_blocks(before, after) if block.a_end - block.a_start == 1]
    inner = [block.a_start for block in alone if block.b_end > block.b_start and 0 < block.a_start < len(before) - 1]
    return frozenset(inner) & frozenset(elisions(old))


def find_elided(text: LinedText, needle: LinedText) -> Found:
    """Found only if the pieces between the elisions follow each other in exactly one way."""
    marks = elisions(needle)
    if not marks:
        return None
    bounds = list(pairwise([-1, *marks, len(needle.lines)]))
    pieces = [LinedText("".join(needle.lines[above + 1 : below])) for above, below in bounds]
    if not all(piece.solid for piece in pieces):
        return None
    chains: list[Chain] = [(hit,) for hit in strictest_places(text, pieces[0])]
    for piece in pieces[1:]:
        first = min((chain[-1].lines[1] for chain in chains), default=len(text.lines))
        hits = [hit for hit in strictest_places(text, piece) if hit.lines[0] >= first]
        chains = [_followed_by(hit, chains) for hit in hits]
    if len(chains) != 1:
        shown = tuple((chain[0].lines[0], chain[-1].lines[1]) for chain in chains[:PLACES_SHOWN])
        return Several(len(chains), shown) if chains else None
    partners: list[Lines | None] = [None] * len(needle.lines)
    after = 0
    for (above, below), hit in zip(bounds, chains[0], strict=True):
        partners[above + 1 : below] = hit.partners
        if above >= 0:
            partners[above] = (after, hit.lines[0])
        after = hit.lines[1]
    return Aligned(tuple(partners), "elision", runs=frozenset(marks))


def _followed_by(hit: Aligned, chains: Sequence[Chain]) -> Chain:
    """Attach the nearest chain above: nobody leaves out lines that they would have to write again."""
    return (*max(chains, key=lambda chain: (chain[-1].lines[1] <= hit.lines[0]) * chain[-1].lines[1]), hit)
