"""Loops: the same calls over and over, and replies that repeat their own text.

A repeat is only a loop if nothing moved in between: the same call with another result, or after the work tree or the
staged edits changed, is honest work (running the tests again after an edit, polling a job).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.types.tool_calls import JsonObject

MAX_CYCLE = 5


@dataclass(frozen=True, slots=True)
class CallRecord:
    """What the guard remembers of one call. Two equal records mean that nothing changed between them."""

    name: str
    arguments: str
    """Canonical."""
    result: str
    """Masked: without what differs from run to run by itself."""
    epoch: int
    """How often the work tree or the staged edits had changed before the call."""


@dataclass(frozen=True, slots=True)
class Loop:
    calls: tuple[str, ...]
    """One round, by tool name."""
    rounds: int


@dataclass(frozen=True, slots=True)
class RepeatedText:
    unit: str
    """What is repeated."""
    count: int
    kept: str
    """The text up to and including the unit's first appearance."""


def call_record(name: str, arguments: JsonObject, result: str, epoch: int) -> CallRecord:
    return CallRecord(name, canonical(arguments), mask_volatile(result), epoch)


def canonical(arguments: JsonObject) -> str:
    """The same text for arguments that mean the same, in whatever order they were given."""
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def settle(calls: Sequence[CallRecord]) -> tuple[CallRecord, ...]:
    """The calls of one step as the history keeps them: they ran side by side, so order and duplicates mean nothing."""
    return tuple(sorted(set(calls), key=lambda call: (call.name, call.arguments, call.result, call.epoch)))


def detect_loop(history: Sequence[CallRecord]) -> Loop | None:
    """The loop that the history ends in, if it does: shortest round first."""
    for cycle in range(1, MAX_CYCLE + 1):
        rounds = _rounds_allowed(cycle)
        tail = history[-cycle * rounds :]
        if len(tail) == cycle * rounds and all(tail[i] == tail[i % cycle] for i in range(len(tail))):
            return Loop(tuple(call.name for call in tail[:cycle]), rounds)
    return None


def mask_volatile(text: str) -> str:
    """The text with durations, dates, times, pids and addresses blanked out."""
    for pattern, mask in _VOLATILE:
        text = pattern.sub(mask, text)
    return text


def find_repeated_text(text: str, *, code: bool = False) -> RepeatedText | None:
    """The sentence or block that the text ends in saying over and over, if it does.

    Cheap enough to be asked while a reply streams. Short or wordless units (rules, zeros, table borders) must go on for
    much longer than sentences. So must code, which repeats itself honestly: rows of a table, cases of a switch.
    """
    code = code or text.count("```") % 2 == 1
    exact = _periodic_tail(text, text[-_WINDOW:])
    if exact and _is_too_much(exact, count=20 if code else 4, length=1_200 if code else 160):
        return exact
    if not code:
        # A numbered list of one and the same sentence. Other numbers tell honest lines apart: mod1.py, mod2.py.
        counted = _periodic_tail(text, _without_ordinals(text))
        if counted and _is_too_much(counted, count=8, length=400):
            return counted
    return None


def _rounds_allowed(cycle: int) -> int:
    return 3 if cycle <= 2 else 2


# A unit longer than a quarter of this is no longer seen as repeating; that is a page of text.
_WINDOW = 12_000
_PROBE = 40

_WORD = re.compile(r"[^\W\d_]{2,}")
_ORDINAL = re.compile(r"(?m)(?<=^)\d+(?=[.):])")


def _without_ordinals(text: str) -> str:
    """The window, with the numbers that lines begin with as zeros. Only its own lines are looked through: this is asked
    again and again while a text grows."""
    offset = max(0, len(text) - _WINDOW)
    line = text.rfind("\n", 0, offset) + 1
    return _ORDINAL.sub(lambda found: "0" * len(found[0]), text[line:])[offset - line :]


def _periodic_tail(text: str, window: str) -> RepeatedText | None:
    """What the text's window, or a masked form of it, ends in repeating."""
    offset = len(text) - len(window)
    if len(window) < 2 * _PROBE:
        return None
    # The last place where the text's own ending stood before gives the period; the rest is comparing slices.
    end = len(window)
    before = window.rfind(window[-_PROBE:], 0, end - 1)
    if before < 0:
        return None
    period = end - _PROBE - before
    start = end - period
    while start >= period and window[start - period : start] == window[start : start + period]:
        start -= period
    while start > 0 and window[start - 1] == window[start - 1 + period]:
        start -= 1
    first = offset + start
    return RepeatedText(
        unit=text[first : first + period].strip(),
        count=(end - start) // period,
        kept=text[: _sentence_end(text, first + period)].rstrip(),
    )


def _sentence_end(text: str, end: int) -> int:
    """The end moved over a full stop that belongs to the sentence before it."""
    while end < len(text) and not (text[end].isalnum() or text[end].isspace()):
        end += 1
    return end


def _is_too_much(repeated: RepeatedText, *, count: int, length: int) -> bool:
    if len(_WORD.findall(repeated.unit)) < 4:
        count, length = max(count, 40), max(length, 600)
    return repeated.count >= count and len(repeated.unit) * repeated.count >= length


_VOLATILE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"), "<date>"),
    (re.compile(r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
    (re.compile(r"\b0x[0-9a-fA-F]{4,}\b"), "<address>"),
    (re.compile(r"\b(pid|process|tid|thread)([ =:#]+)\d+", re.IGNORECASE), r"\1\2<pid>"),
    (re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|minutes?|min|m|h)\b"), "<duration>"),
)
