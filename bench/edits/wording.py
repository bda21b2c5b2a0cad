"""Sloppy with the text itself: comments forgotten or made up, typos, lines left out, parts of lines."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from bench.edits.draft import Draft, Drift, Row, context, gaps, news, olds, places_of

MADE_UP = (
    "handle the edge case", "make sure this is set", "update the state", "check the input first", "see above",
    "this is needed for compatibility", "main logic", "fall through", "keep in sync", "TODO: clean this up",
)  # fmt: skip

KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
"""A slip of the finger hits the key beside the right one."""

LINE_END_COMMENT = re.compile(r"\s+(?:#|//|--|/\*)\s.*$")


def comment_line_dropped(draft: Draft, rng: Random) -> Draft | None:
    comments = [place for place in gaps(draft.rows) if draft.source.language.is_comment(draft.rows[place].old or "")]
    if not comments:
        return None
    place = rng.choice(comments)
    return draft.with_rows([*draft.rows[:place], *draft.rows[place + 1 :]])


def comment_at_line_end_dropped(draft: Draft, rng: Random) -> Draft | None:
    """Where the code before it holds no quote, so that it is a comment for sure, and it ends with the line.

    Not in the last line: without its comment that would be a text which stands in the file to the byte. Nor where the
    new text has such a line without a comment: nobody could say which of the two had it.
    """
    found: list[int] = []
    bare = {line.strip() for line in news(draft.rows)}
    for place in context(draft.rows):
        line = draft.rows[place].old or ""
        if not olds(draft.rows[place + 1 :]) or ("/*" in line and not line.endswith("*/")):
            continue
        match = LINE_END_COMMENT.search(line)
        if match and line[: match.start()].strip() in bare:
            continue
        if match and match.start() > 3 and not set(line[: match.start()]) & set("\"'`#"):
            found.append(place)
    if not found:
        return None
    return _with_context(draft, rng.choice(found), lambda line: LINE_END_COMMENT.sub("", line))


def line_made_up(draft: Draft, rng: Random) -> Draft | None:
    """A comment that the model believes to be in the file: in the old text and in the new."""
    rows = draft.rows
    places = [place for place in range(1, len(rows)) if rows[place - 1].kept and rows[place].kept]
    if len(context(rows)) < 3 or not places:
        return None
    place = rng.choice(places)
    near = rows[place].old or rows[place - 1].old or ""
    line = near[: len(near) - len(near.lstrip())] + draft.source.language.comment.format(rng.choice(MADE_UP))
    return draft.with_rows([*rows[:place], Row(line, line), *rows[place:]])


def one_typo(draft: Draft, rng: Random) -> Draft | None:
    return _with_typos(draft, rng, 1)


def two_typos(draft: Draft, rng: Random) -> Draft | None:
    return _with_typos(draft, rng, 2)


def case_slip(draft: Draft, rng: Random) -> Draft | None:
    """A comment's first letter, large for small or small for large."""
    comments = [
        place
        for place in context(draft.rows)
        if draft.source.language.is_comment(draft.rows[place].old or "")
        and re.search(r"[A-Za-z]{3}", draft.rows[place].old or "")
    ]
    if not comments or len(context(draft.rows)) < 2:
        return None
    return _with_context(
        draft, rng.choice(comments), lambda line: re.sub(r"[A-Za-z]", lambda match: match[0].swapcase(), line, count=1)
    )


def middle_elided(draft: Draft, rng: Random) -> Draft | None:
    """`...` for lines in the middle, in old and new; what stands on either side is there once in the file."""
    rows = draft.rows
    runs = [
        (start, end)
        for start in range(1, len(rows) - 3)
        for end in range(start + 2, len(rows) - 1)
        if all(row.kept for row in rows[start - 1 : end + 1])
    ]
    if not runs:
        return None
    start, end = rng.choice(runs)
    if any(places_of(olds(part), draft) != 1 for part in (rows[:start], rows[end:])):
        return None
    mark = elision(draft, rows[start].old or "", rng)
    return draft.with_rows([*rows[:start], Row(mark, mark), *rows[end:]])


def part_of_a_line(draft: Draft, rng: Random) -> Draft | None:
    """Some words before and after what changes, which stand in the file once."""
    if len(draft.rows) != 1 or draft.rows[0].old is None or draft.rows[0].new is None:
        return None
    old, new = draft.rows[0].old, draft.rows[0].new
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    lead = len(old) - len(old.lstrip())
    start = rng.randint(lead, max(lead, head))
    left = rng.randint(0, tail)
    part = Row(old[start : len(old) - left], new[start : len(new) - left])
    if len(part.old or "") < 4 or draft.content.count(part.old or "") != 1 or part.old == old:
        return None
    return replace(draft, rows=(part,), old_ended=False, new_ended=False)


def elision(draft: Draft, near: str, rng: Random) -> str:
    """How models write that lines are left out."""
    comment = draft.source.language.comment
    lead = near[: len(near) - len(near.lstrip())]
    return lead + rng.choice(("...", "...", comment.format("..."), comment.format("... existing code ...")))


def mistyped(word: str, rng: Random) -> str:
    place = rng.randrange(1, len(word) - 1)
    letter = word[place]
    return rng.choice((
        word[:place] + word[place + 1] + letter + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[:place] + letter + word[place:],
        word[:place] + _beside(letter) + word[place + 1 :],
    ))  # fmt: skip


def _beside(letter: str) -> str:
    row = next((keys for keys in KEYS if letter.lower() in keys), letter)
    place = row.find(letter.lower())
    return row[place - 1] if place else row[1 % len(row)]


def _with_typos(draft: Draft, rng: Random, count: int) -> Draft | None:
    """So many lines of context with one typo each; at least as many are right, and one more."""
    places = [place for place in context(draft.rows) if re.search(r"[A-Za-z]{5}", draft.rows[place].old or "")]
    if len(places) < count or len(context(draft.rows)) < 2 * count + 1:
        return None
    for place in rng.sample(places, count):
        found = rng.choice(list(re.finditer(r"[A-Za-z]{5,}", draft.rows[place].old or "")))
        word = mistyped(found[0], rng)
        if word == found[0]:
            return None
        draft = _with_context(
            draft, place, lambda line, at=found, new=word: line[: at.start()] + new + line[at.end() :]
        )
    return draft


def _with_context(draft: Draft, place: int, change: Callable[[str], str]) -> Draft:
    line = change(draft.rows[place].old or "")
    return draft.with_rows([*draft.rows[:place], Row(line, line), *draft.rows[place + 1 :]])


def _shared(one: str, other: str) -> int:
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


WORDING: dict[str, Drift] = {
    "comment line dropped": comment_line_dropped,
    "comment at line end dropped": comment_at_line_end_dropped,
    "line made up": line_made_up,
    "one typo": one_typo,
    "two typos": two_typos,
    "case slip in a comment": case_slip,
    "middle elided": middle_elided,
    "part of a line": part_of_a_line,
}
