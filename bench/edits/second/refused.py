"""Edits that must be refused: nobody could say which place they mean, or the place is not in the file."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from bench.edits.second import letters, lines, parts
from bench.edits.second.finished import Made, must_refuse
from bench.edits.second.siblings import beside, block, defined, other_body, renamed
from bench.edits.second.texts import WORD, Text, any_text, texts, tokens
from bench.edits.second.truth import Edit, noun_like, true_edit

DECLARE = (*lines.CODE, "yaml", "sql", "make")
"""Languages whose blocks have names; elsewhere another word or number does not make another block."""


def stands_twice(rng: Random) -> Made | None:
    edit = _twice(rng)
    return must_refuse(edit.text, (edit.old, edit.new)) if edit else None


def stands_twice_with_a_wrong_letter(rng: Random) -> Made | None:
    edit = _twice(rng)
    drifted = edit and letters.typos(1)(edit, rng)
    return must_refuse(edit.text, (drifted.old, drifted.new)) if edit and drifted else None


def in_both_siblings(rng: Random) -> Made | None:
    """Lines that a block and its sibling share, without those that tell them apart."""
    text = any_text(rng)
    found = block(text, rng)
    other = found and renamed(text.lines[found[0] : found[1]], rng)
    if not found or not other:
        return None
    pair = beside(text, found, other, rng)
    edit = true_edit(pair.text, rng, (pair.first, pair.last))
    return must_refuse(pair.text, (edit.old, edit.new)) if edit and _places(edit) > 1 else None


def only_a_sibling(rng: Random) -> Made | None:
    """The file has the block under other names and with another number; the edit is about one that it has not."""
    return _of_another_block(rng, renamed)


def only_a_sibling_with_a_wrong_letter(rng: Random) -> Made | None:
    return _of_another_block(rng, renamed, wrong_letters=1)


def another_name(rng: Random) -> Made | None:
    """The name that the block's first line gives it is another, wherever the block says it."""

    def named(block_lines: tuple[str, ...], rng: Random) -> list[str] | None:
        names = defined(block_lines[0])
        if not names:
            return None
        name = names[0]
        fresh = noun_like(name, rng)
        return [WORD.sub(lambda word: fresh if word[0] == name else word[0], line) for line in block_lines]

    return _of_another_block(rng, named, least_tokens=1)


def another_number(rng: Random) -> Made | None:
    """Two blocks differ in their numbers alone, and the edit has numbers that neither has."""
    text = any_text(rng)
    found = block(text, rng, least=2, most=12)
    if not found or text.language not in DECLARE:
        return None
    block_lines = text.lines[found[0] : found[1]]
    pair = beside(text, found, _renumbered(block_lines, rng), rng)
    meant = _renumbered(block_lines, rng)
    lines_meant = (*pair.text.lines[: pair.first], *meant, *pair.text.lines[pair.last :])
    edit = true_edit(replace(pair.text, lines=lines_meant), rng, (pair.first, pair.last), least=2)
    absent = edit and edit.old not in pair.text.content  # the other block may have been given the same numbers
    return must_refuse(pair.text, (edit.old, edit.new)) if edit and absent and _differ(edit, pair.text, 1) else None


def _renumbered(block_lines: tuple[str, ...], rng: Random) -> list[str]:
    number = re.compile(r"(?<=[=(,:] |.[=(,])\d+(?![\w.])")
    return [number.sub(lambda found: str(int(found[0]) * 3 + rng.randint(11, 900)), line) for line in block_lines]


def absent(rng: Random) -> Made | None:
    """Cut from another file of the language, whose lines this one has nowhere."""
    text, other = any_text(rng), any_text(rng)
    if text.language != other.language and rng.random() < 0.9 and len(texts()[text.language]) > 1:
        return None
    edit = true_edit(other, rng, least=2)
    if not edit or text.name == other.name:
        return None
    here = {each for line in text.lines for each in (line.strip(), *tokens(line)) if len(each) > 3}
    old = [line for line in edit.old.split("\n") if line.strip()]
    words = [word for line in old for word in tokens(line) if len(word) > 3]
    strange = sum(word not in here for word in words)
    told = len(words) >= 4 and strange * 2 >= len(words)
    return must_refuse(text, (edit.old, edit.new)) if told and not any(line.strip() in here for line in old) else None


def too_short(rng: Random) -> Made | None:
    """A bracket, a keyword or a short name that stands in many places."""
    text = any_text(rng)
    line = rng.choice(text.lines)
    found = re.findall(r"\w{1,6}|[^\w\s]", line)
    if not found:
        return None
    old = rng.choice(found)
    return (
        must_refuse(text, (old, old + rng.choice((" + 1", "s", "_new", "()")))) if text.content.count(old) > 2 else None
    )


