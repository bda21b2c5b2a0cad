"""Sloppy with white space: line ends, indentation, blank lines, line endings."""

import difflib
import re
from dataclasses import replace
from random import Random

from bench.edits.draft import Draft, Drift, Row, gaps, news, olds
from bench.edits.sources import reindented

INNER = (
    (re.compile(r", (?=\S)"), ","),
    (re.compile(r",(?=[^\s\"'])"), ", "),
    (re.compile(r"(?<=\w) = (?=\w)"), "="),
    (re.compile(r"(?<=[\w\])])=(?=[\w\[(])"), " = "),
    (re.compile(r"\((?=\w)"), "( "),
    (re.compile(r"(?<=\S)  +(?=\S)"), " "),
    (re.compile(r"(?<=\S)\t+(?=\S)"), " "),
)
"""Spaces that models leave out, put in, or make one of many; a draft gets one of these habits."""


def trailing_spaces_added(draft: Draft, rng: Random) -> Draft | None:
    return draft.with_lines(lambda line: line + " " * rng.choice((0, 1, 2, 4)))


def trailing_spaces_lost(draft: Draft, rng: Random) -> Draft | None:
    """The file has them and the edit has not."""
    truth = tuple(
        Row(f"{row.old}  ", f"{row.new}  ") if row.kept and rng.random() < 0.6 else row for row in draft.truth
    )
    return replace(draft, truth=truth) if truth != draft.truth else None


def tabs_to_spaces(draft: Draft, rng: Random) -> Draft | None:
    return (
        _reindented(draft, "\t", rng.choice(("    ", "    ", "  ", "        ")))
        if draft.source.indent == "\t"
        else None
    )


def spaces_to_tabs(draft: Draft, _rng: Random) -> Draft | None:
    return _reindented(draft, draft.source.indent, "\t") if draft.source.indent != "\t" else None


def four_to_two(draft: Draft, _rng: Random) -> Draft | None:
    return _reindented(draft, "    ", "  ") if draft.source.indent == "    " else None


def two_to_four(draft: Draft, _rng: Random) -> Draft | None:
    return _reindented(draft, "  ", "    ") if draft.source.indent == "  " else None


def over_indented(draft: Draft, rng: Random) -> Draft | None:
    lead = draft.source.indent * rng.choice((1, 1, 2))
    return draft.with_lines(lambda line: lead + line if line.strip() else line)


def indented_by_one_space(draft: Draft, _rng: Random) -> Draft | None:
    """Models begin every line with the space of a chat's list or of a diff."""
    return draft.with_lines(lambda line: f" {line}" if line.strip() else line)


def dedented_by_a_level(draft: Draft, _rng: Random) -> Draft | None:
    unit = draft.source.indent
    if any(line.strip() and not line.startswith(unit) for line in (*olds(draft.rows), *news(draft.rows))):
        return None
    return draft.with_lines(lambda line: line.removeprefix(unit))


def dedented_fully(draft: Draft, _rng: Random) -> Draft | None:
    """The block moved to the margin, its own steps kept."""
    written = [line for line in (*olds(draft.rows), *news(draft.rows)) if line.strip()]
    lead = min((line[: len(line) - len(line.lstrip())] for line in written), key=len)
    if not lead or any(not line.startswith(lead) for line in written):
        return None
    return draft.with_lines(lambda line: line.removeprefix(lead))


def first_line_dedented(draft: Draft, _rng: Random) -> Draft | None:
    """As when a text is stripped before it is sent."""
    first, *rest = draft.rows
    if first.old is None or first.new is None or not rest:
        return None
    return draft.with_rows([Row(first.old.lstrip(), first.new.lstrip()), *rest])


def all_indentation_lost(draft: Draft, _rng: Random) -> Draft | None:
    """Every line at the margin. Only for edits within lines, else nobody could say how deep a new line is meant."""
    if any(row.old is None or row.new is None or not _alike(row.old, row.new) for row in draft.rows):
        return None
    if len({_lead(line) for line in olds(draft.rows) if line.strip()}) < 2:
        return None
    return draft.with_lines(str.lstrip)


def inner_spacing(draft: Draft, rng: Random) -> Draft | None:
    pattern, spacing = rng.choice(INNER)

    def spaced(line: str) -> str:
        lead = _lead(line)
        return lead + pattern.sub(spacing, line[len(lead) :])

    drifted = draft.with_lines(spaced)
    return drifted if olds(drifted.rows) != olds(draft.rows) else None


