"""Loops: repeated calls, and replies that repeat their own text.

A repeat is only a loop if nothing changed in between: the same call with another result, or after the work tree or the
staged edits changed, is real work (running the tests again after an edit, polling a job).
"""

import json
import re
from bisect import bisect_left
from collections.abc import Sequence

from mulligan.runtime.late_pattern import late_pattern
from mulligan.types.frozen import frozen
from mulligan.types.tool_calls import JsonObject

MAX_CYCLE = 5


@frozen
class CallRecord:
    """What the guard remembers about one call. Two equal records mean that nothing changed between them."""

    name: str
    arguments: str
    """Canonical."""
    result: str
    """Masked: without what differs between runs anyway."""
    state: str
    """The project's state before the call, by content."""


@frozen
class Loop:
    calls: tuple[str, ...]
    """One round, by tool name."""
    rounds: int


@frozen
class RepeatedText:
    unit: str
    """What is repeated."""
    count: int
    kept: str
    """The text up to and including the unit's first appearance."""


def call_record(name: str, arguments: JsonObject, result: str, state: str) -> CallRecord:
    return CallRecord(name, canonical(arguments), mask_volatile(result), state)


def canonical(arguments: JsonObject) -> str:
    """The same text for equivalent arguments, in any order."""
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def settle(calls: Sequence[CallRecord]) -> tuple[CallRecord, ...]:
    """The calls of one step for the history: they ran in parallel, so order and duplicates mean nothing."""
    return tuple(sorted(set(calls), key=lambda call: (call.name, call.arguments, call.result, call.state)))


def detect_loop(history: Sequence[CallRecord]) -> Loop | None:
    """The loop at the end of the history, if any: shortest round first."""
    for cycle in range(1, MAX_CYCLE + 1):
        rounds = _rounds_allowed(cycle)
        tail = history[-cycle * rounds :]
        if len(tail) == cycle * rounds and all(tail[i] == tail[i % cycle] for i in range(len(tail))):
            return Loop(tuple(call.name for call in tail[:cycle]), rounds)
    return None


def mask_volatile(text: str) -> str:
    """The text with durations, dates, times, pids and addresses masked."""
    for pattern, mask in _VOLATILE:
        text = pattern.sub(mask, text)
    return text


def find_repeated_text(text: str, *, code: bool = False) -> RepeatedText | None:
    """The sentence or block that the end of the text repeats, if any.

    Short or wordless units (rules, zeros, table borders) must repeat for much longer than sentences. So must code,
    which repeats itself legitimately: rows of a table, cases of a switch.
    """
    found = _repeating(text[-_REACH:], code=code or text.count(_FENCE) % 2 == 1)
    return _repeated_text(found, text) if found else None


class TextWatch:
    """A growing text, checked at intervals. A check costs the same, however long the text is."""

    def __init__(self, *, code: bool = False, every: int = 80) -> None:
        """Checked after every `every` characters."""
        self._code = code
        self._every = every
        self._pieces: list[str] = []
        self._fresh: list[str] = []
        """Text since the last check."""
        self._unseen = 0
        self._tail = ""
        self._fences = 0
        self._ticks = 0
        """Backticks at the end that may become a fence."""

    def add(self, text: str) -> RepeatedText | None:
        """What the text has started to repeat, if it was checked now."""
        self._pieces.append(text)
        self._fresh.append(text)
        self._unseen += len(text)
        return self._look() if self._unseen >= self._every else None

    def whole(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def _look(self) -> RepeatedText | None:
        fresh = "".join(self._fresh)
        self._fresh, self._unseen = [], 0
        self._tail = (self._tail + fresh)[-_REACH:]
        fresh = "`" * self._ticks + fresh
        self._fences += fresh.count(_FENCE)
        self._ticks = (len(fresh) - len(fresh.rstrip("`"))) % len(_FENCE)
        found = _repeating(self._tail, code=self._code or self._fences % 2 == 1)
        return _repeated_text(found, self.whole()) if found else None


def _rounds_allowed(cycle: int) -> int:
    return 3 if cycle <= 2 else 2


# A unit longer than a quarter of this, a page of text, is not recognised as repeating.
_WINDOW = 12_000
_REACH = _WINDOW + 1_000
"""The window, and the line that it starts in."""
_PROBE = 40
_FENCE = "```"

_WORD = late_pattern(r"[^\W\d_]{2,}")
_ORDINAL = late_pattern(r"\n\d+(?=[.):])")


@frozen
class _Period:
    """What the end of a text repeats, measured from the end."""

    back: int
    """How many characters before the end it begins."""
    length: int
    count: int


def _repeating(tail: str, *, code: bool) -> _Period | None:
    """What the end of a text repeats too often. The tail is all of the text that is checked."""
    exact = _period(tail[-_WINDOW:])
    if exact and _is_too_much(exact, tail, count=20 if code else 4, length=1_200 if code else 160):
        return exact
    if not code:
        # A numbered list of the same sentence. Other numbers make lines different: mod1.py, mod2.py.
        counted = _period(_without_ordinals(tail))
        if counted and _is_too_much(counted, tail, count=8, length=400):
            return counted
    return None


def _without_ordinals(tail: str) -> str:
    """The window, with the numbers at line starts replaced by zeros."""
    offset = max(0, len(tail) - _WINDOW)
    line = tail.rfind("\n", 0, offset) + 1
    # With a line break in front a line is found ten times as fast as by `^`, and this runs while a reply streams.
    masked = _ORDINAL.sub(lambda found: "\n".ljust(len(found[0]), "0"), f"\n{tail[line:]}")
    return masked[offset - line + 1 :]


def _period(window: str) -> _Period | None:
    if len(window) < 2 * _PROBE:
        return None
    # The period is the distance to the last earlier occurrence of the text's own ending. Bisection finds how far back
    # it holds: if this many characters equal those one period later, any fewer at the end do as well.
    end = len(window)
    before = window.rfind(window[-_PROBE:], 0, end - 1)
    if before < 0:
        return None
    period = end - _PROBE - before
    same = bisect_left(
        range(1, end - period + 1),
        1,
        key=lambda size: window[end - period - size : end - period] != window[end - size :],
    )
    return _Period(same + period, period, (same + period) // period)


def _repeated_text(found: _Period, text: str) -> RepeatedText:
    first = len(text) - found.back
    return RepeatedText(
        unit=text[first : first + found.length].strip(),
        count=found.count,
        kept=text[: _sentence_end(text, first + found.length)].rstrip(),
    )


def _sentence_end(text: str, end: int) -> int:
    """The end moved past a full stop that belongs to the sentence before it."""
    while end < len(text) and not (text[end].isalnum() or text[end].isspace()):
        end += 1
    return end


def _is_too_much(found: _Period, tail: str, *, count: int, length: int) -> bool:
    first = len(tail) - found.back
    unit = tail[first : first + found.length].strip()
    if len(_WORD.findall(unit)) < 4:
        count, length = max(count, 40), max(length, 600)
    return found.count >= count and len(unit) * found.count >= length


_VOLATILE: tuple[tuple[re.Pattern[str], str], ...] = (
    (late_pattern(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"), "<date>"),
    (late_pattern(r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
    (late_pattern(r"\b0x[0-9a-fA-F]{4,}\b"), "<address>"),
    (late_pattern(r"\b(pid|process|tid|thread)([ =:#]+)\d+", re.IGNORECASE), r"\1\2<pid>"),
    (late_pattern(r"\b\d+(?:[.,]\d+)?\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|minutes?|min|m|h)\b"), "<duration>"),
)
