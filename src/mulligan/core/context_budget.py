"""What fits into a model's context: how full it may get, how long a tool result may be, what to cut.

Tokens are estimated from characters, at the model's own rate if it was measured.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mulligan.core.images import image_tokens
from mulligan.types.frozen import frozen
from mulligan.types.model_io import (
    AssistantReply,
    ContextParts,
    ModelRequest,
    SentImage,
    SystemText,
    ToolReply,
    Usage,
    UserText,
    WireMessage,
)
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import ToolSpec

CHARS_PER_TOKEN = 3.5
"""If nothing was measured: code has fewer characters per token than prose, and a low guess is the safe one."""

ASSUMED_CONTEXT = 16_384
"""Tokens, if the model's context is unknown."""

FULL = 0.85
"""Share of the context at which it is compacted. The rest is for the reply, and for errors of the estimate."""

HIDDEN = "[This older result was hidden to save room. Call the tool again if you need it.]"

MIN_CUT_CHARS = 200
"""A shorter excerpt says nothing."""

CUT_NOTE = 100
"""Characters by which a cut text may exceed its limit."""


@frozen
class ContextBudget:
    """The size of one model's context."""

    context_length: int
    """Tokens."""
    chars_per_token: float = CHARS_PER_TOKEN

    @property
    def result_chars(self) -> int:
        """The longest tool result: a fifth of the context, so that several fit."""
        return int(self.context_length * self.chars_per_token / 5)

    def most_tokens(self, reply_tokens: int | None) -> int:
        """The longest request that leaves room for the reply, which may claim at most half of the context."""
        most = int(FULL * self.context_length)
        return max(self.context_length // 2, min(most, self.context_length - (reply_tokens or 0)))

    def tokens(self, messages: Iterable[WireMessage], tools: Sequence[ToolSpec]) -> int:
        return int((tools_length(tools) + sum(map(length, messages))) / self.chars_per_token)

    def is_full(self, messages: Iterable[WireMessage], tools: Sequence[ToolSpec], reply_tokens: int | None) -> bool:
        return self.tokens(messages, tools) > self.most_tokens(reply_tokens)

    def chars(self, tokens: float) -> int:
        return int(tokens * self.chars_per_token)


def chars_per_token(profile: ModelProfile) -> float:
    return profile.chars_per_token or CHARS_PER_TOKEN


def request_length(request: ModelRequest) -> int:
    """The size of a request, in characters."""
    return tools_length(request.tools) + sum(map(length, request.messages))


def tools_length(tools: Sequence[ToolSpec]) -> int:
    """The size of the tool descriptions, in characters."""
    return sum(len(tool.description) + len(json.dumps(tool.parameters)) + 60 for tool in tools)


def length(message: WireMessage) -> int:
    """The size of a message in a request, in characters."""
    match message:
        case AssistantReply(text, calls, reasoning):
            called = sum(len(call.name) + len(json.dumps(call.arguments)) + 40 for call in calls)
            return 20 + len(text) + len(reasoning) + called
        case UserText(text, images):
            return 20 + len(text) + images_length(images)
        case SystemText(text):
            return 20 + len(text)
        case ToolReply(_, name, text):
            return 40 + len(name) + len(text)


def images_length(images: Iterable[SentImage]) -> int:
    """The size of images, converted to characters."""
    return int(CHARS_PER_TOKEN * sum(image_tokens(each.about) for each in images))


def context_parts(request: ModelRequest, usage: Usage) -> ContextParts:
    """How an answered request's tokens are divided among its parts."""
    chars = {"system": 0, "tools": tools_length(request.tools), "files": 0, "history": 0, "images": 0}
    for message in request.messages:
        match message:
            case SystemText():
                what = "system"
            case ToolReply():
                what = "files"
            case _:
                what = "history"
        chars[what] += length(message)
        if isinstance(message, UserText) and message.images:
            seen = images_length(message.images)
            chars["images"] += seen
            chars["history"] -= seen
    whole = sum(chars.values()) or 1
    shares = {what: usage.prompt_tokens * count // whole for what, count in chars.items()}
    # The remainder of the division, so that the parts add up.
    shares["history"] += usage.prompt_tokens - sum(shares.values())
    return ContextParts(**shares, reply=usage.completion_tokens)


def clip_result(content: str, limit: int) -> str:
    """A tool result cut to fit: its beginning and end, and how much is missing between them."""
    if len(content) <= limit:
        return content
    head, tail = limit * 3 // 4, limit // 8
    missing = len(content) - head - tail
    note = f"\n[… {missing} characters left out to save room: ask for a smaller part …]\n"
    return content[:head] + note + content[-tail:]


def common_limit(lengths: Iterable[int], total: int) -> int | None:
    """The length to which texts are cut to fit together. None if they already fit."""
    waiting = sorted(lengths)
    if sum(waiting) <= total:
        return None
    while waiting and waiting[0] + CUT_NOTE <= total // len(waiting):
        total -= waiting.pop(0)
    return max(MIN_CUT_CHARS, total // len(waiting) - CUT_NOTE) if waiting else None


def squeeze(messages: Sequence[WireMessage], budget: ContextBudget, reply_tokens: int | None) -> list[WireMessage]:
    """The messages of a final request: tool results are cut so that it fits."""
    left = budget.chars(budget.most_tokens(reply_tokens)) - sum(map(length, messages))
    results = [len(message.text) for message in messages if isinstance(message, ToolReply)]
    limit = common_limit(results, sum(results) + left) if left < 0 else None
    if limit is None:
        return list(messages)
    return [
        replace(message, text=clip_result(message.text, limit)) if isinstance(message, ToolReply) else message
        for message in messages
    ]
