"""Sloppy with letters, anywhere: in names, in keywords, in lines that the edit changes as well as in those around."""

import re
import string
from dataclasses import replace
from random import Random

from bench.edits.changes import CLOSING
from bench.edits.draft import Draft, Drift, Row, in_order, olds, places_of
from bench.edits.layout import over_indented
from bench.edits.siblings import sibling_near_by
from bench.edits.wording import elision, part_of_a_line


def wrong_letters(count: int) -> Drift:
    """So many letters replaced, left out, put in or swapped, wherever in the old text they stand."""

    def drifted(draft: Draft, rng: Random) -> Draft | None:
        rows = list(draft.rows)
        letters = sum(character.isalpha() for line in olds(rows) for character in line)
        if letters < 10 * count:
            return None
        for _ in range(count):
            places = [
                (place, at)
                for place, row in enumerate(rows)
                for at, character in enumerate(row.old or "")
                if character.isalpha()
            ]
            place, at = rng.choice(places)
            rows[place] = _misspelt(rows[place], at, rng)
        return draft.with_rows(rows)

    return drifted


def line_invented(draft: Draft, rng: Random) -> Draft | None:
    """A line of code that the model believes to be in the file, in the old text and in the new."""
    rows = draft.rows
    places = [place for place in range(1, len(rows)) if rows[place - 1].kept and rows[place].kept]
    if not places:
        return None
    place = rng.choice(places)
    near = rows[place].old or ""
    if not near.strip() or CLOSING.match(near):
        return None
    text = rng.choice([text for text in draft.source.language.additions if "\n" not in text])
    line = near[: len(near) - len(near.lstrip())] + text.format(name=rng.choice(_INVENTED), number=rng.randint(2, 90))
    return draft.with_rows([*rows[:place], Row(line, line), *rows[place:]])


def head_stands_twice(draft: Draft, rng: Random) -> Draft | None:
    """`...` between a head that stands twice in the file and a tail that only one of the two is followed by."""
    rows = draft.rows
    start, end = rng.randint(1, 2), len(rows) - rng.randint(1, 2)
    if end - start < 2 or not all(row.kept for row in rows[start - 1 : end + 1]):
        return None
    if places_of(olds(rows[end:]), draft) != 1 or not olds(rows[:start]):
        return None
    mark = elision(draft, rows[start].old or "", rng)
    elided = draft.with_rows([*rows[:start], Row(mark, mark), *rows[end:]])
    twice = replace(elided, after=(*draft.after, "", *olds(draft.truth[:start])))
    return twice if places_of(olds(rows[:start]), twice) == 2 else None


def short_part_spaced(draft: Draft, _rng: Random) -> Draft | None:
    """A few characters of a line, with other spaces between them than the file has, which stand there once."""
    if len(draft.rows) != 1 or draft.rows[0].old is None or draft.rows[0].new is None:
        return None
    old, new = draft.rows[0].old, draft.rows[0].new
    ours, other = old.split(" "), new.split(" ")
    if len(ours) != len(other):
        return None
    at = [place for place, (one, two) in enumerate(zip(ours, other, strict=True)) if one != two]
    if len(at) != 1 or not 1 <= at[0] < len(ours) - 1:
        return None
    part = Row(*("  ".join(words[at[0] - 1 : at[0] + 1]).strip() for words in (ours, other)))
    tight = "".join((part.old or "").split())
    if not 3 <= len(tight) <= 8 or "".join(draft.content.split()).count(tight) != 1:
        return None
    return replace(draft, rows=(part,), old_ended=False, new_ended=False)


def whole_words(draft: Draft, rng: Random) -> Draft | None:
    """A part of a line that begins and ends with a word, as models cut them."""
    part = part_of_a_line(draft, rng)
    if part is None or draft.rows[0].old is None:
        return None
    line, old = draft.rows[0].old, part.rows[0].old or ""
    start = line.find(old)
    around = line[start - 1 : start + 1], line[start + len(old) - 1 : start + len(old) + 1]
    return None if start < 1 or any(_WORD.fullmatch(edge) and len(edge) == 2 for edge in around) else part


def fence_around_fences(draft: Draft, rng: Random) -> Draft | None:
    """A fence around the edit of a file that has fences itself."""
    if not any(line.startswith("```") for line in (*draft.before, *draft.after, *olds(draft.truth))):
        return None
    opening = rng.choice(("```", "```markdown", "```md"))
    return draft.with_rows([Row(opening, opening), *draft.rows, Row("```", "```")])


def _word_around(line: str, at: int) -> tuple[int, int]:
    return next((found.start(), found.end()) for found in _WORD.finditer(line) if found.start() <= at < found.end())


def _misspelt(row: Row, at: int, rng: Random) -> Row:
    """In both where they share the word, else in the old text alone."""
    old = row.old or ""
    letter = rng.choice(string.ascii_lowercase)
    wrong = rng.choice((letter, "", old[at] + letter, letter + old[at]))
    spelt = old[:at] + wrong + old[at + 1 :]
    if row.new is None:
        return Row(spelt, None)
    start, end = _word_around(old, at)
    new = row.new
    if new[:end] == old[:end] and not _WORD.match(new, end):
        return Row(spelt, new[:at] + wrong + new[at + 1 :])
    rest = len(old) - start
    if new.endswith(old[start:]) and not _WORD.fullmatch(new[-rest - 1 : -rest]):
        place = len(new) - len(old) + at
        return Row(spelt, new[:place] + wrong + new[place + 1 :])
    return Row(spelt, new)


_WORD = re.compile(r"\w+")
_INVENTED = ("total", "previous", "config", "result", "state", "index", "message", "queue", "user", "node")

LETTERS: dict[str, Drift] = {
    "one wrong letter": wrong_letters(1),
    "three wrong letters": wrong_letters(3),
    "three wrong letters + sibling": in_order(sibling_near_by, wrong_letters(3)),
    "two wrong letters + over-indented": in_order(over_indented, wrong_letters(2)),
    "part of a line + wrong letter": in_order(whole_words, wrong_letters(1)),
    "line invented": line_invented,
    "ellipsis, head twice": head_stands_twice,
    "short part, spaced": short_part_spaced,
    "fence around fences": fence_around_fences,
}
