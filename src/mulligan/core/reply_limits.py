"""How much of one reply is read, and how many of its calls are run. A broken server never stops by itself."""

from mulligan.core.context_budget import CHARS_PER_TOKEN

MAX_TOKENS = 262_144
"""Twice the longest reply that any model is known to write. Applies whatever context a server claims to have."""
SLACK = 2
"""Prose has more characters per token than the prompt estimate, which is low on purpose: no real reply may be cut."""
MAX_CALLS = 32
"""Calls of one reply to run. They run in parallel, and five long results fill a context: good agents send up to ten."""
MAX_CALLS_READ = 2 * MAX_CALLS
"""Calls of one reply to read. Those that are not run get an answer too, and the answers take room."""


def longest_reply(context_length: int | None) -> int:
    """Characters, including thoughts and calls: a reply has to fit into the context, as far as that is known."""
    return int(min(context_length or MAX_TOKENS, MAX_TOKENS) * CHARS_PER_TOKEN * SLACK)
