"""Changes worth a test: whole new texts of a file, made from what a model wrote, from variants and from hints."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.operators.missing_imports import imported
from mulligan.core.program_repair.operators.variants import Variant, line_variants
from mulligan.core.program_repair.operators.whole_changes import lost_in_copies, not_handed_out
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.core.retrieval.line_change import LineChange, LineLocation, changed_lines
from mulligan.syntax.line_tokens import comment_mark, read_line

LONGEST_NOTE = 100
NEARLY = 70
"""How alike, of 100, a piece of code in plain words is to the line that it corrects."""
HARDLY_MEANT = 1.7
"""The weight of a variant up to which a line is hardly ever meant as it stands."""

_IMPORT = re.compile(r"`((?:from [\w.]+ )?import [^`]+)`")
_QUOTED = re.compile(r"[`'\"]\.?([\w.-]{1,40})[`'\"]")
_VALUE = re.compile(r"(return |if |elif |while |(?:const |let |var )?[\w.]+ (?:[-+*/:]?=) )(.+?)(:|;| \{|)")
_UNUSED = re.compile(r"the variable `(\w+)` is never used")
_NO_RETURN = re.compile(r"returns nothing|has no effect|on some paths only")
_TOP = re.compile(r"(?:import|from|package|use|const \w+ = require|#!|['\"]use strict)\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    path: str
    lines: tuple[str, ...]
    """All lines of the file with the change made."""
    note: str
    """What is tried, in a few words for a person."""
    place: LineLocation | None = None
    """The line that it changes, where it is one."""


def model_candidates(change: LineChange, lines: Sequence[str]) -> list[Candidate]:
    """What a model wrote for a line, and the same without lines that stand around the place already.

    Asked for a line, small models write the lines that follow it as well.
    """
    old = lines[change.place.line - 1].strip()
    rows = _unwrapped(change.new).split("\n")
    ways = [rows, _without_neighbours(rows, lines, change.place.line)]
    if len(rows) > 1:
        ways.append([row for row in rows if row.strip()][:1])
    mark = comment_mark(change.place.path)
    texts = dict.fromkeys("\n".join(way) for way in ways if _plain("\n".join(way), mark) != _plain(old, mark))
    return [_changed(LineChange(change.place, text), lines) for text in texts]


def prose_candidates(thought: str, lines: Collection[str]) -> list[tuple[str, str]]:
    """Corrections that stand in plain words: the line that each is for, and what it should be; the last word first.

    Every piece of code in it that is nearly a line that was shown, or nearly the value in one, but not quite, is one.
    """
    from rapidfuzz import fuzz, process

    values = {line: found for line in lines if (found := _VALUE.fullmatch(line))}
    wholes = {line: line for line in lines} | {f"{line} ": found[2] for line, found in values.items()}
    corrections: dict[tuple[str, str], None] = {}
    for piece in reversed(_pieces(thought)):
        best = process.extractOne(piece, wholes, scorer=fuzz.ratio, score_cutoff=NEARLY)
        if best and not any(piece in line for line in lines):
            line = best[2].rstrip()
            around = values[line] if best[2] != line else None
            corrections[line, f"{around[1]}{piece}{around[3]}" if around else piece] = None
    return list(corrections)


def variant_candidate(place: LineLocation, variant: Variant, lines: Sequence[str]) -> Candidate:
    """The file with one line of it varied."""
    if variant.span > 1:
        return _turned_over(place, variant, lines)
    if not variant.shift:
        return _changed(LineChange(place, variant.text), lines)
    old = lines[place.line - 1]
    indent, step = old[: len(old) - len(old.lstrip())], _step(lines)
    moved = indent + step if variant.shift > 0 else indent.removesuffix(step)
    after = (*lines[: place.line - 1], moved + variant.text, *lines[place.line :])
    where = "deeper" if variant.shift > 0 else "less deep"
    return Candidate(place.path, after, _note(f"{place.path}: indent `{variant.text}` {where}"), place)


def _turned_over(place: LineLocation, variant: Variant, lines: Sequence[str]) -> Candidate:
    behind = place.line - 1 + variant.span
    shorter = (*lines[: place.line], *lines[behind:])
    after = changed_lines(shorter, LineChange(place, variant.text))
    note = _note(f"{place.path}: `{lines[place.line - 1].strip()}` one line later")
    return Candidate(place.path, tuple(after), note, place)


def hint_candidates(brief: Brief, files: Mapping[str, Sequence[str]]) -> Iterator[Candidate]:
    """What hints ask for by themselves: an import, a name for one that is nearly the same, a return; then, on lines
    that are suspicious anyway, what is hardly ever meant as it stands."""
    for hint in brief.hints:
        path, _, words = hint.partition(":")
        path = path.partition(",")[0]
        if path not in files:
            continue
        lines = files[path]
        suspects = [place.line for place in brief.suspects if place.path == path and place.line <= len(lines)]
        yield from _missing_import(words, path, lines)
        names = _QUOTED.findall(words)
        if len(names) == 2 and names[0] != names[1]:
            yield from _renamed(names[0], names[1], path, lines, suspects)
        if _NO_RETURN.search(words):
            yield from _returning(path, lines, suspects)
        yield from _out_of_loop(words, path, lines, suspects)
        yield from _used_after_all(words, path, lines)
    yield from _of_several_lines(brief, files)
    vocabulary = ProjectWords.of(brief)
    for place in brief.suspects:
        lines = files.get(place.path, ())
        for variant in line_variants(place.path, lines, place.line, vocabulary) if place.line <= len(lines) else ():
            if variant.weight < HARDLY_MEANT:
                yield variant_candidate(place, variant, lines)


def _of_several_lines(brief: Brief, files: Mapping[str, Sequence[str]]) -> Iterator[Candidate]:
    for path, lines, what in imported(brief.failures, files):
        yield Candidate(path, lines, _note(f"{path}: {what}"))
    for path, lines in files.items():
        suspects = [place.line for place in brief.suspects if place.path == path]
        for after, what in (*not_handed_out(path, lines, suspects), *lost_in_copies(path, lines)):
            yield Candidate(path, after, _note(f"{path}: {what}"))


def _missing_import(words: str, path: str, lines: Sequence[str]) -> Iterator[Candidate]:
    for statement in _IMPORT.findall(words):
        at = next((number for number, line in enumerate(lines) if _TOP.match(line)), 0)
        at += bool(lines) and lines[at].startswith(("package", "#!", "from __future__", "'use", '"use'))
        yield Candidate(path, (*lines[:at], statement, *lines[at:]), _note(f"{path}: add `{statement}`"))


def _renamed(wrong: str, right: str, path: str, lines: Sequence[str], suspects: Sequence[int]) -> Iterator[Candidate]:
    """On the suspicious lines one by one, then everywhere in the file."""
    whole = re.compile(rf"(?<![\w.-]){re.escape(wrong)}(?![\w-])" if "." in right else rf"\b{re.escape(wrong)}\b")
    for line in suspects:
        if whole.search(lines[line - 1]):
            yield _changed(LineChange(LineLocation(path, line), whole.sub(right, lines[line - 1])), lines)
    after = tuple(whole.sub(right, line) for line in lines)
    if after != tuple(lines):
        yield Candidate(path, after, _note(f"{path}: `{right}` for `{wrong}`"))


def _used_after_all(words: str, path: str, lines: Sequence[str]) -> Iterator[Candidate]:
    """A variable that is set and never used was meant where one that it was made from stands."""
    found = _UNUSED.search(words)
    at = next(
        (n for n, line in enumerate(lines) if found and re.match(rf"\s*(?:const |let |var )?{found[1]}\b.*=", line)),
        None,
    )
    if found is None or at is None:
        return
    made_from = [name for name in re.findall(r"[A-Za-z_]\w*", lines[at].partition("=")[2]) if name != found[1]]
    indent = len(lines[at]) - len(lines[at].lstrip())
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            return
        for name in dict.fromkeys(made_from):
            for use in re.finditer(rf"(?<![\w.]){name}\b(?!\()", line):
                new = f"{line[: use.start()]}{found[1]}{line[use.end() :]}"
                yield _changed(LineChange(LineLocation(path, number + 1), new), lines)


def _out_of_loop(words: str, path: str, lines: Sequence[str], suspects: Sequence[int]) -> Iterator[Candidate]:
    """The line that ends a loop too early moves behind it, or goes."""
    for line in suspects:
        text = lines[line - 1].strip()
        if f"`{text}` stands in the loop" in words:
            yield variant_candidate(LineLocation(path, line), Variant(text, shift=-1), lines)
            yield variant_candidate(LineLocation(path, line), Variant(""), lines)


def _returning(path: str, lines: Sequence[str], suspects: Sequence[int]) -> Iterator[Candidate]:
    """A return before a value on a suspicious line, or on one of the two below it."""
    nothing = ProjectWords(Counter(), Counter(), ())
    for line in dict.fromkeys(suspect + below for below in range(3) for suspect in suspects):
        old = lines[line - 1].strip() if line <= len(lines) else ""
        for variant in line_variants(path, lines, line, nothing) if old else ():
            if variant.text == f"return {old}":
                yield variant_candidate(LineLocation(path, line), variant, lines)


def _changed(change: LineChange, lines: Sequence[str]) -> Candidate:
    old = lines[change.place.line - 1].strip()
    new = " ⏎ ".join(row.strip() for row in change.new.strip().split("\n"))
    what = f"`{old}` → `{new}`" if new else f"without `{old}`"
    note = _note(f"{change.place.path}: {what}")
    return Candidate(change.place.path, tuple(changed_lines(lines, change)), note, change.place)


def _unwrapped(new: str) -> str:
    """Without the marks of code in prose that small models put around a line."""
    rows = [row for row in new.strip("\n").split("\n") if not row.strip().startswith("```")]
    text = "\n".join(rows)
    inner = text.strip()
    return inner[1:-1] if len(inner) > 1 and inner[0] == inner[-1] == "`" and inner.count("`") == 2 else text


def _plain(text: str, comment: str) -> list[str]:
    """The tokens of a line. Other quotes, and other spaces between tokens, change nothing."""
    tokens = [token.text for token in read_line(text, comment).tokens if token.kind != "space"]
    return [token.replace("'", '"') for token in (tokens[:-1] if tokens[-1:] == [";"] else tokens)]


def _without_neighbours(rows: Sequence[str], lines: Sequence[str], line: int) -> list[str]:
    below = [text.strip() for text in lines[line : line + len(rows)]]
    above = [text.strip() for text in lines[max(0, line - 1 - len(rows)) : line - 1]]
    said = [row.strip() for row in rows]
    tail = max((count for count in range(1, len(rows)) if said[-count:] == below[:count]), default=0)
    head = max((count for count in range(1, len(rows)) if said[:count] == above[-count:]), default=0)
    return list(rows[head : len(rows) - tail]) if head + tail < len(rows) else list(rows)


def _pieces(thought: str) -> list[str]:
    """Lines, and what stands between backquotes in them."""
    rows = (row.strip() for row in thought.split("\n") if not row.strip().startswith("```"))
    return [piece.strip() for row in rows for piece in (row, *re.findall(r"`([^`]+)`", row))]


def _step(lines: Sequence[str]) -> str:
    """One step of indentation, as the file has it."""
    indents = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    return min((indent for indent in indents if indent), key=len, default="    ")


def _note(text: str) -> str:
    return text if len(text) <= LONGEST_NOTE else f"{text[: LONGEST_NOTE - 1]}…"
