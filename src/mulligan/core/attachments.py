"""What a person's message names and a model is given with it: which words name something, and how much of it fits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.context_budget import ContextBudget
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.types.messages import Attached

MOST_MENTIONS = 20
"""Of one message."""
ROOM = 24_000
"""Characters of all that is attached to a message, where the model's context is not known."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_MENTION = re.compile(r"""(?<![\w@./"'-])@(?:"([^"\n]{1,300})"(:\d[\d-]*)?|([^\s@"'`<>()\[\]{}|,;]{1,300}))""")
_LINES = re.compile(r":(\d{1,7})(?:-(\d{1,7}))?$")
_SYMBOL = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_BEGUN = re.compile(r"""(?<![\w@./"'-])@"?([^\s@"'`<>()|,;]{0,300})$""")
_BARE = re.compile(r"""[^\s@"'`<>()\[\]{}|,;]+""")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name behind an `@`."""

    written: str
    """With the `@`, the lines and what else belongs to it."""
    name: str
    first: int | None = None
    last: int | None = None

    @property
    def may_be_symbol(self) -> bool:
        return self.first is None and _SYMBOL.fullmatch(self.name) is not None


@dataclass(frozen=True, slots=True)
class Attachment:
    about: Attached
    text: str = ""
    """What the model is given; nothing where there is a problem."""
    excerpt: Excerpt | None = None
    """The lines themselves, where it is some of a file."""


def find_mentions(text: str) -> tuple[Mention, ...]:
    """The names behind an `@`, each once, in their order. Code, addresses of e-mail and the like hold none."""
    found: dict[str, Mention] = {}
    prose = _CODE.sub(lambda code: " " * len(code[0]), text)
    for match in _MENTION.finditer(prose):
        quoted, lines, bare = match.groups()
        name = (quoted or bare.rstrip(".:!?")) + (lines or "")
        place = _LINES.search(name)
        first = int(place[1]) if place else None
        last = int(place[2] or place[1]) if place else None
        written = f'@"{quoted}"{lines or ""}' if quoted else f"@{name}"
        if place:
            name = name[: place.start()]
        if name:
            found.setdefault(written, Mention(written, name, first, last))
    return tuple(found.values())[:MOST_MENTIONS]


def begun_mention(text: str) -> str | None:
    """The name that somebody is about to write at the end of a text; None where they write none."""
    match = _BEGUN.search(text)
    return match[1] if match else None


def mention_of(name: str) -> str:
    """How a name is written so that it is read as one."""
    return f"@{name}" if _BARE.fullmatch(name) and name[-1] not in ".:!?" else f'@"{name}"'


def room_of_each(budget: ContextBudget | None, count: int) -> int:
    """Characters for each of this many attachments: one gets what a tool's result may take, all of them twice that."""
    longest = budget.result_chars if budget else ROOM
    return min(longest, 2 * longest // max(1, count))


def last_that_fits(lines: Sequence[str], first: int, last: int, room: int) -> int:
    """The number of the last line that there is room for; the first is shown in any case."""
    for number in range(first, last + 1):
        room -= len(lines[number - 1]) + 8
        if room < 0:
            return max(first, number - 1)
    return last


def best_paths(paths: Sequence[str], begun: str, limit: int) -> list[str]:
    """The paths that somebody may mean who has begun to write one: by the file's name first, short ones first."""
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
