"""Whether a server silently truncates long prompts: a marker at the start, asked for at the end."""

from dataclasses import dataclass
from typing import Literal

from mulligan.core.replies import Reply

MARKER = "tangerine-47"
QUESTION = "\nAbove, at the very beginning, there is a code word. Reply with the code word alone."
MAX_TOKENS = 40_000
"""Total tokens to read for this check. Tokens may cost money."""
MAX_SECONDS = 60.0
"""Total seconds to spend on reading for this check."""
UNKNOWN_SPEED = 50.0
"""Tokens per second if not measured: that of a slow machine."""
FIRST_SIZE = 2_400
"""If nothing is assumed: just over the shortest context in use."""
OVER = 1.3
"""How far a prompt exceeds the assumed length, so that a truncation is not a counting error."""
MAX_TRIALS = 3

TruncationVerdict = Literal["whole", "cut", "refused", "unclear"]


@dataclass(frozen=True, slots=True)
class Trial:
    tokens: int
    """How long the prompt was, as counted."""
    verdict: TruncationVerdict
    read: int = 0
    """Tokens that the server says it read; 0 if it does not say."""


def marked_prompt(characters: int) -> str:
    """A prompt of about this many characters that starts with the marker."""
    opening = f"The code word is {MARKER}.\n"
    return opening + filler(max(0, characters - len(opening) - len(QUESTION))) + QUESTION


def filler(characters: int) -> str:
    """Meaningless lines of code, no two neighbors alike. Code has fewer characters per token than prose."""
    names, verbs = ("account", "message", "customer", "invoice", "session"), ("read", "check", "update", "store")
    count = characters // 40 + 1
    lines = (f"    {names[n % 5]} = {verbs[n % 4]}_{names[n // 5 % 5]}(request, limit={n})\n" for n in range(count))
    return "".join(lines)[:characters]


def judge(reply: Reply, tokens: int) -> Trial:
    """What happened to a prompt of this many tokens.

    The server's own count decides if it shows a gap. If the marker was lost although everything was read, that is the
    model's fault, not a truncation.
    """
    read = reply.usage.prompt_tokens
    if read and read < 0.85 * tokens:
        return Trial(tokens, "cut", read)
    if MARKER in reply.text.lower():
        return Trial(tokens, "whole", read)
    return Trial(tokens, "unclear" if read > 0.95 * tokens else "cut", read)


def next_size(trials: list[Trial], believed: int | None) -> int | None:
    """How long the next prompt should be, in tokens; None when enough is known.

    It starts above the assumed length, doubles while prompts arrive complete, and then bisects.
    """
    if not trials:
        return int(believed * OVER) if believed else FIRST_SIZE
    last = trials[-1]
    if len(trials) >= MAX_TRIALS or last.verdict == "unclear" or (last.verdict == "cut" and last.read):
        return None
    if believed and len(trials) == 1 and last.verdict == "refused":
        return None
    whole = max((trial.tokens for trial in trials if trial.verdict == "whole"), default=0)
    failed = min((trial.tokens for trial in trials if trial.verdict != "whole"), default=0)
    if not failed:
        return whole * 2
    return (whole + failed) // 2 if failed - whole > failed // 5 else None


def affordable(size: int, trials: list[Trial], reads_per_second: float | None) -> bool:
    """Whether one more prompt of this size stays within the limits of tokens and time."""
    total = size + sum(trial.tokens for trial in trials)
    return total <= MAX_TOKENS and total / (reads_per_second or UNKNOWN_SPEED) <= MAX_SECONDS


def cut_length(trials: list[Trial]) -> int | None:
    """Tokens at which prompts are silently truncated; None if that was not observed.

    If the server does not count and nothing shorter arrived complete, half of what was truncated is the guess.
    """
    cuts = [trial for trial in trials if trial.verdict == "cut"]
    if not cuts:
        return None
    shortest = min(cuts, key=lambda trial: trial.tokens)
    return shortest.read or longest_whole(trials) or shortest.tokens // 2


def longest_whole(trials: list[Trial]) -> int | None:
    return max((trial.read or trial.tokens for trial in trials if trial.verdict == "whole"), default=None)
