"""A line with all that is known about the place where it stands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.program_repair.sites.line_context import LineContext
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.syntax.line_tokens import CodeLine

Pitfall = tuple[float, re.Pattern[str], str]
"""How likely it is that it was not meant, how it looks, and what was meant."""


@dataclass(frozen=True, slots=True)
class LineSite:
    path: str
    code: CodeLine
    lines: Sequence[str]
    line: int
    """Counted from 1."""
    around: LineContext
    vocabulary: ProjectWords

    @property
    def text(self) -> str:
        """The line without what is written about it."""
        return self.code.text(0, len(self.code.tokens))

    @property
    def above(self) -> str:
        """The line before that is not empty."""
        return next((row.strip() for row in reversed(self.lines[: self.line - 1]) if row.strip()), "")

    @property
    def below(self) -> str:
        return next((row.strip() for row in self.lines[self.line :] if row.strip()), "")


def pitfall_table(*rows: tuple[float, str, str]) -> tuple[Pitfall, ...]:
    return tuple((weight, re.compile(pattern), meant) for weight, pattern, meant in rows)


def apply_pitfall(text: str, pitfalls: Sequence[Pitfall]) -> Iterator[tuple[float, str]]:
    """The text with one of them fixed in one place."""
    for weight, pattern, meant in pitfalls:
        for found in pattern.finditer(text):
            yield weight, f"{text[: found.start()]}{found.expand(meant)}{text[found.end() :]}"
