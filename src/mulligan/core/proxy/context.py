"""Prompts that do not fit: reported in time, or shortened if the client wants that."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mulligan.core.context_budget import HIDDEN, chars_per_token
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import JsonObject

STRIDE = 8
"""How many old results to hide at a time: hiding them one by one would change the prompt's beginning with each request,
and the server would read all of it again."""
KEPT = 4
"""The newest results are never hidden."""
MIN_HIDDEN_CHARS = 400
"""Hiding a shorter result saves nothing."""
_IMAGE = re.compile(r"data:[\w/+.-]{1,80};base64,[A-Za-z0-9+/=]{100,}")


@dataclass(frozen=True, slots=True)
class TooLong:
    tokens: int
    """An estimate, without the server's tokenizer."""
    limit: int


def too_long(body: str, profile: ModelProfile | None) -> TooLong | None:
    """Whether the server would silently cut this prompt. One that refuses it is left to do so."""
    limit = profile.truncates_at if profile else None
    if profile is None or limit is None:
        return None
    tokens = int(len(_IMAGE.sub("", body)) / chars_per_token(profile))
    return TooLong(tokens, limit) if tokens > limit else None


def hide_old_results(messages: Sequence[Any], excess: int) -> list[Any]:
    """The messages with old tool results hidden, oldest first, until this many characters are saved or none is left."""
    indexes = [index for index, message in enumerate(messages) if _hideable(message)]
    hidden = list(messages)
    saved = 0
    for count, index in enumerate(indexes[: max(0, len(indexes) - KEPT)], start=1):
        message: JsonObject = hidden[index]
        saved += len(message["content"]) - len(HIDDEN)
        hidden[index] = {**message, "content": HIDDEN}
        if saved >= excess and count % STRIDE == 0:
            break
    return hidden


def _hideable(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("role") != "tool":  # pyright: ignore[reportUnknownMemberType]  # of JSON
        return False
    content: Any = message.get("content")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # of JSON
    return isinstance(content, str) and len(content) > MIN_HIDDEN_CHARS
