"""What a cheap check sees, what it has to know for that, and names that are spelt nearly alike."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CodeFinding:
    line: int
    text: str
    """A sentence that quotes the code."""
    weight: float
    """How often such a thing is a fault: 1 for what is often meant so."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known besides the file itself."""

    builtins: frozenset[str] = frozenset()
    """Names that Python always has."""
    modules: frozenset[str] = frozenset()
    """Of Python's standard library."""
    defined: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names that the project's sources define, and the file that does."""
    attributes: frozenset[str] = frozenset()
    """Fields and methods that the sources define."""
    keys: frozenset[str] = frozenset()
    """Strings in the failing tests: keys as they are meant."""
    results_used: frozenset[str] = frozenset()
    """Functions whose results the failing tests use."""


def nearly_equal(one: str, other: str) -> bool:
    """One slip of the fingers apart, two in long names. Numbered names and plurals are no slips."""
    from rapidfuzz.distance import OSA

    if one == other or min(len(one), len(other)) < 3 or abs(len(one) - len(other)) > 2:
        return False
    if one.lower() == other.lower():
        return True
    if one.rstrip("0123456789") == other.rstrip("0123456789") or one.lower().rstrip("s") == other.lower().rstrip("s"):
        return False
    shortest = min(len(one), len(other))
    allowed = 1 if shortest < 7 else 2
    return shortest > 3 and OSA.distance(one.lower(), other.lower(), score_cutoff=allowed) <= allowed


def nearest_to(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one was probably meant to be."""
    return next((each for each in sorted(known) if nearly_equal(name, each)), None)
