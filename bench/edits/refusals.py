"""Edits that nobody can apply without guessing: they must be refused."""

import re
from dataclasses import replace
from random import Random

from bench.edits.draft import Draft, Drift, Row, context, news, olds, places_of
from bench.edits.layout import over_indented, trailing_spaces_added
from bench.edits.siblings import planted, with_other_names, with_other_numbers, with_the_opposite
from bench.edits.sources import sources
from bench.edits.wording import elision


def two_exact_copies(draft: Draft, rng: Random) -> Draft | None:
    return planted(draft, olds(draft.truth), rng)


def two_copies_and_white_space(draft: Draft, rng: Random) -> Draft | None:
    """Old equals neither copy to the byte, and both but for white space."""
    drifted = rng.choice((over_indented, trailing_spaces_added))(draft, rng)
    if drifted is None or drifted.old == draft.old or drifted.content.find(drifted.old) >= 0:
        return None
    return planted(drifted, olds(draft.truth), rng)


def old_between_two_copies(draft: Draft, rng: Random) -> Draft | None:
    """The copies differ by a letter in one place, where old has a third one: it is as far from either."""
    words = [
        (place, match.start() + 2)
        for place in context(draft.rows)
        for match in re.finditer(r"[a-z]{6,}", draft.rows[place].old or "")
    ]
    if not words:
        return None
    place, at = rng.choice(words)
    line = draft.rows[place].old or ""
    here, there = rng.sample(sorted(set("bdfgklmprstvw") - {line[at]}), 2)
    mistyped, copied = (line[:at] + letter + line[at + 1 :] for letter in (here, there))
    rows = [*draft.rows[:place], Row(mistyped, mistyped), *draft.rows[place + 1 :]]
    lines = olds([*draft.truth[:place], Row(copied, copied), *draft.truth[place + 1 :]])
    return planted(draft.with_rows(rows), lines, rng)


def absent(draft: Draft, rng: Random) -> Draft | None:
    """The text of another file."""
    other = rng.choice(sources()[draft.source.language.name])
    half = rng.randrange(len(other.lines))
    moved = replace(draft, before=other.lines[:half], after=other.lines[half:], truth=())
    return moved if other != draft.source and places_of(olds(draft.rows), moved) == 0 else None


def only_a_sibling(draft: Draft, rng: Random) -> Draft | None:
    return _instead(draft, with_other_names(olds(draft.truth), rng))


def only_other_numbers(draft: Draft, rng: Random) -> Draft | None:
    return _instead(draft, with_other_numbers(olds(draft.truth), rng))


def only_the_opposite(draft: Draft, rng: Random) -> Draft | None:
    return _instead(draft, with_the_opposite(olds(draft.truth), rng))


def already_applied(draft: Draft, _rng: Random) -> Draft | None:
    """Sent once more, after it was done; what is old does not stand there any longer."""
    done = replace(draft, truth=tuple(Row(line, line) for line in news(draft.truth)))
    return done if places_of(olds(draft.truth), done) == 0 else None


def already_applied_and_white_space(draft: Draft, rng: Random) -> Draft | None:
    done = already_applied(draft, rng)
    return rng.choice((over_indented, trailing_spaces_added))(done, rng) if done else None


def nothing_to_change(draft: Draft, _rng: Random) -> Draft | None:
    return draft.with_rows(Row(line, line) for line in olds(draft.rows))


def empty_old(draft: Draft, _rng: Random) -> Draft | None:
    return draft.with_rows(Row(None, line) for line in news(draft.rows))


def blank_old(draft: Draft, rng: Random) -> Draft | None:
    rows = [Row(None, line) for line in news(draft.rows)]
    return draft.with_rows([Row(rng.choice(("", "  ")), None), Row("", None), *rows])


def elided_between_two_ends(draft: Draft, rng: Random) -> Draft | None:
    """The lines before `...` and those after it stand in the file twice, with different lines between them."""
    rows = draft.rows
    if len(rows) < 6 or not all(row.kept for row in rows[1:-1]):
        return None
    start, end = rng.randint(1, 2), len(rows) - rng.randint(1, 2)
    between = with_other_names(olds(rows[start:end]), rng)
    if not between or not olds(rows[:start]) or not olds(rows[end:]):
        return None
    mark = elision(draft, rows[start].old or "", rng)
    elided = draft.with_rows([*rows[:start], Row(mark, mark), *rows[end:]])
    return planted(elided, [*olds(rows[:start]), *between, *olds(rows[end:])], rng)


def only_an_ellipsis(draft: Draft, rng: Random) -> Draft | None:
    mark = elision(draft, "", rng)
    if mark in draft.content:
        return None
    return draft.with_rows([Row(mark, None), *(Row(None, line) for line in news(draft.rows))])


def _instead(draft: Draft, lines: list[str] | None) -> Draft | None:
    """The file with these lines where the true ones were. They differ in the code, not just in a comment."""
    is_comment = draft.source.language.is_comment
    if not lines or all(a == b or is_comment(a) for a, b in zip(olds(draft.truth), lines, strict=True)):
        return None
    return replace(draft, truth=tuple(Row(line, line) for line in lines))


REFUSALS: dict[str, Drift] = {
    "two exact copies": two_exact_copies,
    "two copies, white space": two_copies_and_white_space,
    "two copies, old between them": old_between_two_copies,
    "absent": absent,
    "only a sibling": only_a_sibling,
    "only other numbers": only_other_numbers,
    "only the opposite": only_the_opposite,
    "empty old": empty_old,
    "blank old": blank_old,
    "ellipsis, two of each end": elided_between_two_ends,
    "only an ellipsis": only_an_ellipsis,
}

UNCHANGED: dict[str, Drift] = {
    "already applied": already_applied,
    "already applied, white space": already_applied_and_white_space,
    "old and new the same": nothing_to_change,
}
"""Refused as well, or the file returned as it is."""
