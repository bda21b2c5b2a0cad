"""How many examples a property test tries."""

import os

EXPLORING = "HYPOTHESIS_PROFILE" in os.environ
"""As `make explore` sets it."""


def examples(count: int) -> int:
    """So many in `make explore`, an eighth of them in `make test`, but no fewer than ten.

    `make test` tries the same ones every time, so those that pass are only there for what a change breaks.
    """
    return count if EXPLORING else min(count, max(count // 8, 10))
