"""Edits that people make: a name, a number, a line more, a line less, a condition around some lines."""

import re
from collections.abc import Callable, Sequence
from random import Random

from bench.edits.draft import Row, context
from bench.edits.sources import Source

Change = Callable[[Sequence[Row], Source, Random], list[Row] | None]

NAMES = (
    "pending", "cursor", "limit", "handler", "buffer", "retries", "payload", "parent", "window", "entry", "deadline",
    "snapshot", "session", "ledger", "anchor", "visitor", "offset_hint", "chunk", "registry", "outcome",
)  # fmt: skip

COMMON_WORDS = frozenset((
    "and", "the", "for", "not", "class", "def", "return", "import", "from", "self", "None", "True", "False", "elif",
    "else", "while", "with", "void", "const", "static", "int", "char", "function", "public", "private", "type",
    "struct", "func", "let", "mut", "impl", "match", "string", "String", "this", "new", "end", "then", "local",
    "echo", "case", "when", "select", "SELECT", "WHERE", "FROM", "JOIN", "CREATE", "VIEW", "extern", "typedef",
    "include", "define", "ifdef", "endif",
))  # fmt: skip
"""Nobody would give these another name."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
STRING = re.compile(r"(?<=\")[A-Za-z][\w .,:/]*(?=\")|(?<=')[A-Za-z][\w .,:/]*(?=')")
CLOSING = re.compile(r"\s*(?:[)\]}]|end\b|fi\b|done\b|esac\b|;;|else\b|elif\b|except\b|#?endif\b)")
OPERATORS = {"==": "!=", "!=": "==", "<=": "<", ">=": ">", " < ": " <= ", " > ": " >= ", " + ": " - ", "&&": "||"}


def changed(rows: Sequence[Row], source: Source, rng: Random) -> tuple[Row, ...] | None:
    """The rows after one to three changes; None if the span offers no place for them."""
    edited = list(rows)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        following = rng.choice(CHANGES)(edited, source, rng)
        if following is None:
            return None
        edited = following
    new = [row.new for row in edited if row.new is not None]
    return tuple(edited) if any(line.strip() for line in new) else None


def renamed(rows: Sequence[Row], _source: Source, rng: Random) -> list[Row] | None:
    names = [name for place in context(rows) for name in names_in(rows[place].old or "")]
    if not names:
        return None
    name = re.compile(rf"\b{rng.choice(names)}\b")
    return _rewritten(rows, rng, name, lambda _: f"{rng.choice(NAMES)}_{rng.choice('abcdefgh')}")


def renamed_throughout(rows: Sequence[Row], _source: Source, rng: Random) -> list[Row] | None:
    names = [name for place in context(rows) for name in names_in(rows[place].old or "")]
    if not names:
        return None
    name, new = re.compile(rf"\b{rng.choice(names)}\b"), rng.choice(NAMES)
    return [Row(row.old, name.sub(new, row.new)) if row.new is not None else row for row in rows]


def number_changed(rows: Sequence[Row], _source: Source, rng: Random) -> list[Row] | None:
    return _rewritten(rows, rng, NUMBER, lambda number: str(int(number) + rng.randint(1, 60)))


def string_changed(rows: Sequence[Row], _source: Source, rng: Random) -> list[Row] | None:
    return _rewritten(rows, rng, STRING, lambda text: f"{text} {rng.choice(NAMES)}")


def operator_changed(rows: Sequence[Row], _source: Source, rng: Random) -> list[Row] | None:
    operators = re.compile("|".join(map(re.escape, OPERATORS)))
    return _rewritten(rows, rng, operators, OPERATORS.__getitem__)


def lines_inserted(rows: Sequence[Row], source: Source, rng: Random) -> list[Row] | None:
    """New lines, as deep as the line that they come before; that line does not close a block."""
    place = rng.randint(0, len(rows))
    near = rows[place] if place < len(rows) else rows[-1]
    if near.new is None or not near.new.strip() or CLOSING.match(near.new):
        return None
    added = _addition(source, rng, near.new)
    return [*rows[:place], *(Row(None, line) for line in added), *rows[place:]]


def line_deleted(rows: Sequence[Row], _source: Source, rng: Random) -> list[Row] | None:
    places = context(rows)
    if len(places) < 3:
        return None
    place = rng.choice(places)
    return [*rows[:place], Row(rows[place].old, None), *rows[place + 1 :]]


def line_replaced(rows: Sequence[Row], source: Source, rng: Random) -> list[Row] | None:
    places = context(rows)
    if len(places) < 2:
        return None
    place = rng.choice(places)
    old = rows[place].old or ""
    first, *more = _addition(source, rng, old)
    return [*rows[:place], Row(old, first), *(Row(None, line) for line in more), *rows[place + 1 :]]


def lines_wrapped(rows: Sequence[Row], source: Source, rng: Random) -> list[Row] | None:
    """A condition around one to four lines of code, which move in by a level."""
    guard = source.language.guard
    start = rng.randrange(len(rows))
    end = min(len(rows), start + rng.randint(1, 4))
    inner = rows[start:end]
    if not guard or any(not row.new or not row.new.strip() for row in inner):
        return None
    lead = _lead(inner[0].new or "")
    if any(not (row.new or "").startswith(lead) or source.language.is_comment(row.new or "") for row in inner):
        return None
    opening, closing = (part.format(name=rng.choice(NAMES), number=rng.randint(2, 90)) for part in guard)
    level = _level(lead, source) if source.language.guard_moves_in else ""
    moved = [Row(row.old, lead + level + (row.new or "").removeprefix(lead)) for row in inner]
    ending = [Row(None, lead + closing)] if closing else []
    return [*rows[:start], Row(None, lead + opening), *moved, *ending, *rows[end:]]


def names_in(line: str) -> list[str]:
    return [name for name in NAME.findall(line) if name not in COMMON_WORDS]


CHANGES: tuple[Change, ...] = (
    renamed, renamed, renamed_throughout, number_changed, string_changed, operator_changed, lines_inserted,
    lines_inserted, line_deleted, line_replaced, lines_wrapped,
)  # fmt: skip


def _rewritten(
    rows: Sequence[Row], rng: Random, wanted: re.Pattern[str], rewrite: Callable[[str], str]
) -> list[Row] | None:
    """One match of the pattern, in one line, rewritten."""
    found = [(place, match) for place in context(rows) for match in wanted.finditer(rows[place].old or "")]
    if not found:
        return None
    place, match = rng.choice(found)
    line = rows[place].old or ""
    new = line[: match.start()] + rewrite(match[0]) + line[match.end() :]
    return [*rows[:place], Row(line, new), *rows[place + 1 :]]


def _addition(source: Source, rng: Random, near: str) -> list[str]:
    """Lines that fit beside the given one: among comments a comment, else code, as deep."""
    lead, name = _lead(near), rng.choice(NAMES)
    if source.language.is_comment(near):
        words = f"the {name} comes first, then the {rng.choice(NAMES)}"
        return [lead + (f"* {words}" if near.lstrip().startswith("*") else source.language.comment.format(words))]
    text = rng.choice(source.language.additions).format(name=name, number=rng.randint(2, 90))
    return [lead + _deep(line, _level(lead, source)) for line in text.split("\n")]


def _deep(line: str, level: str) -> str:
    inner = line.lstrip("\t")
    return level * (len(line) - len(inner)) + inner


def _level(lead: str, source: Source) -> str:
    """One level more, of what the lines around have: some files mix tabs and spaces."""
    if not lead:
        return source.indent
    if set(lead) == {" "} and source.indent == "\t":
        return "    "
    return "\t" if lead[-1] == "\t" else source.indent


def _lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
