"""Wrong letters, casing and quote marks. In lines that stay, the model writes them in the new text as well, or only in
the old one; in lines that the edit changes, only in the old one, and never in what is changed."""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from bench.edits.second.truth import Edit, Row

LETTERS_A_TYPO = 14
"""Three wrong letters in `a = b` leave nothing to go by."""

Spot = tuple[int, int, int]
"""A row, and from where to where in its line."""


def typos(count: int) -> Callable[[Edit, Random], Edit | None]:
    def drift(edit: Edit, rng: Random) -> Edit | None:
        if sum(map(str.isalpha, edit.old)) < LETTERS_A_TYPO * count:
            return None
        spots = _words(edit)
        if len(spots) < count:
            return None
        chosen = sorted(rng.sample(spots, count), reverse=True)
        rows, both = list(edit.rows), rng.random() < 0.7
        for at, start, end in chosen:
            line = rows[at].old or ""
            word = mistyped(line[start:end], rng)
            if word.lower() in edit.text.words or word.lower() in edit.new.lower():
                return None
            rows[at] = _rewritten(rows[at], line[:start] + word + line[end:], both=both)
        return edit.with_rows(rows, count)

    return drift


def wrong_mark(edit: Edit, rng: Random) -> Edit | None:
    """A comma, colon, semicolon or bracket too many or too few, in a line that stays."""
    spots = [
        (at, found.start()) for at, row in enumerate(edit.rows) if row.plain
        for found in re.finditer(r"(?<=\w)[,;:()\]](?=\s|\w|$)", row.file or "")
    ]  # fmt: skip
    if not spots or sum(map(str.isalpha, edit.old)) < LETTERS_A_TYPO:
        return None
    at, place = rng.choice(spots)
    line = edit.rows[at].file or ""
    mark = line[place] * rng.choice((0, 2))
    return _with_row(edit, at, line[:place] + mark + line[place + 1 :], rng)


def other_case(edit: Edit, rng: Random) -> Edit | None:
    spots = _words(edit)
    if not spots:
        return None
    at, start, end = rng.choice(spots)
    line = edit.rows[at].old or ""
    word = line[start:end]
    cased = rng.choice([each for each in (word.lower(), word.upper(), word.capitalize()) if each != word])
    return _with_row(edit, at, line[:start] + cased + line[end:], rng)


def other_quotes(edit: Edit, rng: Random) -> Edit | None:
    """`'` for `"`, or the reverse."""
    one, other = rng.choice(("'\"", "\"'"))
    return _marks(edit, lambda line: line if other in line else re.sub(rf"(?<!\w){one}|{one}(?!\w)", other, line))


def curly_quotes(edit: Edit, _rng: Random) -> Edit | None:
    return _marks(edit, curly)


def curly(line: str) -> str:
    if '"""' in line or "'''" in line:
        return line
    line = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", line)
    return re.sub(r"(?<!\w)'([^']*)'", "\u2018\\1\u2019", line).replace("'", "\u2019")


def mistyped(word: str, rng: Random) -> str:
    """One letter substituted, dropped, doubled or swapped with the next. May give the word back."""
    at = rng.randrange(len(word) - 1)
    letter, rest = word[at], word[at + 1 :]
    wrong = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return word[:at] + rng.choice((wrong + rest, rest, letter + letter + rest, rest[0] + letter + rest[1:]))


def _marks(edit: Edit, form: Callable[[str], str]) -> Edit | None:
    rows = [
        _rewritten(row, form(row.old), both=True) if row.old and (row.plain or row.want is None) else row
        for row in edit.rows
    ]
    count = sum(row.old != before.old for row, before in zip(rows, edit.rows, strict=True))
    return edit.with_rows(rows) if count else None


def _words(edit: Edit) -> list[Spot]:
    """Of four letters or more, and none that the edit changes or that touches what it changes."""
    spots: list[Spot] = []
    for at, row in enumerate(edit.rows):
        if row.file is None or row.old != row.file or (row.kept and not row.plain):
            continue
        first, last = _changed_part(row.file, row.want)
        spots += [
            (at, *found.span()) for found in re.finditer(r"(?<!\w)[A-Za-z]{4,}", row.file)
            if found.end() < first or found.start() > last
        ]  # fmt: skip
    return spots


def _changed_part(line: str, into: str | None) -> tuple[int, int]:
    """From where to where the edit changes the line; nowhere, if it stays or goes as a whole."""
    if into is None or into == line:
        return len(line) + 1, len(line) + 1
    before = _shared(line, into)
    return before, len(line) - _shared(line[before:][::-1], into[before:][::-1])


def _shared(one: str, other: str) -> int:
    """The letters with which both start."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _with_row(edit: Edit, at: int, line: str, rng: Random) -> Edit:
    rows = [*edit.rows]
    rows[at] = _rewritten(rows[at], line, both=rng.random() < 0.7)
    return edit.with_rows(rows, 1)


def _rewritten(row: Row, line: str, *, both: bool) -> Row:
    return replace(row, old=line, new=line if row.kept and both else row.new)
