"""Whether a change that passes all tests is compared with others: the more were tested, the likelier one passes by
chance."""

CLEAR = 10
"""A change among the first so many is hardly a coincidence: they are the likeliest by far."""
MOST_COMPARED = 150
SECONDS = 10.0
"""For comparing, at most."""
MOST_ALIKE = 3
"""Other changes that pass. More tell the user nothing new: the tests are too weak."""


def changes_to_compare(tested: int, seconds: float) -> int:
    """How many more changes to test after one that passes: as many as it took to find, if they fit the time."""
    if tested <= CLEAR:
        return 0
    return min(tested, MOST_COMPARED, int(SECONDS / max(seconds, 0.001)))
