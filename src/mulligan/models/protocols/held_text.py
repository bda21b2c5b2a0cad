"""Streams text until it looks like the start of a call; from there on it is held back."""

import re
from collections.abc import Sequence
from functools import lru_cache

from mulligan.core.call_formats import FENCE, FLAGS, beginnings, grammar_for
from mulligan.core.repetition import TextWatch

_BEGUN = r"""(?:
    <[\w|:｜▁]{0,40}+\s?+ | \[[A-Z_]{1,12}+ | [\[{][\[{\s]{0,80}+ (?:["']?+\w{0,14}+["']?+\s{0,80}+)?+
)"""


@lru_cache(maxsize=16)
def _patterns(tool_names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for the start of all that `core.text_calls` may read as a call, and for text that may become one."""
    grammar = grammar_for(tool_names)
    call = rf"""
        {grammar.opening}
      | {grammar.start}
      | ^[ \t]*+ {FENCE} [ \t]*+ (?:tool|function)
      | ^[ \t]*+ (?:{FENCE} [ \t]*+ [\w+-]*+ \s*+)?+ (?:{grammar.opening}|{grammar.start}|{grammar.bare})
    """
    words = beginnings(["Action: ", "functools", "commentary to=functions", *tool_names])
    perhaps = rf"""
        ^[ \t]{{0,80}}+ (?: [`~]{{1,16}}+ | (?:[`~]{{3,16}}+ [ \t]{{0,80}}+ [\w+-]{{0,16}}+ \s{{0,80}}+)? {_BEGUN}? ) \Z
      | ^[ \t]{{0,80}}+ Action:[ \t]{{0,8}}+[\w.]{{0,64}}+[ \t]{{0,8}}+ \Z
      | ^[ \t]{{0,80}}+ (?:[`~]{{3,16}}+\w{{0,16}}+\s{{0,80}}+)? \[?\s? (?:{words}) [(\[]?+ \s?+ \w{{0,64}}+ \s? \Z
      | {_BEGUN} \Z
    """
    return re.compile(call, FLAGS), re.compile(perhaps, FLAGS)


_MAX_HELD_CHARS = 512
"""No such text is longer, so no more is checked: this runs for every chunk."""
_CHECK_EVERY = 400
"""Characters between two checks for repetition in what is held."""


class HeldText:
    """The text of one reply, however the chunks are split."""

    def __init__(self, tool_names: Sequence[str] = ()) -> None:
        self._tool_names = tuple(tool_names)
        self._pieces: list[str] = []
        """All text so far."""
        self._released = 0
        self._size = 0
        self._tail: str = ""
        """What was not released, while it is undecided."""
        self._fresh_line: bool = True
        self._watch = TextWatch(code=True, every=_CHECK_EVERY)
        """Finds repetition in the held text."""
        self.held = False
        """A call may have started: nothing more is released before the end."""

    @property
    def whole(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    @property
    def undecided(self) -> bool:
        """Something is held back."""
        return self._released < self._size

    def feed(self, text: str) -> str:
        """Text that can be shown and was not shown yet."""
        self._pieces.append(text)
        self._size += len(text)
        if self.held:
            # A reply that repeats itself is cut off by the caller, so the caller must see it.
            return self.release() if self._watch.add(text) else ""
        # The character before the tail shows whether the tail starts a line.
        seen: str = ("\n" if self._fresh_line else "\0") + self._tail + text
        begun, perhaps = _patterns(self._tool_names)
        call = begun.search(seen, 1)
        undecided = call or perhaps.search(seen, max(1, len(seen) - _MAX_HELD_CHARS))
        self.held = call is not None
        cut = undecided.start() if undecided else len(seen)
        self._tail = seen[cut:]
        self._fresh_line = seen[cut - 1] == "\n"
        self._released += cut - 1
        return seen[1:cut]

    def release(self) -> str:
        """All that was held back."""
        rest = self.whole[self._released :]
        self.held, self._tail, self._released = False, "", self._size
        return rest

    def left_over(self, spans: Sequence[tuple[int, int]]) -> str:
        """What was held back outside of these spans."""
        left: list[str] = []
        at = self._released
        for start, end in spans:
            left.append(self.whole[at:start])
            at = max(at, end)
        left.append(self.whole[at:])
        return "".join(left).rstrip()