def too_short_and_absent(rng: Random) -> Made | None:
    """Such as `i + 2`, where the file has `i + 1` and more of the kind."""
    text = any_text(rng)
    number = str(rng.randint(2, 99))
    old = f"{rng.choice('ijknxyz')} {rng.choice('+-=*')} {number}"
    return must_refuse(text, (old, f"{old}0")) if old not in text.content and f" {number}" not in text.content else None


def part_stands_twice(rng: Random) -> Made | None:
    text = any_text(rng)
    found = list(parts.PART.finditer(rng.choice(text.lines)))
    if not found:
        return None
    match = rng.choice(found)
    old = match[0]
    twice = len(re.findall(rf"(?<![\w.]){re.escape(old)}(?![\w.])", text.content)) > 1
    return must_refuse(text, (old, match[1] + noun_like(match[2], rng))) if twice else None


def elided_and_fits_twice(rng: Random) -> Made | None:
    """Two blocks have the same head and the same tail, and only what is elided tells them apart."""
    text = any_text(rng)
    found = block(text, rng, least=7)
    twin = found and other_body(text, found, 2, rng, tail=2)
    if not found or not twin:
        return None
    pair = beside(text, found, twin, rng)
    edit = true_edit(pair.text, rng, (pair.first, pair.last), least=pair.size)
    if edit is None or edit.start != pair.first or len(edit.below) != len(pair.text.lines) - pair.last:
        return None
    last = len(edit.rows) - 2
    if not all(row.plain for row in edit.rows[2:last]):
        return None
    drifted = lines.elided(edit, 2, last, rng)
    return must_refuse(pair.text, (drifted.old, drifted.new))


def _twice(rng: Random) -> Edit | None:
    """An edit whose old text stands twice, with other results."""
    text = any_text(rng)
    found = block(text, rng, least=2)
    if not found:
        return None
    if rng.random() < 0.5:
        text = beside(text, found, text.lines[found[0] : found[1]], rng).text
    edit = true_edit(text, rng, found)
    return edit if edit and _places(edit) > 1 else None


def _places(edit: Edit) -> int:
    """Where the old text stands, counting only places with a result of their own."""
    whole = "\n".join(edit.text.lines)
    places = [found.start() for found in re.finditer(f"(?={re.escape(edit.old)})", whole)]
    return len({whole[:at] + edit.new + whole[at + len(edit.old) :] for at in places})


def _of_another_block(
    rng: Random,
    varied: Callable[[tuple[str, ...], Random], list[str] | None],
    least_tokens: int = 2,
    wrong_letters: int = 0,
) -> Made | None:
    """An edit of a varied block that the file does not have, while it has the block itself."""
    text = any_text(rng)
    found = block(text, rng) if text.language in DECLARE else None
    block_lines = found and varied(text.lines[found[0] : found[1]], rng)
    if not found or not block_lines:
        return None
    first, last = found
    meant = replace(text, lines=(*text.lines[:first], *block_lines, *text.lines[last:]))
    edit = true_edit(meant, rng, (first, last), least=2)
    if not edit or edit.start != first or not _differ(edit, text, least_tokens):
        return None
    drifted = letters.typos(wrong_letters)(edit, rng) if wrong_letters else edit
    return must_refuse(text, (drifted.old, drifted.new)) if drifted else None


def _differ(edit: Edit, text: Text, least: int) -> bool:
    """In lines that name this many tokens other than the file's."""
    here = text.lines[edit.start : len(text.lines) - len(edit.below)]
    meant = [row.file for row in edit.rows if row.file is not None]
    other = sum(
        a != b for mine, its in zip(meant, here, strict=True) for a, b in zip(tokens(mine), tokens(its), strict=True)
    )
    return other >= least


REFUSED: dict[str, Callable[[Random], Made | None]] = {
    "stands twice": stands_twice,
    "stands twice, one wrong letter": stands_twice_with_a_wrong_letter,
    "in both siblings": in_both_siblings,
    "only a sibling is there": only_a_sibling,
    "only a sibling is there, one wrong letter": only_a_sibling_with_a_wrong_letter,
    "another name": another_name,
    "another number": another_number,
    "absent": absent,
    "too short": too_short,
    "too short, and absent": too_short_and_absent,
    "part of a line that stands twice": part_stands_twice,
    "elided, and fits twice": elided_and_fits_twice,
}
