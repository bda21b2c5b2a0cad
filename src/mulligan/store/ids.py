"""Ids that are easy to type."""

import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without i, l, o and u: no two characters look alike."""

LENGTH = 10

_MISREAD = str.maketrans("oil", "011")


def new_id() -> str:
    """50 random bits: among a million ids the odds of a collision are one in two thousand."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def as_typed(text: str) -> str:
    """A typed id or prefix, corrected: in lower case, with `o` read as zero and `l` as one."""
    return text.strip().lower().translate(_MISREAD)
