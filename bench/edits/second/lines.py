"""Lines invented, lost, elided or laid out anew, always away from what the edit changes."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from bench.edits.second.texts import CLOSERS, COMMENTS, borrowed, indent_of, tokens
from bench.edits.second.truth import Edit, Row

CODE = ("python", "javascript", "typescript", "java", "rust", "go", "c")


def line_invented(edit: Edit, rng: Random) -> Edit | None:
    return _between(edit, rng, lambda row: borrowed(edit.text, indent_of(row.file or ""), 1, rng))


def blank_line_added(edit: Edit, rng: Random) -> Edit | None:
    return _between(edit, rng, lambda _: [""])


def line_lost(edit: Edit, rng: Random) -> Edit | None:
    return _lost(edit, rng, blank=False)


def blank_line_lost(edit: Edit, rng: Random) -> Edit | None:
    return _lost(edit, rng, blank=True)


def comment_lost(edit: Edit, rng: Random) -> Edit | None:
    """At the end of a line that stays."""
    mark = COMMENTS.get(edit.text.language, "//")
    pattern = re.compile(rf"(?<=[\w,;(){{}}\]:])\s{{1,}}{re.escape(mark)}\s\w[^\"'`]*$")
    found = [at for at, row in enumerate(edit.rows) if row.plain and pattern.search(row.file or "")]
    if not found or edit.text.language == "markdown":
        return None
    at = rng.choice(found)
    lost = len(tokens(edit.rows[at].file or "")) - len(tokens(pattern.sub("", edit.rows[at].file or "")))
    return _written(edit, at, lambda line: pattern.sub("", line)).with_damage(lost)


def arguments_reflowed(edit: Edit, rng: Random) -> Edit | None:
    """A call on one line written one argument a line, or a call over several lines written on one."""
    if edit.text.language not in CODE:
        return None
    call = re.compile(r"^(\s*)([^\"'#()]*\w\()([^\"'#()]+,[^\"'#()]+)(\)[^\"'#()]*)$")
    single = [at for at, row in enumerate(edit.rows) if row.plain and call.match(row.file or "")]
    if single and rng.random() < 0.6:
        return _written(edit, rng.choice(single), lambda line: call.sub(_spread, line))
    spread = [at for at in range(len(edit.rows)) if _call_ends(edit.rows, at)]
    if not spread:
        return None
    at = rng.choice(spread)
    end = _call_ends(edit.rows, at)
    parts = [(row.file or "").strip() for row in edit.rows[at + 1 : end]]
    joined = (edit.rows[at].file or "") + " ".join(parts)
    joined = re.sub(r",?\s*([)\]])", r"\1", joined, count=0) if parts[-1][:1] in ")]" else joined
    rows = [replace(row, old=None, new=None) if at < place < end else row for place, row in enumerate(edit.rows)]
    rows[at] = replace(rows[at], old=joined, new=joined)
    return edit.with_rows(rows)


def middle_elided(edit: Edit, rng: Random) -> Edit | None:
    """`...` stands for lines in the middle that stay, in the old text and in the new one."""
    run = [at for at, row in enumerate(edit.rows) if row.plain]
    first, last = rng.randint(1, 3), len(edit.rows) - rng.randint(1, 3)
    middle = range(first, last)
    if len(middle) < 3 or not all(at in run for at in middle):
        return None
    head, tail = edit.rows[:first], edit.rows[last:]
    if not (stands_once(edit, head) and stands_once(edit, tail)):
        return None
    return elided(edit, first, last, rng)


def elided(edit: Edit, first: int, last: int, rng: Random) -> Edit:
    marker = _ellipsis(edit, first, rng)
    rows = [replace(row, old=None, new=None) if first <= at < last else row for at, row in enumerate(edit.rows)]
    rows[first] = replace(rows[first], old=marker, new=marker if rows[first].kept else None)
    return edit.with_rows(rows)


def stands_once(edit: Edit, rows: tuple[Row, ...]) -> bool:
    """Of these rows' lines in the file; they must say something, too."""
    lines = [row.file.strip() for row in rows if row.file is not None]
    here = [line.strip() for line in edit.text.lines]
    places = sum(here[at : at + len(lines)] == lines for at in range(len(here)))
    return places == 1 and sum(map(str.isalnum, "".join(lines))) >= 6


def _ellipsis(edit: Edit, at: int, rng: Random) -> str:
    mark = COMMENTS.get(edit.text.language, "//")
    closer = CLOSERS.get(mark, "")
    form = rng.choice(("...", f"{mark} ...{closer}", f"{mark} ... existing code ...{closer}"))
    return indent_of(edit.rows[at].file or "") + form


def _between(edit: Edit, rng: Random, made: Callable[[Row], list[str] | None]) -> Edit | None:
    places = [at for at in range(1, len(edit.rows)) if edit.rows[at - 1].plain and edit.rows[at].plain]
    places = [at for at in places if (edit.rows[at].file or "").strip() and (edit.rows[at - 1].file or "").strip()]
    if not places:
        return None
    at = rng.choice(places)
    lines = made(edit.rows[at])
    if lines is None:
        return None
    new = lines[0] if rng.random() < 0.6 else None
    rows = [*edit.rows[:at], Row(None, None, lines[0], new), *edit.rows[at:]]
    return edit.with_rows(rows, damage=1 if lines[0] else 0)


def _lost(edit: Edit, rng: Random, *, blank: bool) -> Edit | None:
    rows = edit.rows
    places = [
        at for at in range(1, len(rows) - 1)
        if all(row.plain for row in rows[at - 1 : at + 2]) and blank != bool((rows[at].file or "").strip())
    ]  # fmt: skip
    if not places or len(rows) < (3 if blank else 4):
        return None
    return _written(edit, rng.choice(places), lambda _: None)


def _written(edit: Edit, at: int, form: Callable[[str], str | None]) -> Edit:
    rows = [*edit.rows]
    line = form(rows[at].file or "")
    rows[at] = replace(rows[at], old=line, new=line)
    return edit.with_rows(rows)


def _spread(call: re.Match[str]) -> str:
    indent, opened, arguments, closed = call.groups()
    inner = indent + ("\t" if "\t" in indent else "    ")
    parts = ",\n".join(inner + part.strip() for part in arguments.split(",") if part.strip())
    return f"{indent}{opened}\n{parts}\n{indent}{closed}"


def _call_ends(rows: tuple[Row, ...], at: int) -> int:
    """The row after a call that opens at the end of this one and closes within eight; 0 if none does."""
    if not (rows[at].plain and re.search(r"\w\($", rows[at].file or "")):
        return 0
    for end in range(at + 2, min(at + 9, len(rows) + 1)):
        lines = [row.file or "" for row in rows[at:end]]
        plain = all(row.plain for row in rows[at:end]) and not any(re.search("#|//|/\\*", line) for line in lines)
        text = "".join(lines)
        if not plain or "" in lines:
            return 0
        if text.count("(") == text.count(")"):
            return end
    return 0
