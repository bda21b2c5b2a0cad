"""Edits that name only part of a line, such as `i + 1`."""

import re
from random import Random

from bench.edits.second.finished import Made, applied
from bench.edits.second.letters import mistyped
from bench.edits.second.texts import TOKEN, Text, any_text
from bench.edits.second.truth import Edit, changed, noun_like

PART = re.compile(r"(?<![\w.])([\w.]+ ?(?:[-+*/%]|[=<>!]=|[:=<>]) ?)(\w+)(?![\w.])")

FAR = 4
"""Letters by which anything else in the file must differ from a part with one wrong letter."""


def part(rng: Random) -> Made | None:
    text = any_text(rng)
    found = _part(text, rng)
    if not found:
        return None
    edit, old, new = found
    return applied(edit, (old, new))


def mistyped_part(rng: Random) -> Made | None:
    text = any_text(rng)
    found = _part(text, rng)
    if not found or len(found[1]) < 10:
        return None
    edit, old, new = found
    word = re.match(r"[^\W\d_]{4,}", old)
    if not word:
        return None
    wrong = mistyped(word[0], rng)
    drifted = wrong + old[word.end() :]
    around = edit.text.content.replace(old, "\n")
    if wrong.lower() in text.words or drifted == old or nearest(drifted, around) < FAR:
        return None
    return applied(edit, (drifted, new))


def nearest(part: str, content: str) -> int:
    """Letters to insert, drop or substitute until the part stands in a line that shares a word with it."""
    words = {word for word in TOKEN.findall(part) if word.isalnum()}
    nearest = len(part)
    for line in content.split("\n"):
        if words.isdisjoint(TOKEN.findall(line)) and part[:3] not in line:
            continue
        row = list(range(len(part) + 1))
        for letter in line:
            before, row[0] = row[0], 0
            for at in range(1, len(row)):
                step = min(row[at] + 1, row[at - 1] + 1, before + (part[at - 1] != letter))
                before, row[at] = row[at], step
            nearest = min(nearest, row[-1])
    return nearest


def _part(text: Text, rng: Random) -> tuple[Edit, str, str] | None:
    """A part that stands once, and what it becomes."""
    at = rng.randrange(len(text.lines))
    found = list(PART.finditer(text.lines[at]))
    if not found:
        return None
    match = rng.choice(found)
    old = match[0]
    if text.content.count(old) != 1 or len(old) < 4:
        return None
    last = match[2]
    new = match[1] + (str(int(last) + rng.randint(1, 9)) if last.isdecimal() else noun_like(last, rng))
    line = text.lines[at]
    row = changed(line, line[: match.start()] + new + line[match.end() :])
    return Edit(text, at, (row,)), old, new
