"""Detects an edit that is already in the file."""

import re
from itertools import islice

from mulligan.core.edits.evidence import exact_score
from mulligan.core.edits.lines import LinedText
from mulligan.core.edits.locate import find_alike, find_exact
from mulligan.core.edits.matches import Aligned, Lines, TextSpan, lines_of
from mulligan.core.edits.unwrap import EditReading
from mulligan.core.edits.windows import find_similar

_MIN_LETTERS = 8
"""A new text with fewer letters and digits may be anywhere by chance."""
_CLOSERS = {"end", "fi", "done", "esac", "endif", "else", "pass"}
_WORDS_LOOKED_UP = 20
_WORD = re.compile(r"\w+")


def find_new_text(text: LinedText, reading: EditReading) -> Lines | None:
    """The only place of a distinctive new text. One that only removes is not distinctive: the rest was there before."""
    if _only_removes(reading):
        return None
    if reading.new.strip() in reading.old or len("".join(_WORD.findall(reading.new))) < _MIN_LETTERS:
        return None
    if not _has_added_words(text, reading):
        return None
    found = find_exact(text, reading.new) or find_alike(text, reading.new_text)
    if found is None and isinstance(found := find_similar(text, reading.new_text), Aligned):
        brought = set(reading.new_text.solid_keys) - set(reading.old_text.solid_keys)
        return found.lines if brought <= set(text.keys[slice(*found.lines)]) else None
    return lines_of(text, found) if isinstance(found, Aligned | TextSpan) else None


def adds_again(text: LinedText, found: TextSpan | Aligned, reading: EditReading) -> Lines | None:
    """Where the old text is already part of the new one, so that a second edit would duplicate the addition."""
    if isinstance(found, TextSpan) and (within := _span_within(text, found, reading)) is not None:
        return within
    old, new = reading.old_text, reading.new_text
    if len(new.solid) <= len(old.solid) or not _is_distinctive(reading) or not _has_added_words(text, reading):
        return None
    present = find_alike(text, new)
    if not isinstance(present, Aligned):
        return None
    (first, end), (upper, lower) = present.lines, lines_of(text, found)
    return present.lines if first <= upper and lower <= end else None


def fits_new_text_better(text: LinedText, found: TextSpan | Aligned, reading: EditReading) -> Lines | None:
    """Where the new text is, apart from typos, if the matched lines resemble it more than the old text."""
    if found.overlooked is None or _only_removes(reading) or not _has_added_words(text, reading):
        return None
    present = find_alike(text, reading.new_text) or find_similar(text, reading.new_text)
    if not isinstance(present, Aligned):
        return None
    (first, end), (upper, lower) = present.lines, lines_of(text, found)
    if end <= upper or lower <= first:
        return None if present.overlooked else present.lines
    if isinstance(found, Aligned) and _keeps_an_old_line(text, found, reading):
        return None
    score = present.overlooked.score if present.overlooked else exact_score(reading.new_text)
    return present.lines if score >= found.overlooked.score else None


def _keeps_an_old_line(text: LinedText, found: Aligned, reading: EditReading) -> bool:
    """Whether the file has a line of the old text that the new one lacks."""
    after = set(reading.new_text.keys)
    return any(
        span is not None and mine and mine == text.keys[span[0]] and mine not in after
        for mine, span in zip(reading.old_text.keys, found.partners, strict=True)
    )


def _only_removes(reading: EditReading) -> bool:
    return set(reading.new_text.keys) <= set(reading.old_text.keys)


def _has_added_words(text: LinedText, reading: EditReading) -> bool:
    """Whether the file has the words that the new text adds; usually it has not, which saves a long search."""
    fresh = set(_WORD.findall(reading.new)) - set(_WORD.findall(reading.old))
    return all(word in text.text for word in islice(fresh, _WORDS_LOOKED_UP) if word.isascii())


def _span_within(text: LinedText, span: TextSpan, reading: EditReading) -> Lines | None:
    old, new = reading.old, reading.new
    offset = new.find(old)
    while offset >= 0:
        start = span.start - offset
        end = start + len(new)
        is_there = start >= 0 and text.text.startswith(new, start) and _whole_words(text.text, start, end)
        if is_there and _is_distinctive(reading):
            return text.line_at(start), text.line_at(end - 1) + 1
        offset = new.find(old, offset + 1)
    return None


def _is_distinctive(reading: EditReading) -> bool:
    """Whether the addition is more than a closing bracket or word, which may be wanted twice."""
    added = reading.new.replace(reading.old, "", 1) if reading.old in reading.new else reading.new
    words = set(_WORD.findall(added)) - _CLOSERS
    return bool(words) and ("\n" not in reading.new or sum(map(len, words)) >= 3)


def _whole_words(content: str, start: int, end: int) -> bool:
    before = content[start - 1 : start + 1] if start else ""
    after = content[end - 1 : end + 1]
    return not re.fullmatch(r"\w\w", before) and not re.fullmatch(r"\w\w", after)
