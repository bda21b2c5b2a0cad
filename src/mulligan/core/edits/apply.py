"""Applies an edit, or refuses it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.edits.already_applied import adds_again, find_new_text, fits_new_text_better
from mulligan.core.edits.elision import elisions, find_elided, left_out, replaced_elisions
from mulligan.core.edits.explain import (
    ambiguous_refusal,
    applied_refusal,
    numbered_refusal,
    placed_notes,
    plain_refusal,
    unknown_refusal,
    unsafe_refusal,
)
from mulligan.core.edits.lines import LinedText
from mulligan.core.edits.locate import every_place, find_alike, find_exact
from mulligan.core.edits.matches import (
    Aligned,
    Ambiguous,
    ExactMatch,
    Found,
    FuzzyMatch,
    Match,
    NotFound,
    Several,
    TextSpan,
    lines_of,
)
from mulligan.core.edits.merge import CannotMerge, merged_lines
from mulligan.core.edits.parts import find_similar_part
from mulligan.core.edits.reflow import find_reflowed
from mulligan.core.edits.splice import Splice, splice_span, whole_lines, whole_words
from mulligan.core.edits.typography import straightened
from mulligan.core.edits.unwrap import EditReading, readings
from mulligan.core.edits.windows import find_similar
from mulligan.types.edits import TextEdit
from mulligan.types.errors import EditRefused


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of applying edits."""

    text: str
    notes: tuple[str, ...] = ()
    """Which differences were ignored to find a place, for the model and the user."""


def apply_edit(content: str, old: str, new: str, *, replace_all: bool = False) -> str:
    """The content with old replaced by new. Raises `EditRefused` if the place or the result is not certain.

    An edit that is already in the content is refused as `already_applied`.
    """
    return _apply(content, TextEdit(old, new, replace_all)).text


def apply_edits(content: str, edits: Sequence[TextEdit]) -> Applied:
    """Apply the edits in order, all or none. Those already applied are skipped, unless all are."""
    refusal: EditRefused | None = None
    result = Applied(content)
    for number, edit in enumerate(edits, 1):
        try:
            made = _apply(result.text, edit)
        except EditRefused as refused:
            if refused.report.reason == "already_applied":
                refusal = refused
                continue
            raise (refused if len(edits) == 1 else numbered_refusal(refused, number, len(edits))) from None
        result = Applied(made.text, (*result.notes, *made.notes))
    if refusal is not None and result.text == content:
        raise refusal
    return result


def were_applied(before: str, after: str, edits: Sequence[TextEdit]) -> bool:
    """Whether exactly these edits turn one text into the other."""
    try:
        return apply_edits(before, edits).text == after
    except EditRefused:
        return False


def locate_match(content: str, needle: str) -> Match:
    """Where the needle is in the content."""
    if not needle:
        return NotFound()
    text = LinedText(content)
    ways = list(readings(content, needle, ""))
    reading, found = _first_found(text, ways)
    if found is None:
        reading, found = _first_similar(text, ways)
    if found is None:
        return NotFound()
    if isinstance(found, Several):
        return Ambiguous(found.count, tuple((first + 1, end) for first, end in found.places))
    if isinstance(found, TextSpan):
        unchanged = found.match_level == "exact" and reading.old == needle
        return (
            ExactMatch(found.start, found.end) if unchanged else FuzzyMatch(found.start, found.end, found.match_level)
        )
    first, end = found.lines
    last = text.starts[end] if reading.old.endswith(("\n", "\r")) else text.starts[end - 1] + len(text.body(end - 1))
    return FuzzyMatch(text.starts[first], last, found.match_level)


def _apply(content: str, edit: TextEdit) -> Applied:
    if not edit.old:
        return Applied(_created(content, edit.new))
    if edit.old == edit.new:
        raise plain_refusal("no_change", "The old and the new text are the same.", "Send the text as it should be.")
    text = LinedText(content)
    ways = list(readings(content, edit.old, straightened(content, edit.old, edit.new)))
    if edit.replace_all:
        return Applied(_spliced(text, _everywhere(text, ways)))
    reading, found = _find(text, ways)
    if isinstance(found, Several):
        raise ambiguous_refusal(text, found)
    if found is None:
        raise unknown_refusal(text, ways[-1].old_text)
    if isinstance(found, TextSpan):
        found = whole_words(text, found, reading.old, reading.new)
    return Applied(_spliced(text, [_splice(text, found, reading)]), placed_notes(text, found))


