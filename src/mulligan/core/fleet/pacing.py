"""How long to wait."""

FIRST_PAUSE = 5.0
LONGEST_PAUSE = 300.0
LONGEST_REST = 30.0


def server_pause(failures: int) -> float:
    """Seconds that a model server is left alone after so many failures in a row."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** max(0, failures - 1))


def trouble_pause(troubles: int) -> float:
    """Seconds before a worker takes another job after so many in a row failed because of it: longer each time, or it
    would use up the tries of a whole queue."""
    return min(LONGEST_REST, 2.0 ** (troubles - 1))


def crash_pause(tries: int) -> float:
    """Seconds before a job is begun again whose process died: longer each time."""
    return min(LONGEST_PAUSE, 2.0**tries)
