"""How servers say that a prompt is too long for the model's context, and what they tell along with it. Pure."""

import re
from dataclasses import dataclass
from typing import Any

from mulligan.runtime.lenient_json import as_count, as_object, as_text

_ABOUT_LENGTH = re.compile(
    r"context[ _](?:length|size|window)|exceed_context|prompt is too long|too many (?:input |prompt )?tokens",
    re.IGNORECASE,
)
_LIMITS = (
    re.compile(r"maximum context length (?:is|of) (\d+)", re.IGNORECASE),
    re.compile(r"context (?:length|size|window)\D{0,24}?(\d{3,})", re.IGNORECASE),
    re.compile(r"> ?(\d{3,}) maximum"),
)
_COUNTS = (
    re.compile(r"(\d+) in the (?:messages|prompt)"),
    re.compile(r"(?:resulted in|request has|request \(|too long:|keep the first) ?(\d+)", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class LengthRefused:
    context_length: int | None
    """Tokens there are, if it said so."""
    prompt_tokens: int | None
    """Tokens that it counted in the prompt, if it said so."""


def read_refusal(said: str, error: Any) -> LengthRefused | None:
    """What a refusal tells of the length. None if it is about something else."""
    fields = as_object(error)
    words = f"{said} {as_text(fields.get('type'))} {as_text(fields.get('code'))}"
    if not _ABOUT_LENGTH.search(words):
        return None
    return LengthRefused(
        as_count(fields.get("n_ctx")) or _first(_LIMITS, said),
        as_count(fields.get("n_prompt_tokens")) or _first(_COUNTS, said),
    )


def _first(patterns: tuple[re.Pattern[str], ...], said: str) -> int | None:
    found = (pattern.search(said) for pattern in patterns)
    return next((as_count(int(match[1])) or None for match in found if match), None)
