"""How full the model's context is after a chat's last turn."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.types.messages import Message, TurnMeta
from mulligan.types.model_io import ContextParts
from mulligan.types.sentinels import Compacted


@dataclass(frozen=True, slots=True)
class ContextUse:
    tokens: int
    length: int | None
    parts: ContextParts | None
    estimated: bool = False
    """A compaction has changed the count since the server reported it."""


def context_use(turns: Sequence[Message]) -> ContextUse | None:
    """The context use of the last request, minus what a compaction has freed since."""
    freed = 0
    for message in reversed(turns):
        meta = message.metadata
        if isinstance(meta, Compacted) and meta.asked_for:
            freed += max(0, meta.tokens_before - meta.tokens_after)
        if isinstance(meta, TurnMeta) and meta.context_tokens:
            return _after_compaction(meta, freed)
    return None


def _after_compaction(meta: TurnMeta, freed: int) -> ContextUse:
    parts = meta.context_parts
    if not freed:
        return ContextUse(meta.context_tokens, meta.context_length, parts)
    tokens = max(0, meta.context_tokens - freed)
    if parts is not None:
        # The last reply is history now. Compaction removes results first, then messages.
        files = max(0, parts.files - freed)
        fixed = parts.system + parts.tools + parts.images
        tokens = max(tokens, fixed)
        files = min(files, tokens - fixed)
        parts = parts.model_copy(update={"files": files, "history": tokens - fixed - files, "reply": 0})
    return ContextUse(tokens, meta.context_length, parts, estimated=True)
