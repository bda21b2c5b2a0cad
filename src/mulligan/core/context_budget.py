"""What fits into a model's context: how long a tool result may be, and which old results are hidden when it gets full.

Tokens are reckoned from characters, at the model's own rate where it was measured.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mulligan.types.model_io import AssistantReply, SystemText, ToolReply, UserText, WireMessage
from mulligan.types.tool_calls import ToolSpec

CHARS_PER_TOKEN = 3.5
"""Where nothing was measured: code has fewer characters a token than prose, and a guess too low is the safe one."""

FULL = 0.85
"""The share of the context at which old results are hidden. The rest is for the reply."""

KEPT_RESULTS = 40_000
"""Tokens of the newest results that are never hidden; less in a small context."""

HIDDEN = "[This older result was hidden to save room. Call the tool again if you need it.]"


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """The room there is, in a model's own terms."""

    context_length: int
    """Tokens."""
    chars_per_token: float = CHARS_PER_TOKEN

    @property
    def result_chars(self) -> int:
        """The longest tool result: a fifth of the context, so that several fit beside each other."""
        return int(self.context_length * self.chars_per_token / 5)

    def tokens(self, messages: Sequence[WireMessage], tools: Sequence[ToolSpec]) -> int:
        described = sum(len(tool.description) + len(json.dumps(tool.parameters)) + 60 for tool in tools)
        return int((described + sum(map(_length, messages))) / self.chars_per_token)


def clip_result(content: str, limit: int) -> str:
    """A tool result that fits: its head and its tail, and how much is missing between them."""
    if len(content) <= limit:
        return content
    head, tail = limit * 3 // 4, limit // 8
    missing = len(content) - head - tail
    note = f"\n[… {missing} characters left out to save room: ask for a smaller part …]\n"
    return content[:head] + note + content[-tail:]


def hide_old_results(
    messages: Sequence[WireMessage], tools: Sequence[ToolSpec], budget: ContextBudget
) -> list[WireMessage] | None:
    """The messages with old tool results hidden, or None if they fit as they are or nothing would be gained.

    Everything but the newest results is hidden at once: hiding a little at each step would break the server's prompt
    cache every time.
    """
    if budget.tokens(messages, tools) <= FULL * budget.context_length:
        return None
    room = min(KEPT_RESULTS, budget.context_length // 4) * budget.chars_per_token
    shown: list[WireMessage] = []
    for message in reversed(messages):
        if isinstance(message, ToolReply):
            room -= len(message.text)
            if room < 0 and len(message.text) > len(HIDDEN) and _shows_a_result(shown):
                message = replace(message, text=HIDDEN)  # noqa: PLW2901 - the hidden one stands in its place
        shown.append(message)
    shown.reverse()
    return shown if shown != list(messages) else None


def _shows_a_result(messages: Sequence[WireMessage]) -> bool:
    """Whether a result is among them: the newest is always kept, or the model would call for it again."""
    return any(isinstance(message, ToolReply) for message in messages)


def _length(message: WireMessage) -> int:
    match message:
        case AssistantReply(text, calls):
            return 20 + len(text) + sum(len(call.name) + len(json.dumps(call.arguments)) + 40 for call in calls)
        case SystemText(text) | UserText(text):
            return 20 + len(text)
        case ToolReply(_, name, text):
            return 40 + len(name) + len(text)
