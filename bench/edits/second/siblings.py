"""Blocks that stand beside a similar one: the same lines with other names and numbers."""

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from bench.edits.second.texts import WORD, Text, indent_of, rebased
from bench.edits.second.truth import noun_like

KEYWORDS = frozenset(
    {
        *keyword.kwlist, "self", "this", "function", "const", "static", "public", "private", "protected", "final",
        "void", "return", "func", "type", "struct", "impl", "interface", "export", "select", "insert", "create",
        "table", "index", "where", "values", "null", "not", "string", "number", "char", "int", "long", "true", "false",
        "name", "runs", "steps", "uses", "default", "class", "section", "html", "define", "ifdef", "endif", "double",
        "throws", "extern", "unsigned", "override", "async", "await", "into", "update", "order", "group", "unique",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """A text with a block from `first` to `last` and, right below or above, its sibling."""

    text: Text
    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first


def block(text: Text, rng: Random, least: int = 4, most: int = 25) -> tuple[int, int] | None:
    """From a line after a blank one to where the indentation returns, or to the next blank line."""
    starts = [at for at, line in enumerate(text.lines) if line.strip() and (at == 0 or not text.lines[at - 1].strip())]
    first = rng.choice(starts)
    depth = len(indent_of(text.lines[first]))
    last = first + 1
    nested = last < len(text.lines) and len(indent_of(text.lines[last])) > depth
    while last < len(text.lines):
        line = text.lines[last]
        if not line.strip():
            if not nested:
                break
        elif nested and len(indent_of(line)) <= depth:
            last += line.strip()[0] in ")}]" or line.strip().startswith(("</", "end"))
            break
        last += 1
    while last > first and not text.lines[last - 1].strip():
        last -= 1
    return (first, last) if least <= last - first <= most else None


def renamed(lines: Sequence[str], rng: Random) -> list[str] | None:
    """The name in the first line, one more and the first number are others."""
    names = defined(lines[0])
    inner = [word for line in lines[1:] for word in WORD.findall(line) if len(word) > 3]
    inner = [word for word in inner if word.lower() not in KEYWORDS and word not in names]
    if not names or not inner:
        return None
    fresh: dict[str, str] = {}
    for word in (rng.choice(names), rng.choice(inner)):
        fresh[word] = noun_like(word, rng)
    if len(set(fresh.values())) < 2:
        return None
    text = WORD.sub(lambda word: fresh.get(word[0], word[0]), "\n".join(lines))
    return other_number(text, rng).split("\n")


def defined(line: str) -> list[str]:
    """The names that a line which is no comment gives to something."""
    if re.match(r"\s*([#*@<]|//|/\*|--)", line):
        return []
    return [word for word in re.findall(r"(\w{4,})\s*[(:={<]", line) if word.lower() not in KEYWORDS]


def other_number(text: str, rng: Random) -> str:
    return re.sub(r"(?<![\w.])\d+(?![\w.])", lambda found: str(int(found[0]) + rng.randint(11, 480)), text, count=1)


def paired(text: Text, rng: Random) -> Pair | None:
    """A text whose block has got a sibling."""
    found = block(text, rng)
    lines = found and renamed(text.lines[found[0] : found[1]], rng)
    return beside(text, found, lines, rng) if found and lines else None


def beside(text: Text, found: tuple[int, int], lines: Sequence[str], rng: Random) -> Pair:
    """These lines put above or below the block."""
    first, last = found
    size = len(lines) + 1
    if rng.random() < 0.5:
        whole = (*text.lines[:first], *lines, "", *text.lines[first:])
        return Pair(replace(text, lines=whole), first + size, last + size)
    whole = (*text.lines[:last], "", *lines, *text.lines[last:])
    return Pair(replace(text, lines=whole), first, last)


def other_body(text: Text, found: tuple[int, int], keep: int, rng: Random, tail: int = 0) -> list[str] | None:
    """A block with this one's first lines, perhaps its last ones too, and what another block has in between."""
    first, last = found
    other = block(text, rng)
    if other is None or (other[0] < last and first < other[1]):
        return None
    inner = [line for line in text.lines[other[0] + 1 : other[1] - 1] if line.strip()]
    body = rebased(inner, indent_of(text.lines[first + keep])) if len(inner) >= 2 else None
    end = text.lines[last - tail : last] if tail else ()
    return [*text.lines[first : first + keep], *body, *end] if body else None
