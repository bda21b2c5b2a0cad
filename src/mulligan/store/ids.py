"""Ids that people type."""

import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without i, l, o and u: nothing in it looks like something else in it."""

LENGTH = 10

_MISREAD = str.maketrans("oil", "011")


def new_id() -> str:
    """50 random bits: among a million ids the odds of a collision are one in two thousand."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def as_typed(text: str) -> str:
    """An id, or the beginning of one, as it must have been meant: in lower case, `o` for zero, `l` for one."""
    return text.strip().lower().translate(_MISREAD)
