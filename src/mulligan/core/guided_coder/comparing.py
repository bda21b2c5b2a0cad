"""Which of several changes to keep that make all tests pass, and how long to look for others.

A change may pass by chance: the likelier, the more were tested, and where it brings a value that only suits the tests.
"""

import re
from collections.abc import Sequence

from mulligan.core.program_repair.candidates import Candidate

CLEAR = 10
"""A change among the first so many is hardly a coincidence: they are the likeliest by far."""
MIN_COMPARED, MAX_COMPARED = 30, 150
"""Changes to compare with, if they fit the time."""
SECONDS = 10.0
"""For tests of others, and the longest run of everything with which it is worth it: each that passes gets one."""
MAX_PASSING = 4
"""Changes that pass. More tell the user nothing new: the tests are too weak."""

_VALUE = re.compile(r"(?<![\w.])\d[\w.]*|\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`")
_COMMON = frozenset({"0", "1"})


def changes_to_compare(found: Candidate, tested: int, seconds: float, full_seconds: float = 0.0) -> int:
    """How many more changes to test after one that passes, each for so many seconds. None if running everything takes
    long: the verifier needs the run's time."""
    if found.slip is None or full_seconds >= SECONDS or (tested <= CLEAR and not brings_value(found)):
        return 0
    return min(max(tested, MIN_COMPARED), MAX_COMPARED, int(SECONDS / max(seconds, 0.001)))


def preferred(passing: Sequence[Candidate]) -> Candidate:
    """The likeliest that brings no value, if there is one. They come likeliest first."""
    return next((each for each in passing if not brings_value(each)), passing[0])


def brings_value(candidate: Candidate) -> bool:
    """Whether a change has a number or a text that the file did not have."""
    if candidate.slip is None:
        return False
    before = candidate.slip.tree.text.decode("utf-8", "replace")
    return not _COMMON.union(_VALUE.findall(before)).issuperset(_VALUE.findall("\n".join(candidate.lines)))
