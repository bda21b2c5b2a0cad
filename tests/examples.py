"""How many examples a property test tries."""

import os

EXPLORING = "HYPOTHESIS_PROFILE" in os.environ
"""As `make explore` sets it."""


def examples(count: int) -> int:
    """So many in `make explore`, a quarter of them in `make test`, but no fewer than ten."""
    return count if EXPLORING else min(count, max(count // 4, 10))
