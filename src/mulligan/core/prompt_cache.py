"""A server's prompt cache: which slot a chat uses, whether the cache stopped helping, and what changed before that."""

import hashlib
from collections.abc import Collection

from mulligan.types.model_io import ModelRequest, SystemText, Usage, UserText

DROP = 0.25
"""Share of the prompt. A long tool result at the end of the next request lowers the cached share too, but less than a
prompt that has to be read again."""


def slot_for(request: ModelRequest, slots: int | None, busy: Collection[int] = ()) -> int | None:
    """The slot of a llama.cpp server for this chat. None: the server chooses.

    By itself the server takes the slot with the most similar beginning. All chats begin alike, so they would evict each
    other from one slot while the others stay empty. The number is computed from the chat's beginning, so a later
    command finds its slot again. A busy slot would mean waiting.
    """
    if not slots or slots < 2:
        return None
    begins = [each.text for each in request.messages[:2] if isinstance(each, SystemText | UserText)]
    slot = hashlib.sha256("\n".join(begins).encode("utf-8", "replace")).digest()[0] % slots
    return None if slot in busy else slot


def cached_share(usage: Usage) -> float:
    """The share of the prompt that the server did not have to read, from 0 to 1."""
    return min(1.0, usage.cached_tokens / usage.prompt_tokens) if usage.prompt_tokens else 0.0


def cache_drop(before: tuple[ModelRequest, Usage], now: tuple[ModelRequest, Usage]) -> str | None:
    """Why less of a later request was cached. None if it was about as much, or if the prompt's common beginning was
    read from the cache anyway."""
    (earlier, used), (later, uses) = before, now
    if not used.cached_tokens or uses.cached_tokens >= used.cached_tokens:
        return None
    if cached_share(used) - cached_share(uses) < DROP:
        return None
    return what_changed(earlier, later)


def what_changed(before: ModelRequest, now: ModelRequest) -> str:
    """The first difference, in the order of the prompt, between two requests of one turn."""
    if before.tools != now.tools:
        return "other tools are offered"
    if before.schema != now.schema:
        return "the reply is forced into another schema"
    pairs = enumerate(zip(before.messages, now.messages, strict=False))
    index = next((index for index, (one, other) in pairs if one != other), min(len(before.messages), len(now.messages)))
    if index >= len(before.messages):
        return "nothing in the request; the server dropped its cache, or another request came in between"
    if isinstance(before.messages[index], SystemText):
        return "the system prompt"
    if index == len(before.messages) - 1:
        return "the note at the end of the last request is gone"
    return f"the history from message {index + 1} on, as compaction does"
