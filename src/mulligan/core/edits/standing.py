"""Recognising an edit that the file shows already."""

import re

from mulligan.core.edits.lines import LinedText, key
from mulligan.core.edits.locate import find_alike, find_exact
from mulligan.core.edits.matches import Aligned, Lines, Piece
from mulligan.core.edits.unwrap import Reading

_ENOUGH = 10
"""Letters and digits of a new text below which it may stand anywhere by chance."""
_CLOSERS = {"end", "fi", "done", "esac", "endif", "else", "pass"}
_WORD = re.compile(r"\w+")


def where_new_stands(text: LinedText, reading: Reading) -> Lines | None:
    """The one place of a new text that tells something. One that only removes says nothing: what is left is always there."""
    known = {key(line) for line in LinedText(reading.old).lines}
    fresh = [line for line in LinedText(reading.new).lines if key(line) not in known]
    if not fresh or reading.new.strip() in reading.old or len("".join(_WORD.findall(reading.new))) < _ENOUGH:
        return None
    found = find_exact(text, reading.new) or find_alike(text, LinedText(reading.new))
    if isinstance(found, Aligned):
        return found.lines
    if isinstance(found, Piece):
        return text.line_at(found.start), text.line_at(max(found.start, found.end - 1)) + 1
    return None


def adds_again(text: LinedText, found: Piece | Aligned, reading: Reading) -> Lines | None:
    """Where the old text stands within the new one already, so that a second time would double what was added."""
    if isinstance(found, Piece):
        return _piece_within(text, found, reading)
    stands = find_alike(text, LinedText(reading.new))
    if not isinstance(stands, Aligned) or not _tells_something(reading):
        return None
    (first, end), (upper, lower) = stands.lines, found.lines
    return stands.lines if first <= upper and lower <= end and (first, end) != (upper, lower) else None


def _piece_within(text: LinedText, piece: Piece, reading: Reading) -> Lines | None:
    old, new = reading.old, reading.new
    offset = new.find(old)
    while offset >= 0:
        start = piece.start - offset
        end = start + len(new)
        if start >= 0 and text.text.startswith(new, start) and _tells_something(reading) and _whole_words(text.text, start, end):
            return text.line_at(start), text.line_at(end - 1) + 1
        offset = new.find(old, offset + 1)
    return None


def _tells_something(reading: Reading) -> bool:
    """What was added is more than a closing bracket or word, which may well be wanted twice."""
    added = reading.new.replace(reading.old, "", 1) if reading.old in reading.new else reading.new
    words = set(_WORD.findall(added)) - _CLOSERS
    return bool(words) and ("\n" not in reading.new or sum(map(len, words)) >= 3)


def _whole_words(content: str, start: int, end: int) -> bool:
    before = content[start - 1 : start + 1] if start else ""
    after = content[end - 1 : end + 1]
    return not re.fullmatch(r"\w\w", before) and not re.fullmatch(r"\w\w", after)
