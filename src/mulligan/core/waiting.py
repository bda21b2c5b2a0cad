"""How long to wait for a model server, and how much of a prompt it reports to have read."""

from typing import Literal

from mulligan.core.context_budget import CHARS_PER_TOKEN, chars_per_token, request_length
from mulligan.types.frozen import frozen
from mulligan.types.model_io import ModelRequest, PromptProgress
from mulligan.types.profiles import ModelProfile

UNKNOWN_SPEED = 20.0
"""Tokens a second if nothing was measured: a model of several billion parameters on a laptop without a GPU."""
SLACK = 3.0
"""Times the expected time: a long prompt is read more slowly towards its end, and the model may have to be loaded."""
MIN_SILENCE_SECONDS = 360.0
"""A server that reads for five minutes without output is not lost yet."""
MAX_SILENCE_SECONDS = 3600.0
"""Users who need more set it; otherwise a hanging server would keep them waiting for half a day."""


@frozen
class WaitLimit:
    """How long to wait, for what, and which setting changes it."""

    seconds: float
    awaited: str
    setting: Literal["first_token_timeout", "idle_timeout"]


@frozen
class WaitLimits:
    """The limits of one reply. Any progress restarts them."""

    first: WaitLimit
    """Until the reply begins."""
    next: WaitLimit
    """From then on."""


def wait_limits(
    request: ModelRequest, profile: ModelProfile | None, *, idle_timeout: float, first_token_timeout: float | None
) -> WaitLimits:
    """The user's setting for the first token; else what a slow machine needs, and never less than later on."""
    prompt_tokens = round(request_length(request) / (chars_per_token(profile) if profile else CHARS_PER_TOKEN))
    expected = first_token_seconds(prompt_tokens, profile.reads_per_second if profile else None)
    first = first_token_timeout or max(expected, idle_timeout)
    awaited = f"the first token of the reply to a prompt of about {prompt_tokens:,} tokens"
    return WaitLimits(
        WaitLimit(first, awaited, "first_token_timeout"),
        WaitLimit(idle_timeout, "the next token of the reply", "idle_timeout"),
    )


def first_token_seconds(prompt_tokens: int, reads_per_second: float | None) -> float:
    """How long a server without progress reports may read a prompt of this length."""
    expected = prompt_tokens / (reads_per_second or UNKNOWN_SPEED)
    return min(max(expected * SLACK, MIN_SILENCE_SECONDS), MAX_SILENCE_SECONDS)


def seconds_left(progress: PromptProgress) -> float | None:
    """Until the prompt is read, at the speed so far. None if the server reported no time, or has read nothing yet."""
    fresh = progress.processed - progress.cached
    if fresh <= 0 or progress.seconds <= 0:
        return None
    return max(0, progress.total - progress.processed) * progress.seconds / fresh
