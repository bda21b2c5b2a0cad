"""Replaces an exact span of the file: only its edges need care."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from mulligan.core.edits.differences import same_but_for_tail
from mulligan.core.edits.indentation import columns, opens_block, style_of
from mulligan.core.edits.lines import LinedText, canonical, ending_of, indent_of, is_blank
from mulligan.core.edits.matches import Aligned, TextSpan
from mulligan.core.edits.merge import CannotMerge, dominant_ending
from mulligan.core.edits.tokens import Spacing, merge_line
from mulligan.core.edits.typography import typography_of

_BREAK = re.compile(r"\r\n|\n")
_INDENT = " \t"
_WORD = re.compile(r"\w+")
_MAX_WORD_CHARS = 100


@dataclass(frozen=True, slots=True)
class Splice:
    """These characters become this text."""

    start: int
    end: int
    text: str


def splice_span(text: LinedText, span: TextSpan, old: str, new: str) -> Splice:
    if span.match_level not in ("exact", "line ends"):
        start, end = _with_lost_space(text.text, span, old, new)
        return Splice(start, end, _merged_part(text.text[span.start : span.end], old, new))
    first, last = text.line_at(span.start), text.line_at(max(span.start, span.end - 1))
    lead = text.text[text.starts[first] : span.start]
    ends_line = _ends_line(text.text, span.end)
    if not new and not ending_of(old) and ends_line and not lead.strip(_INDENT):
        return Splice(text.starts[first], text.starts[last + 1], "")
    ending = dominant_ending(text.lines[first : last + 1], text.lines[max(0, first - 50) : last + 50])
    new = _with_edge_of(old, _BREAK.sub(ending, new), ending, ends_line=ends_line)
    is_line = first == last and lead and not lead.strip(_INDENT) and (ends_line or ending_of(old))
    if is_line and len(LinedText(new).lines) > 1:
        new = _deepened(text, first, lead, new)
    return Splice(span.start, span.end, new)


def whole_words(text: LinedText, span: TextSpan, old: str, new: str) -> TextSpan:
    """Extend the span to the edges of words that the old text cuts and the new one has whole: a letter was left out.

    Likewise to a comma or similar mark with which the new text ends.
    """
    before, after = _last_word(text.text[: span.start][-_MAX_WORD_CHARS:]), _WORD.match(text.text, span.end)
    lead = before if _first_word(old) else ""
    tail = after[0] if after and _last_word(old) else ""
    if lead and tail and not (new.startswith(lead) or new.endswith(tail)):  # cut regardless of words
        return span
    start = span.start - len(lead) * _was_left_out(lead, old, new, has=new.startswith(lead), word=_first_word)
    end = span.end + len(tail) * _was_left_out(tail, old, new, has=new.endswith(tail), word=_last_word)
    mark = text.text[end : end + 1]
    if mark and mark in ",;:" and new.endswith(mark) and not old.endswith(mark):
        end += 1
    return TextSpan(start, end, span.match_level, span.overlooked)


def _first_word(text: str) -> str:
    """The word that the text begins with, if any."""
    found = _WORD.match(text)
    return found[0] if found else ""


def _last_word(text: str) -> str:
    """The word that the text ends with, if any. Read backwards, since a search would restart at every letter."""
    return _first_word(text[::-1])[::-1]


def _was_left_out(letters: str, old: str, new: str, *, has: bool, word: Callable[[str], str]) -> bool:
    """Whether the new text has the letters, or another word where the old one lacks a single letter."""
    mine, wanted = word(old), word(new)
    if not letters or not mine or mine == wanted:
        return False
    return has or (len(letters) == 1 and letters.isalpha() and len(mine) > 2)


def whole_lines(text: LinedText, span: TextSpan, old: str, new: str) -> Aligned | None:
    """The whole lines that a span was meant to be: it begins inside their indentation, or lacks a comment at the end.

    That comment stays with its line when other lines follow.
    """
    first, last = text.line_at(span.start), text.line_at(max(span.start, span.end - 1))
    lead = text.text[text.starts[first] : span.start]
    lines = LinedText(old).lines
    if lead.strip(_INDENT) or is_blank(old) or len(lines) != last - first + 1:
        return None
    if ending_of(old) or _ends_line(text.text, span.end):
        meant = bool(lead and indent_of(old))
    else:
        meant = "\n" in old + new and same_but_for_tail(lines[-1], text.body(last))
    return Aligned(tuple((line, line + 1) for line in range(first, last + 1)), "white space") if meant else None


def _with_lost_space(content: str, span: TextSpan, old: str, new: str) -> tuple[int, int]:
    """Include white space around the part that the old text has and the new one lacks."""
    lead = indent_of(old).removesuffix(indent_of(new))
    tail = indent_of(old[::-1]).removesuffix(indent_of(new[::-1]))
    start = span.start - len(lead) if content.endswith(lead, 0, span.start) else span.start
    return start, span.end + len(tail) if content.startswith(tail, span.end) else span.end


def _merged_part(part: str, old: str, new: str) -> str:
    """For a part of a line that differs from the old text in white space or typography."""
    follow = typography_of(old, part).follow
    if len(LinedText(new).lines) > 1:
        raise CannotMerge("a part of a line would become several lines")
    spacing = Spacing()
    spacing.learn(old, part)
    merged = merge_line(follow(old), follow(new), part, spacing) if canonical(old) != canonical(new) else part
    if merged is None:
        return follow(new)
    lead, tail = indent_of(new).removeprefix(indent_of(old)), indent_of(new[::-1]).removeprefix(indent_of(old[::-1]))
    return lead + merged + tail


def _ends_line(content: str, end: int) -> bool:
    return end == len(content) or content[end] in "\r\n"


def _with_edge_of(old: str, new: str, ending: str, *, ends_line: bool) -> str:
    """A line feed at the end of only one of the two would join or split lines."""
    if ending_of(old) and new and not ending_of(new) and new == new.rstrip(" \t"):
        return new + ending
    if not ending_of(old) and ending_of(new) and ends_line:
        return new[: -len(ending_of(new))]
    return new


def _deepened(text: LinedText, line: int, lead: str, new: str) -> str:
    """One line was given without its indentation, and several replace it: indent the others if they are not yet."""
    first, *rest = LinedText(new).lines
    depths = [columns(indent_of(body)) for body in rest if not is_blank(body)]
    if not depths or indent_of(first):
        return new
    deep = columns(lead)
    around = range(max(0, line - 150), min(len(text.lines), line + 150))
    style = style_of([indent_of(text.body(number)) for number in around if not is_blank(text.lines[number])])
    step = style.unit if opens_block(first) else 0
    if depths[0] == deep + step and min(depths) >= min(deep, depths[0]):
        return new
    if depths[0] == step or min(depths) < deep:
        if any(is_blank(body) for body in rest) and min(depths) == 0 and deep:
            raise CannotMerge("the indentation of the added lines could be read in two ways")
        return first + "".join(body if is_blank(body) else lead + body for body in rest)
    return new
