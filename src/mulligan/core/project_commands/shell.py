"""Parses simple shell commands, changes them, and joins them again."""

import re
from dataclasses import dataclass, field

_SAFE = re.compile(r"[A-Za-z0-9@%+=:,./_^-]+")
_PIECE = r"""(?:[^\s'"\\$`&|;<>(){}*?\[\]#~!]|'[^']*'|"[^"$`\\!]*"|(?<=\S)[~#])"""
_GLOBBED = r"""(?:[^\s'"\\$`&|;<>()#~!]|'[^']*'|"[^"$`\\!]*"|(?<=\S)[~#])"""
_VALUE = r"""(?:[^\s'"\\`&|;<>()]|'[^']*'|"[^"`\\]*")"""
_SIMPLE = re.compile(
    rf"\s*(?P<folder>cd\s+(?P<where>{_PIECE}+)\s*&&\s*)?"
    rf"(?P<built>(?:cmake(?:[ \t]+{_PIECE}+)+[ \t]*&&\s*)*)(?P<assignments>(?:[A-Za-z_]\w*={_VALUE}*\s+)*)"
    rf"(?P<words>{_GLOBBED}+(?:[ \t]+{_GLOBBED}+)*)\s*"
)
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")

MAX_COMMAND_CHARS = 2_000
"""A longer command is not handwritten, and is not parsed."""


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """`cd folder && cmake … && NAME=value program arguments`, the beginnings optional."""

    words: tuple[str, ...]
    """The program and its arguments, as written."""
    folder: str = ""
    """The folder that it enters first."""
    start: str = ""
    """Everything before the program, as written."""
    texts: tuple[str, ...] = field(init=False)
    """The words without their quotes."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(_unquoted(word) for word in self.words))

    def with_words(self, words: list[str], *, assigned: str = "") -> str:
        return self.start + assigned + " ".join(words)


def read_simple(command: str) -> SimpleCommand | None:
    """None for anything more than a simple command, or if a word is known only when it runs."""
    match = _SIMPLE.fullmatch(command) if len(command) <= MAX_COMMAND_CHARS else None
    if not match:
        return None
    words = tuple(word.group() for word in re.finditer(rf"{_GLOBBED}+", match["words"]))
    return SimpleCommand(
        words, _unquoted(match["where"] or ""), (match["folder"] or "") + match["built"] + match["assignments"]
    )


def quote(text: str) -> str:
    """As one word that a shell takes literally."""
    if _SAFE.fullmatch(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def _unquoted(word: str) -> str:
    return _QUOTED.sub(lambda match: match[1] if match[1] is not None else match[2], word)
