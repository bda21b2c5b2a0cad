"""True edits: which lines of a text they change, and into what. Drifts change only how that is written."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from bench.edits.second.texts import WORD, Text, borrowed, indent_of, tokens

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 40)

NOUNS = (
    "amount", "banner", "cursor", "delivery", "engine", "folder", "garden", "handle", "island", "journal", "kernel",
    "ledger", "margin", "notice", "orchard", "packet", "quota", "receipt", "shelter", "ticket", "updraft", "vendor",
    "window", "yield_rate", "zone",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A line in the file, a line as it must be afterwards, and how the model writes them. None: no such line."""

    file: str | None
    want: str | None
    old: str | None
    new: str | None

    @property
    def kept(self) -> bool:
        return self.file is not None and self.file == self.want

    @property
    def plain(self) -> bool:
        """Kept, and nothing has drifted yet."""
        return self.kept and self.file == self.old == self.new


@dataclass(frozen=True, slots=True)
class Edit:
    text: Text
    start: int
    rows: tuple[Row, ...]
    damage: int = 0
    """Tokens that are no longer those of the file."""

    @property
    def above(self) -> tuple[str, ...]:
        return self.text.lines[: self.start]

    @property
    def below(self) -> tuple[str, ...]:
        return self.text.lines[self.start + sum(row.file is not None for row in self.rows) :]

    @property
    def wanted(self) -> list[str]:
        return [row.want for row in self.rows if row.want is not None]

    @property
    def old(self) -> str:
        return "\n".join(row.old for row in self.rows if row.old is not None)

    @property
    def new(self) -> str:
        return "\n".join(row.new for row in self.rows if row.new is not None)

    def with_damage(self, more: int) -> "Edit":
        return replace(self, damage=self.damage + more)

    def with_rows(self, rows: Sequence[Row], damage: int = 0) -> "Edit":
        return replace(self, rows=tuple(rows), damage=self.damage + damage)


def kept(line: str) -> Row:
    return Row(line, line, line, line)


def changed(line: str, into: str) -> Row:
    return Row(line, into, line, into)


def inserted(line: str) -> Row:
    return Row(None, line, None, line)


def deleted(line: str) -> Row:
    return Row(line, None, line, None)


def true_edit(text: Text, rng: Random, within: tuple[int, int] | None = None, least: int = 1) -> Edit | None:
    first, last = within or (0, len(text.lines))
    size = min(rng.choice([size for size in SIZES if size >= least]), last - first)
    if size < least:
        return None
    start = rng.randint(first, last - size)
    lines = text.lines[start : start + size]
    if not (lines[0].strip() and lines[-1].strip()):
        return None
    rows = rng.choice(CHANGES)(text, lines, rng)
    if rows is None or not any(row.new for row in rows) or [row.file for row in rows] == [row.want for row in rows]:
        return None
    edit = Edit(text, start, tuple(rows))
    return edit if WORD.search(edit.old) else None


def others_are_far(edit: Edit) -> bool:
    """Whether every other place of the file differs from what the edit names by clearly more than the drift does."""
    at = {line: place for place, (line, _) in enumerate(edit.text.solid)}
    survived: list[tuple[int, Counter[str]]] = []
    line = edit.start
    for row in edit.rows:
        if row.file is not None:
            if row.old is not None and row.file.strip():
                survived.append((at[line], Counter(tokens(row.file))))
            line += 1
    need = 2 * edit.damage + 2 if edit.damage else 1
    reach = len(edit.text.solid)
    for shift in range(-survived[0][0] if survived else 0, reach - (survived[-1][0] if survived else reach)):
        if shift and _cost(survived, edit.text, shift, need) < need:
            return False
    return bool(survived)


def _cost(survived: Sequence[tuple[int, Counter[str]]], text: Text, shift: int, enough: int) -> int:
    cost = 0
    for place, mine in survived:
        theirs = Counter(text.solid[place + shift][1])
        cost += (mine - theirs).total() + (theirs - mine).total()
        if cost >= enough:
            break
    return cost


Change = Callable[[Text, Sequence[str], Random], list[Row] | None]


def _one_line(
    lines: Sequence[str], rng: Random, pattern: str, into: Callable[[re.Match[str]], str]
) -> list[Row] | None:
    found = [(at, match) for at, line in enumerate(lines) for match in re.finditer(pattern, line)]
    if not found:
        return None
    place, match = rng.choice(found)
    line = lines[place]
    fresh = line[: match.start()] + into(match) + line[match.end() :]
    return [changed(each, fresh) if at == place else kept(each) for at, each in enumerate(lines)]


def _word(_text: Text, lines: Sequence[str], rng: Random) -> list[Row] | None:
    return _one_line(lines, rng, r"\b[^\W\d_]\w{2,}\b", lambda found: noun_like(found[0], rng))


def _number(_text: Text, lines: Sequence[str], rng: Random) -> list[Row] | None:
    return _one_line(lines, rng, r"(?<![\w.])\d+(?![\w.])", lambda found: str(int(found[0]) * 2 + rng.randint(1, 90)))


def _string(_text: Text, lines: Sequence[str], rng: Random) -> list[Row] | None:
    return _one_line(lines, rng, r"""(?<=["'])[\w /.-]{2,30}(?=["'])""", lambda _: " ".join(rng.sample(NOUNS, 2)))


def _argument(_text: Text, lines: Sequence[str], rng: Random) -> list[Row] | None:
    return _one_line(lines, rng, r"(?<=\w\()[^()]+(?=\))", lambda found: f"{found[0]}, {rng.choice(NOUNS)}")


def _insert(text: Text, lines: Sequence[str], rng: Random) -> list[Row] | None:
    place = rng.randint(0, len(lines))
    fresh = borrowed(text, indent_of(lines[max(0, place - 1)]), rng.choice((1, 1, 2, 3, 5, 8)), rng)
    rows = [kept(line) for line in lines]
    return None if fresh is None else [*rows[:place], *map(inserted, fresh), *rows[place:]]


def _delete(_text: Text, lines: Sequence[str], rng: Random) -> list[Row] | None:
    if len(lines) < 2:
        return None
    first = rng.randrange(len(lines))
    last = rng.randint(first + 1, len(lines))
    return [deleted(line) if first <= at < last else kept(line) for at, line in enumerate(lines)]


def _replace(text: Text, lines: Sequence[str], rng: Random) -> list[Row] | None:
    first = rng.randrange(len(lines))
    last = rng.randint(first + 1, len(lines))
    fresh = borrowed(text, indent_of(lines[first]), rng.choice((1, 2, 3, 5, 8, 12)), rng)
    if fresh is None:
        return None
    gone = [deleted(line) for line in lines[first:last]]
    return [*map(kept, lines[:first]), *gone, *map(inserted, fresh), *map(kept, lines[last:])]


CHANGES: tuple[Change, ...] = (_word, _number, _string, _argument, _insert, _insert, _delete, _replace)


def noun_like(word: str, rng: Random) -> str:
    """Another word, cased as this one."""
    fresh = rng.choice([noun for noun in NOUNS if noun != word.lower()])
    if word.isupper():
        return fresh.upper()
    return fresh.title() if word[0].isupper() else fresh
