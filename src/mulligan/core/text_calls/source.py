"""The reply that is searched for calls, and the remaining budget of the search."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mulligan.core.call_formats import FLAGS, CallFormat, grammar_for
from mulligan.core.tool_calls.names import ignoring_form

_NAME = re.compile(r"[A-Za-z][\w.:-]{0,63}")
_READINGS = 6
"""How often the whole text may be read, on average. A genuine reply needs two or three."""


@dataclass(slots=True)
class CallSearch:
    text: str
    tool_names: Sequence[str]
    heads: list[tuple[CallFormat, re.Pattern[str]]] = field(init=False)
    """Beginnings of calls, by format."""
    budget: int = field(init=False)
    """Characters that may still be read. Text made to be read over and over exhausts it, so the time stays linear."""
    _found: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = field(
        init=False, default_factory=dict[re.Pattern[str], tuple[int, re.Match[str] | None]]
    )
    """For each pattern, where it was last searched from, and what was found."""

    def __post_init__(self) -> None:
        heads = grammar_for(tuple(self.tool_names)).heads
        self.heads = [(each, re.compile(head, FLAGS)) for each, head in heads]
        self.budget = _READINGS * len(self.text)

    def next(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The first match from here on. A distant or missing match is searched once, and not for each call."""
        since, found = self._found.get(pattern, (len(self.text) + 1, None))
        if not since <= at or (found and found.start() < at):
            found = pattern.search(self.text, at)
            self._found[pattern] = (at, found)
        return found

    def next_closing_tag(self, element: str, at: int) -> tuple[int, int] | None:
        """Start and end of the first `</element>` from here on."""
        tag = f"</{element}>"
        found = self.text.find(tag, at, at + self.budget)
        self.budget -= (found if found >= 0 else len(self.text)) - at
        return (found, found + len(tag)) if found >= 0 else None

    def tool(self, name: object, *, marked: bool) -> str | None:
        """The tool with that name, in any case and with any separators.

        A marked call counts even for a tool that doesn't exist: the model is told so. Otherwise typos are not
        corrected: prose is full of words that are nearly the name of a tool.
        """
        if not isinstance(name, str):
            return None
        known = name if name in self.tool_names else ignoring_form(name, self.tool_names)
        return known or (name if marked and _NAME.fullmatch(name) else None)
