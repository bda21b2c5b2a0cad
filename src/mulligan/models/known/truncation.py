"""Whether a server cuts long prompts without a word: a marker at the beginning, asked for at the end."""

from dataclasses import dataclass
from typing import Literal

from mulligan.core.replies import Reply

MARKER = "tangerine-47"
QUESTION = "\nAbove, at the very beginning, there is a code word. Reply with the code word alone."
MOST_TOKENS = 40_000
"""Read for this check in all. Tokens may cost money."""
MOST_SECONDS = 60.0
"""Spent on reading for this check in all."""
UNKNOWN_SPEED = 50.0
"""Tokens a second, where it could not be measured: that of a slow machine."""
FIRST_SIZE = 2_400
"""Where nothing is believed: just over the shortest context in use."""
OVER = 1.3
"""How far a prompt goes beyond what is believed, so that a cut is no error in counting."""
MOST_TRIALS = 3

Verdict = Literal["whole", "cut", "refused", "unclear"]


@dataclass(frozen=True, slots=True)
class Trial:
    tokens: int
    """How long the prompt was, as counted."""
    verdict: Verdict
    read: int = 0
    """Tokens that the server says it read; 0 if it does not say."""


def marked_prompt(characters: int) -> str:
    """A prompt of about so many characters that begins with the marker."""
    opening = f"The code word is {MARKER}.\n"
    return opening + filler(max(0, characters - len(opening) - len(QUESTION))) + QUESTION


def filler(characters: int) -> str:
    """Lines of code without meaning, no two neighbours alike. Code has fewer characters a token than prose."""
    names, verbs = ("account", "message", "customer", "invoice", "session"), ("read", "check", "update", "store")
    count = characters // 40 + 1
    lines = (f"    {names[n % 5]} = {verbs[n % 4]}_{names[n // 5 % 5]}(request, limit={n})\n" for n in range(count))
    return "".join(lines)[:characters]


def judge(reply: Reply, tokens: int) -> Trial:
    """What became of a prompt of so many tokens.

    The server's own count decides where it shows a gap. A marker that was lost although everything was read is the
    model's doing, not a cut.
    """
    read = reply.usage.prompt_tokens
    if read and read < 0.85 * tokens:
        return Trial(tokens, "cut", read)
    if MARKER in reply.text.lower():
        return Trial(tokens, "whole", read)
    return Trial(tokens, "unclear" if read > 0.95 * tokens else "cut", read)


def next_size(trials: list[Trial], believed: int | None) -> int | None:
    """How long the next prompt should be, in tokens; None when enough is known.

    Over what is believed; twice as long while all arrives; in the middle when the truth lies between two.
    """
    if not trials:
        return int(believed * OVER) if believed else FIRST_SIZE
    last = trials[-1]
    if len(trials) >= MOST_TRIALS or last.verdict == "unclear" or (last.verdict == "cut" and last.read):
        return None
    if believed and len(trials) == 1 and last.verdict == "refused":
        return None
    whole = max((trial.tokens for trial in trials if trial.verdict == "whole"), default=0)
    failed = min((trial.tokens for trial in trials if trial.verdict != "whole"), default=0)
    if not failed:
        return whole * 2
    return (whole + failed) // 2 if failed - whole > failed // 5 else None


def affordable(size: int, trials: list[Trial], reads_per_second: float | None) -> bool:
    """Whether one more prompt of this size stays within the bounds of tokens and time."""
    total = size + sum(trial.tokens for trial in trials)
    return total <= MOST_TOKENS and total / (reads_per_second or UNKNOWN_SPEED) <= MOST_SECONDS


def cut_length(trials: list[Trial]) -> int | None:
    """Tokens at which prompts are cut without a word; None if that was not seen.

    Where the server does not count and nothing shorter arrived whole, half of what was cut is the guess.
    """
    cuts = [trial for trial in trials if trial.verdict == "cut"]
    if not cuts:
        return None
    shortest = min(cuts, key=lambda trial: trial.tokens)
    return shortest.read or longest_whole(trials) or shortest.tokens // 2


def longest_whole(trials: list[Trial]) -> int | None:
    return max((trial.read or trial.tokens for trial in trials if trial.verdict == "whole"), default=None)