def _created(content: str, new: str) -> str:
    if content:
        message = "An empty old text creates a file, but the file exists and is not empty."
        raise plain_refusal("exists", message, "Send the lines to replace as the old text.")
    return new


def _find(text: LinedText, ways: Sequence[EditReading]) -> tuple[EditReading, Found]:
    """The place of the old text, or None; raises if the new text is there already."""
    reading, found = _first_found(text, ways)
    if isinstance(found, TextSpan | Aligned) and (present := adds_again(text, found, reading)) is not None:
        raise applied_refusal(text, present)
    if found is not None:
        return reading, found
    reading, found = _first_similar(text, ways)
    if isinstance(found, TextSpan | Aligned):
        if (present := fits_new_text_better(text, found, reading)) is not None:
            raise applied_refusal(text, present)
        return reading, found
    for way in ways:
        if (present := find_new_text(text, way)) is not None:
            raise applied_refusal(text, present)
    return reading, found


def _first_found(text: LinedText, ways: Sequence[EditReading]) -> tuple[EditReading, Found]:
    for way in ways:
        if (found := find_exact(text, way.old)) is not None:
            return way, found
    for find in (find_alike, find_elided, find_reflowed):
        for way in ways:
            if (found := find(text, way.old_text)) is not None:
                return way, found
    return ways[0], None


def _first_similar(text: LinedText, ways: Sequence[EditReading]) -> tuple[EditReading, Found]:
    for find in (find_similar_part, find_similar):
        for way in ways:
            if (found := find(text, way.old_text)) is not None:
                return way, found
    return ways[0], None


def _splice(text: LinedText, found: TextSpan | Aligned, reading: EditReading) -> Splice:
    try:
        _check_whole(text, found, reading)
        if isinstance(found, TextSpan) and (whole := whole_lines(text, found, reading.old, reading.new)) is not None:
            found = whole
        if isinstance(found, TextSpan):
            return splice_span(text, found, reading.old, reading.new)
        lines = merged_lines(text, reading.old_text, found, reading.new_text)
    except CannotMerge as why:
        raise unsafe_refusal(text, lines_of(text, found), str(why)) from None
    first, end = found.lines
    return Splice(text.starts[first], text.starts[end], "".join(lines))


def _check_whole(text: LinedText, found: TextSpan | Aligned, reading: EditReading) -> None:
    """A new text with elisions must leave out the same lines as the old one."""
    old, new = reading.old_text, reading.new_text
    if found.match_level == "elision":
        if len(elisions(old)) not in (len(elisions(new)), len(replaced_elisions(old, new))):
            raise CannotMerge("old and new text do not elide the same lines")
        return
    if any(line not in reading.old and line not in text.text for line in left_out(new)):
        raise CannotMerge("the new text leaves lines out; it must be written in full")


def _everywhere(text: LinedText, ways: Sequence[EditReading]) -> list[Splice]:
    for way in ways:
        starts = [found.start() for found in re.finditer(re.escape(way.old), text.text)]
        if starts:
            return [_splice(text, TextSpan(start, start + len(way.old), "exact"), way) for start in starts]
    for way in ways:
        places = every_place(text, way.old_text)
        if places:
            return [_splice(text, place, way) for place in places]
    raise unknown_refusal(text, ways[-1].old_text)


def _spliced(text: LinedText, splices: Sequence[Splice]) -> str:
    out: list[str] = []
    done = 0
    for splice in splices:
        out += (text.text[done : splice.start], splice.text)
        done = splice.end
    result = "".join([*out, text.text[done:]])
    if result == text.text:
        raise applied_refusal(text, (text.line_at(splices[0].start), text.line_at(splices[0].start) + 1))
    return result
