"""Sloppy with characters: quotes, dashes, spaces and escapes that look alike, or nearly."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from random import Random

from bench.edits.draft import Draft, Drift, Row, context, olds

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
ACCENTS = str.maketrans("aeiounc", "áéíóúñç")


def curly_double_quotes(draft: Draft, _rng: Random) -> Draft | None:
    return _translated(draft, lambda line: _curled(line, '"', "\u201c\u201d"))


def curly_single_quotes(draft: Draft, _rng: Random) -> Draft | None:
    return _translated(draft, lambda line: _curled(line, "'", "\u2018\u2019"))


def long_dashes(draft: Draft, rng: Random) -> Draft | None:
    dash = rng.choice("\u2013\u2013\u2014\u2011")
    return _translated(draft, lambda line: line.replace("-", dash))


def no_break_spaces(draft: Draft, rng: Random) -> Draft | None:
    """Inside lines, or for the indentation too."""
    if rng.random() < 0.5:
        return _translated(draft, lambda line: line.replace(" ", "\u00a0"))
    return _translated(draft, lambda line: re.sub(r"(?<=\S) (?=\S)", "\u00a0", line))


def zero_width_characters(draft: Draft, rng: Random) -> Draft | None:
    mark = rng.choice("\u200b\u200b\ufeff\u2060")
    first, *rest = draft.rows
    if first.old is not None and first.new is not None and rng.random() < 0.3:
        return draft.with_rows([Row(mark + first.old, mark + first.new), *rest])
    return _translated(draft, lambda line: re.sub(r"(?<=\w) (?=\w)", f" {mark}", line, count=1))


def straight_for_curly(draft: Draft, _rng: Random) -> Draft | None:
    """The file's own comment has curly quotes and a long dash; the model writes what is on its keyboard."""
    curls = (("'", "\u2019"), ('"', "\u201d"), (" - ", " \u2014 "), ("--", "\u2014"))

    def typeset(line: str) -> str:
        for plain, fine in curls:
            line = line.replace(plain, fine)
        return line

    return _file_has(draft, typeset)


def accents_taken_apart(draft: Draft, _rng: Random) -> Draft | None:
    """The file's comment has accents, the edit has the letter and the accent one after the other."""
    accented = _file_has(draft, lambda line: line.translate(ACCENTS))
    if accented is None:
        return None
    return accented.with_rows(
        Row(*(line if line is None else unicodedata.normalize("NFD", line) for line in (row.old, row.new)))
        for row in accented.truth
    )


def markup_escapes(draft: Draft, _rng: Random) -> Draft | None:
    if any("&lt;" in line or "&gt;" in line or "&amp;" in line for line in olds(draft.rows)):
        return None
    return _translated(draft, lambda line: re.sub(r"[&<>]", lambda match: ENTITIES[match[0]], line))


def escaped_quotes(draft: Draft, _rng: Random) -> Draft | None:
    """As in a string of JSON that was escaped once too often."""
    if any("\\" in (row.old or "") + (row.new or "") for row in draft.rows):
        return None
    return _translated(draft, lambda line: line.replace('"', '\\"'))


def _translated(draft: Draft, change: Callable[[str], str]) -> Draft | None:
    """Old and new changed alike. Only where the old text shows it, and the file had nothing of the kind."""
    if not all((row.old or "").isascii() for row in draft.truth):
        return None
    drifted = draft.with_lines(change)
    return drifted if olds(drifted.rows) != olds(draft.rows) else None


def _file_has(draft: Draft, change: Callable[[str], str]) -> Draft | None:
    """The same comment, in the file alone, with other characters."""
    comments = [
        place for place in context(draft.truth) if draft.source.language.is_comment(draft.truth[place].old or "")
    ]
    truth = list(draft.truth)
    for place in comments:
        line = change(truth[place].old or "")
        truth[place] = Row(line, line)
    return replace(draft, truth=tuple(truth)) if tuple(truth) != draft.truth else None


def _curled(line: str, quote: str, pair: str) -> str:
    """Opening and closing in turn, as a word processor does it."""
    parts = line.split(quote)
    return "".join(part + (pair[place % 2] if place < len(parts) - 1 else "") for place, part in enumerate(parts))


CHARACTERS: dict[str, Drift] = {
    "curly double quotes": curly_double_quotes,
    "curly single quotes": curly_single_quotes,
    "long dashes": long_dashes,
    "no-break spaces": no_break_spaces,
    "zero-width characters": zero_width_characters,
    "straight for curly": straight_for_curly,
    "accents taken apart": accents_taken_apart,
    "markup escapes": markup_escapes,
    "escaped quotes": escaped_quotes,
}
