"""Changes worth testing from what a model wrote: for one line, or in plain words."""

import re
from collections.abc import Collection, Sequence

from mulligan.core.line_change import LineChange, changed_lines
from mulligan.core.program_repair.candidates import Candidate, change_note
from mulligan.syntax.line_tokens import line_tokens

NEARLY = 70
"""How alike, of 100, code in prose must be to the line that it corrects."""

_VALUE = re.compile(r"(return |if |elif |while |(?:const |let |var )?[\w.]+ (?:[-+*/:]?=) )(.+?)(:|;| \{|)")


def model_candidates(change: LineChange, lines: Sequence[str]) -> list[Candidate]:
    """What a model wrote for a line, and the same without lines that are already around the location.

    Asked for a line, small models also write the lines that follow it.
    """
    old = lines[change.location.line - 1].strip()
    rows = _unwrapped(change.new).split("\n")
    ways = [rows, _without_neighbours(rows, lines, change.location.line)]
    if len(rows) > 1:
        ways.append([row for row in rows if row.strip()][:1])
    path = change.location.path
    texts = dict.fromkeys("\n".join(way) for way in ways if _plain(path, "\n".join(way)) != _plain(path, old))
    return [_changed(LineChange(change.location, text), lines) for text in texts]


def prose_candidates(thought: str, lines: Collection[str]) -> list[tuple[str, str]]:
    """Corrections in plain words: the line that each is for, and its replacement; the last one first.

    A correction is a fragment of code that is nearly, but not quite, a line that was shown, or the value in one.
    """
    from rapidfuzz import fuzz, process

    values = {line: found for line in lines if (found := _VALUE.fullmatch(line))}
    wholes = {line: line for line in lines} | {f"{line} ": found[2] for line, found in values.items()}
    corrections: dict[tuple[str, str], None] = {}
    for fragment in reversed(_fragments(thought)):
        best = process.extractOne(fragment, wholes, scorer=fuzz.ratio, score_cutoff=NEARLY)
        if best and not any(fragment in line for line in lines):
            line = best[2].rstrip()
            around = values[line] if best[2] != line else None
            corrections[line, f"{around[1]}{fragment}{around[3]}" if around else fragment] = None
    return list(corrections)


def _changed(change: LineChange, lines: Sequence[str]) -> Candidate:
    note = change_note(change.location.path, lines[change.location.line - 1], change.new)
    return Candidate(change.location.path, tuple(changed_lines(lines, change)), note, change.location)


def _unwrapped(new: str) -> str:
    """Without the code marks that small models put around a line."""
    rows = [row for row in new.strip("\n").split("\n") if not row.strip().startswith("```")]
    text = "\n".join(rows)
    inner = text.strip()
    return inner[1:-1] if len(inner) > 1 and inner[0] == inner[-1] == "`" and inner.count("`") == 2 else text


def _plain(path: str, text: str) -> tuple[str, ...]:
    tokens = line_tokens(path, text.strip())
    return tokens[:-1] if tokens[-1:] == (";",) else tokens


def _without_neighbours(rows: Sequence[str], lines: Sequence[str], line: int) -> list[str]:
    below = [text.strip() for text in lines[line : line + len(rows)]]
    above = [text.strip() for text in lines[max(0, line - 1 - len(rows)) : line - 1]]
    texts = [row.strip() for row in rows]
    tail = max((count for count in range(1, len(rows)) if texts[-count:] == below[:count]), default=0)
    head = max((count for count in range(1, len(rows)) if texts[:count] == above[-count:]), default=0)
    return list(rows[head : len(rows) - tail]) if head + tail < len(rows) else list(rows)


def _fragments(thought: str) -> list[str]:
    """Lines, and what is between backquotes in them."""
    rows = (row.strip() for row in thought.split("\n") if not row.strip().startswith("```"))
    return [fragment.strip() for row in rows for fragment in (row, *re.findall(r"`([^`]+)`", row))]
