"""How much a request may hold, and what is known of a conversation's size."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.context_budget import ContextBudget, length, tools_length
from mulligan.core.payload import SUMMARY_BEGINS, SUMMARY_ENDS, Unit, View, unit_messages
from mulligan.core.provenance import Ledger, ledger_of, show_ledger, split_ledger, write_ledger
from mulligan.types.model_io import SystemText, UserText, WireMessage
from mulligan.types.tool_calls import ToolSpec

LONGEST_SUMMARY, SHORTEST_SUMMARY = 4_000, 150
"""Tokens, without the ledger."""

SUMMARY_SHARE = 0.3
"""Of the room beside system text and tools, what a summary may take."""

LEDGER_SHARE = 0.1
"""Of the context: a longer list of files is shown as folders with counts."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a request holds beside the conversation, and how long it may be."""

    system: str
    tools: tuple[ToolSpec, ...]
    budget: ContextBudget
    reply_tokens: int | None = None
    note: str = ""
    """What only the next request carries."""

    def tokens(self, messages: Sequence[WireMessage]) -> int:
        return self.budget.tokens(messages, self.tools)

    def is_full(self, messages: Sequence[WireMessage]) -> bool:
        return self.budget.is_full([*messages, UserText(self.note)], self.tools, self.reply_tokens)

    @property
    def room(self) -> int:
        """Characters for the conversation."""
        fixed = length(SystemText(self.system)) + length(UserText(self.note)) + tools_length(self.tools)
        return self.budget.chars(self.budget.most_tokens(self.reply_tokens)) - fixed

    @property
    def ledger_chars(self) -> int:
        return self.budget.chars(LEDGER_SHARE * self.budget.context_length)

    @property
    def summary_chars(self) -> int:
        """The longest summary, without the ledger."""
        shortest, longest = self.budget.chars(SHORTEST_SUMMARY), self.budget.chars(LONGEST_SUMMARY)
        return max(shortest, min(longest, int(SUMMARY_SHARE * self.room)))

    def room_beside_summary(self, ledger: Ledger) -> int:
        """Characters for what is kept as it is. The ledger may be of fewer files than this one, when the time comes,
        and then be longer: a list that is too long is shown as folders, one that just fits is not."""
        around = len(SUMMARY_BEGINS) + len(SUMMARY_ENDS) + 30
        shown, whole = len(show_ledger(ledger, self.ledger_chars)), len(write_ledger(ledger))
        return self.room - self.summary_chars - max(shown, min(whole, self.ledger_chars)) - around


def size_of(unit: Unit, view: View) -> int:
    """Characters that a unit takes in a request."""
    return sum(map(length, unit_messages(unit, view)))


def known_ledger(units: Sequence[Unit], view: View) -> Ledger:
    """All that was read and changed so far: by the summary, and by these units where it does not cover them."""
    before = split_ledger(view.summary)[1] if view.summary else Ledger()
    return before | ledger_of(part for unit in units if unit.place > view.covered for part in unit.parts)
