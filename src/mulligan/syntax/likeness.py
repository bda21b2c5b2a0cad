"""How similar the spelling of two names is."""

from functools import lru_cache


@lru_cache(maxsize=20_000)
def likeness(one: str, other: str) -> float:
    """From 0 to 1, ignoring case."""
    from rapidfuzz.distance import OSA

    return OSA.normalized_similarity(one.lower(), other.lower())