def blank_line_dropped(draft: Draft, rng: Random) -> Draft | None:
    return _for_a_blank_line(draft, rng, ())


def blank_line_added(draft: Draft, rng: Random) -> Draft | None:
    places = [place for place in range(1, len(draft.rows)) if draft.rows[place - 1].kept and draft.rows[place].kept]
    if not places:
        return None
    place = rng.choice(places)
    return draft.with_rows([*draft.rows[:place], Row("", ""), *draft.rows[place:]])


def blank_lines_doubled(draft: Draft, rng: Random) -> Draft | None:
    return _for_a_blank_line(draft, rng, (Row("", ""), Row("", "")))


def every_blank_line_dropped(draft: Draft, _rng: Random) -> Draft | None:
    places = {place for place in gaps(draft.rows) if not (draft.rows[place].old or "").strip()}
    return (
        draft.with_rows(row for place, row in enumerate(draft.rows) if place not in places) if len(places) > 1 else None
    )


def blank_lines_around(draft: Draft, rng: Random) -> Draft | None:
    blank = Row("", "")
    return draft.with_rows([*[blank] * rng.randint(1, 2), *draft.rows, *[blank] * rng.randint(0, 2)])


def crlf_file(draft: Draft, _rng: Random) -> Draft | None:
    return replace(draft, file_ending="\r\n") if len(draft.rows) > 1 else None


def crlf_edit(draft: Draft, _rng: Random) -> Draft | None:
    return replace(draft, edit_ending="\r\n") if len(draft.rows) > 1 else None


def newline_in_old_alone(draft: Draft, _rng: Random) -> Draft | None:
    return replace(draft, old_ended=True, new_ended=False)


def newline_in_new_alone(draft: Draft, _rng: Random) -> Draft | None:
    return replace(draft, old_ended=False, new_ended=True)


def file_without_final_newline(draft: Draft, _rng: Random) -> Draft | None:
    """The span is the end of a file that has no newline there; the edit has one."""
    return replace(draft, after=(), final_newline=False, old_ended=True, new_ended=True)


def _reindented(draft: Draft, unit: str, to: str) -> Draft | None:
    """Every level written in another way.

    Where an edit brings a depth that is no whole number of levels and that the old text has not, nobody could tell
    what becomes of it.
    """
    known = {_lead(line) for line in olds(draft.rows)}
    if any(_lead(line).replace(unit, "") and _lead(line) not in known for line in news(draft.rows)):
        return None
    drifted = draft.with_lines(lambda line: reindented(line, unit, to))
    return drifted if olds(drifted.rows) != olds(draft.rows) else None


def _for_a_blank_line(draft: Draft, rng: Random, rows: tuple[Row, ...]) -> Draft | None:
    places = [place for place in gaps(draft.rows) if not (draft.rows[place].old or "").strip()]
    if not places:
        return None
    place = rng.choice(places)
    return draft.with_rows([*draft.rows[:place], *rows, *draft.rows[place + 1 :]])


def _alike(old: str, new: str) -> bool:
    return old == new or (_lead(old) == _lead(new) and difflib.SequenceMatcher(None, old, new).ratio() > 0.5)


def _lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


LAYOUT: dict[str, Drift] = {
    "trailing spaces": trailing_spaces_added,
    "trailing spaces lost": trailing_spaces_lost,
    "tabs to spaces": tabs_to_spaces,
    "spaces to tabs": spaces_to_tabs,
    "indent 4 to 2": four_to_two,
    "indent 2 to 4": two_to_four,
    "over-indented block": over_indented,
    "one space before all": indented_by_one_space,
    "dedented by a level": dedented_by_a_level,
    "dedented to the margin": dedented_fully,
    "first line dedented": first_line_dedented,
    "indentation lost": all_indentation_lost,
    "inner spacing": inner_spacing,
    "blank line dropped": blank_line_dropped,
    "blank line added": blank_line_added,
    "blank line doubled": blank_lines_doubled,
    "all blank lines dropped": every_blank_line_dropped,
    "blank lines around": blank_lines_around,
    "CRLF file, LF edit": crlf_file,
    "LF file, CRLF edit": crlf_edit,
    "newline in old alone": newline_in_old_alone,
    "newline in new alone": newline_in_new_alone,
    "no newline at file end": file_without_final_newline,
}
