"""The reply that is searched for calls, and how much of the search is left."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mulligan.core.call_formats import FLAGS, CallFormat, grammar_for
from mulligan.core.tool_calls.names import ignoring_form

_NAME = re.compile(r"[A-Za-z][\w.:-]{0,63}")
_READINGS = 6
"""So often may the whole text be read over, on average. An honest reply needs two or three."""


@dataclass(slots=True)
class CallSearch:
    text: str
    tool_names: Sequence[str]
    heads: list[tuple[CallFormat, re.Pattern[str]]] = field(init=False)
    """What calls begin with, by their formats."""
    budget: int = field(init=False)
    """Characters that may still be read. Text made to be read over and over runs out of it: the time stays linear."""
    _found: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = field(
        init=False, default_factory=dict[re.Pattern[str], tuple[int, re.Match[str] | None]]
    )
    """For each pattern from where it was looked for last, and what was found."""

    def __post_init__(self) -> None:
        heads = grammar_for(tuple(self.tool_names)).heads
        self.heads = [(each, re.compile(head, FLAGS)) for each, head in heads]
        self.budget = _READINGS * len(self.text)

    def next(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The first match from here on. What stands far ahead, or nowhere, is looked for once and not at each call."""
        since, found = self._found.get(pattern, (len(self.text) + 1, None))
        if not since <= at or (found and found.start() < at):
            found = pattern.search(self.text, at)
            self._found[pattern] = (at, found)
        return found

    def next_closing_tag(self, element: str, at: int) -> tuple[int, int] | None:
        """Where the first `</element>` from here on begins and ends."""
        tag = f"</{element}>"
        found = self.text.find(tag, at, at + self.budget)
        self.budget -= (found if found >= 0 else len(self.text)) - at
        return (found, found + len(tag)) if found >= 0 else None

    def tool(self, name: object, *, marked: bool) -> str | None:
        """The tool of that name, in whatever case and with whatever separators it is written.

        What is marked as a call is one even of a tool that doesn't exist: the model is told so. Else a typo is not
        fixed: prose is full of words that are nearly the name of a tool.
        """
        if not isinstance(name, str):
            return None
        known = name if name in self.tool_names else ignoring_form(name, self.tool_names)
        return known or (name if marked and _NAME.fullmatch(name) else None)
