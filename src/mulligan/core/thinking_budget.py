"""How long a model may think before it has to answer, and the request if it does not."""

from dataclasses import replace

from mulligan.types.frozen import frozen
from mulligan.types.model_io import ModelRequest, UserText
from mulligan.types.profiles import ModelProfile

THINKING_SECONDS = 300.0
"""How long the user waits for thoughts, at the model's measured speed."""
MIN_TOKENS = 1_024
"""A slow model needs room for a thought too."""
MAX_TOKENS = 16_384
"""For a fast model, and for one whose speed was not measured."""
CONTEXT_SHARE = 0.5
"""Share of the context that thoughts may take: the prompt and the answer need the rest."""
CHARS_PER_THOUGHT_TOKEN = 4.0
"""For thoughts, which are prose. They are counted while they stream, before the server reports a count."""
SERVER_SLACK = 1.5
"""A server that was given the budget counts better than we do. This is for one that ignores it."""
THOUGHTS_KEPT = 2_000
"""Characters of the newest thoughts that go back with the question. The model's conclusions are at their end."""


@frozen
class ThinkingBudget:
    tokens: int
    reason: str
    """Where the number comes from, for the user. Empty if the user set it."""


def thinking_budget(wanted: int | None, profile: ModelProfile | None) -> ThinkingBudget:
    """The user's setting; else what the model thinks in some minutes at its own speed."""
    if wanted is not None:
        return ThinkingBudget(wanted, "")
    speed = profile.writes_per_second if profile else None
    if speed:
        tokens = round(min(max(speed * THINKING_SECONDS, MIN_TOKENS), MAX_TOKENS))
        reason = f"{THINKING_SECONDS / 60:.0f} minutes at {speed:g} tokens a second"
    else:
        tokens, reason = MAX_TOKENS, "its speed was not measured"
    context_length = (profile.context_length if profile else None) or 0
    if context_length and tokens > context_length * CONTEXT_SHARE:
        return ThinkingBudget(int(context_length * CONTEXT_SHARE), f"half of its context of {context_length:,} tokens")
    return ThinkingBudget(tokens, reason)


def is_over(thought_chars: int, budget: int, *, server_counts: bool) -> bool:
    """Whether to cut the thinking now."""
    return thought_chars > budget * CHARS_PER_THOUGHT_TOKEN * (SERVER_SLACK if server_counts else 1.0)


def ask_to_answer(request: ModelRequest, thoughts: str) -> ModelRequest:
    """The same request, with its thinking closed. It only grows at its end, so the prompt cache stays valid."""
    kept = thoughts.strip()[-THOUGHTS_KEPT:]
    about = f" Your thoughts so far ended with:\n\n{kept}\n\n" if kept else " "
    asked = "Do not think any further. Answer now: call a tool, or write the answer."
    note = f"You have thought long enough.{about}{asked}"
    return replace(request, messages=(*request.messages, UserText(note)), answer_now=True)
