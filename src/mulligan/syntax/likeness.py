"""How similar the spelling of two names is."""

from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=20_000)
def likeness(one: str, other: str) -> float:
    """From 0 to 1, ignoring case."""
    from rapidfuzz.distance import OSA

    return OSA.normalized_similarity(one.lower(), other.lower())


def nearly_equal(one: str, other: str) -> bool:
    """One typing error apart, two in long names. Numbered names and plurals don't count."""
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
