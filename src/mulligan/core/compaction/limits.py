"""How much a request may contain, and how large the parts of a conversation are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from mulligan.core.context_budget import CUT_NOTE, MIN_CUT_CHARS, ContextBudget, common_limit, length, tools_length
from mulligan.core.payload import (
    LAST_STEP,
    SUMMARY_BEGINS,
    SUMMARY_ENDS,
    HistoryPosition,
    Unit,
    View,
    shown_parts,
    unit_messages,
)
from mulligan.core.provenance import Ledger, ledger_of, show_ledger, split_ledger, write_ledger
from mulligan.types.messages import Part, Text, ToolCallPart, ToolResultPart
from mulligan.types.model_io import SystemText, UserText, WireMessage
from mulligan.types.tool_calls import ToolSpec

MAX_SUMMARY_TOKENS, MIN_SUMMARY_TOKENS = 4_000, 150
"""Tokens, without the ledger."""

SUMMARY_SHARE = 0.3
"""A summary's share of the context that system text and tools leave."""

LEDGER_SHARE = 0.1
"""Share of the context: a longer list of files is shown as folders with counts."""


@dataclass(frozen=True, slots=True)
class RequestFrame:
    """Everything in a request except the conversation, and the request's limits."""

    system: str
    tools: tuple[ToolSpec, ...]
    budget: ContextBudget
    reply_tokens: int | None = None
    note: str = ""
    """A note that only the next request contains."""

    def tokens(self, messages: Sequence[WireMessage]) -> int:
        return self.budget.tokens(messages, self.tools)

    def is_full(self, messages: Sequence[WireMessage]) -> bool:
        return self.budget.is_full([*messages, UserText(self.note)], self.tools, self.reply_tokens)

    @property
    def char_limit(self) -> int:
        """Characters for the conversation."""
        fixed = length(SystemText(self.system)) + length(UserText(self.note)) + tools_length(self.tools)
        return self.budget.chars(self.budget.most_tokens(self.reply_tokens)) - fixed

    @property
    def ledger_chars(self) -> int:
        return self.budget.chars(LEDGER_SHARE * self.budget.context_length)

    @property
    def summary_chars(self) -> int:
        """The longest summary, without the ledger."""
        shortest, longest = self.budget.chars(MIN_SUMMARY_TOKENS), self.budget.chars(MAX_SUMMARY_TOKENS)
        return max(shortest, min(longest, int(SUMMARY_SHARE * self.char_limit)))

    def chars_beside_summary(self, ledger: Ledger) -> int:
        """Characters for units that are kept unchanged. The later ledger may have fewer files and yet be longer: a list
        that is too long is shown as folders, one that just fits is not."""
        around = len(SUMMARY_BEGINS) + len(SUMMARY_ENDS) + 30
        shown, whole = len(show_ledger(ledger, self.ledger_chars)), len(write_ledger(ledger))
        return self.char_limit - self.summary_chars - max(shown, min(whole, self.ledger_chars)) - around


def size_of(unit: Unit, view: View) -> int:
    """Characters that a unit takes in a request."""
    return sum(map(length, unit_messages(unit, view)))


def known_ledger(units: Sequence[Unit], view: View) -> Ledger:
    """All files read and changed so far: from the summary, and from the units after it."""
    before = split_ledger(view.summary)[1] if view.summary else Ledger()
    return before | ledger_of(part for unit in units if unit.position > view.covered for part in unit.parts)


@dataclass(frozen=True, slots=True)
class CutPoint:
    """A position up to which everything is dropped."""

    through: HistoryPosition
    gone: int
    """How many uncovered units are dropped."""
    gone_size: int
    """Characters."""
    answered: Unit | None
    """The message that the cut turn answers. It stays."""
    size: int
    """Characters that stay, including the message."""


@dataclass(frozen=True, slots=True)
class TextLimits:
    """Characters to which longer texts are cut."""

    step_chars: int | None = None
    prompt_chars: int | None = None


UNCUT = TextLimits()


def possible_cuts(units: Sequence[Unit], view: View) -> list[CutPoint]:
    """Before a user message, or after a step; the cut that keeps most comes first, the last one keeps no step.

    Not between a message and its first step: that equals a cut before the message.
    """
    live = [unit for unit in units if unit.position > view.covered]
    sizes = [size_of(unit, view) for unit in live]
    total, gone = sum(sizes), 0
    answered = next((unit for unit in reversed(units) if unit.prompt and unit.position <= view.covered), None)
    cuts: list[CutPoint] = []
    for index, unit in enumerate(live):
        gone += sizes[index]
        if unit.prompt:
            answered = unit
        seq, step = unit.position
        if index + 1 < len(live) and live[index + 1].prompt:
            cuts.append(CutPoint((seq, LAST_STEP), index + 1, gone, None, total - gone))
        elif step > 0 and answered:
            cuts.append(CutPoint((seq, step), index + 1, gone, answered, total - gone + size_of(answered, view)))
    return cuts


def limits_for(units: Sequence[Unit], view: View, char_limit: int) -> TextLimits | None:
    """How far the texts of these units must be cut to fit together. None if cutting is not enough.

    The user's messages may take half of the limit before they are cut.
    """
    prompts = sum(size_of(unit, view) for unit in units if unit.prompt)
    steps = sum(size_of(unit, view) for unit in units if not unit.prompt)
    for_prompts = min(prompts, max(char_limit - steps, char_limit // 2 if steps else char_limit))
    prompt_chars = _limit([unit for unit in units if unit.prompt], view, prompts, for_prompts)
    step_chars = _limit([unit for unit in units if not unit.prompt], view, steps, char_limit - for_prompts)
    if 0 in (prompt_chars, step_chars):
        return None
    return TextLimits(step_chars, prompt_chars)


def _limit(units: Sequence[Unit], view: View, size: int, char_limit: int) -> int | None:
    """None: they fit. 0: they can't be made to fit."""
    if size <= char_limit:
        return None
    texts = [len(text) for unit in units for text in _texts(shown_parts(unit, view))]
    left = char_limit - (size - sum(texts))
    if left < len(texts) * (MIN_CUT_CHARS + CUT_NOTE):
        return 0
    return common_limit(texts, left)


def _texts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        match part:
            case Text(text=text):
                yield text
            case ToolResultPart(content=content):
                yield content
            case ToolCallPart(arguments=arguments):
                yield from _strings(arguments)
            case _:
                pass


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in cast("dict[str, Any]", value).values():
                yield from _strings(each)
        case list():
            for each in cast("list[Any]", value):
                yield from _strings(each)
        case _:
            pass
