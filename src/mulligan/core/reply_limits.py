"""How much of one reply is listened to, and how many of its calls are run. A broken server never stops by itself."""

from mulligan.core.context_budget import CHARS_PER_TOKEN

MOST_TOKENS = 262_144
"""Twice the longest reply that any model is known to write. It holds whatever context a server claims to have."""
SLACK = 2
"""Prose has more characters a token than the guess for prompts, which is low on purpose: no honest reply may be cut."""
MOST_CALLS = 32
"""Calls of one reply that are run. They run side by side, and five long results fill a context: agents that work well
send up to ten."""
HEARD_CALLS = 2 * MOST_CALLS
"""Calls of one reply that are listened to. Those that are not run are answered as well, and the answers take room."""


def longest_reply(context_length: int | None) -> int:
    """Characters, thoughts and calls included: a reply has to fit into the context, as far as that is known."""
    return int(min(context_length or MOST_TOKENS, MOST_TOKENS) * CHARS_PER_TOKEN * SLACK)
