"""Mentions in the user's message: which words name something to attach, and how much of it fits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.context_budget import ContextBudget
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.types.messages import AttachmentInfo

MAX_MENTIONS = 20
"""Most mentions in one message."""
MAX_CHARS = 24_000
"""Characters for all attachments of a message if the model's context length is not known."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_MENTION = re.compile(r"""(?<![\w@./"'-])@(?:"([^"\n]{1,300})"(:\d[\d-]*)?|([^\s@"'`<>()\[\]{}|,;]{1,300}))""")
_LINES = re.compile(r":(\d{1,7})(?:-(\d{1,7}))?$")
_SYMBOL = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_BEGUN = re.compile(r"""(?<![\w@./"'-])@"?([^\s@"'`<>()|,;]{0,300})$""")
_BARE = re.compile(r"""[^\s@"'`<>()\[\]{}|,;]+""")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name after an `@`."""

    written: str
    """The whole mention: `@`, quotes, line numbers."""
    name: str
    first: int | None = None
    last: int | None = None

    @property
    def may_be_symbol(self) -> bool:
        return self.first is None and _SYMBOL.fullmatch(self.name) is not None


@dataclass(frozen=True, slots=True)
class AttachedText:
    about: AttachmentInfo
    text: str = ""
    """What the model gets; empty if there is a problem."""
    excerpt: Excerpt | None = None
    """The lines, if part of a file is attached."""


def find_mentions(text: str) -> tuple[Mention, ...]:
    """The names after an `@`, each once, in order. Code and e-mail addresses don't count."""
    found: dict[str, Mention] = {}
    prose = _CODE.sub(lambda code: " " * len(code[0]), text)
    for match in _MENTION.finditer(prose):
        quoted, lines, plain = match.groups()
        name = (quoted or plain.rstrip(".:!?")) + (lines or "")
        line_numbers = _LINES.search(name)
        first = int(line_numbers[1]) if line_numbers else None
        last = int(line_numbers[2] or line_numbers[1]) if line_numbers else None
        written = f'@"{quoted}"{lines or ""}' if quoted else f"@{name}"
        if line_numbers:
            name = name[: line_numbers.start()]
        if name:
            found.setdefault(written, Mention(written, name, first, last))
    return tuple(found.values())[:MAX_MENTIONS]


def begun_mention(text: str) -> str | None:
    """The mention being typed at the end of a text; None if there is none."""
    match = _BEGUN.search(text)
    return match[1] if match else None


def mention_of(name: str) -> str:
    """A name as a mention, in quotes if needed."""
    return f"@{name}" if _BARE.fullmatch(name) and name[-1] not in ".:!?" else f'@"{name}"'


def chars_of_each(budget: ContextBudget | None, count: int) -> int:
    """Characters for each of `count` attachments: one may take as much as a tool result, all together twice that."""
    longest = budget.result_chars if budget else MAX_CHARS
    return min(longest, 2 * longest // max(1, count))


def last_that_fits(lines: Sequence[str], first: int, last: int, char_limit: int) -> int:
    """The last line number that fits; the first line is always shown."""
    for number in range(first, last + 1):
        char_limit -= len(lines[number - 1]) + 8
        if char_limit < 0:
            return max(first, number - 1)
    return last


def best_paths(paths: Sequence[str], begun: str, limit: int) -> list[str]:
    """Completions for a partly typed path: matches in the file's name first, short paths first."""
    wanted = begun.lower()
    ranked: list[tuple[int, int, str]] = []
    for path in paths:
        low = path.lower()
        if wanted not in low:
            continue
        name = low.rstrip("/").rpartition("/")[2]
        rank = 0 if low.startswith(wanted) else 1 if name.startswith(wanted) else 2 if wanted in name else 3
        ranked.append((rank, len(path), path))
    return [path for _, _, path in sorted(ranked)[:limit]]
