"""How long a fleet waits after failures."""

FIRST_PAUSE = 5.0
MAX_PAUSE_SECONDS = 300.0
MAX_REST_SECONDS = 30.0


def server_pause(failures: int) -> float:
    """Seconds without calls to a model server after this many failures in a row."""
    return min(MAX_PAUSE_SECONDS, FIRST_PAUSE * 2 ** max(0, failures - 1))


def trouble_pause(troubles: int) -> float:
    """Seconds before a worker takes another job after this many in a row failed because of the worker. Grows each time:
    a broken worker would use up the tries of a whole queue."""
    return min(MAX_REST_SECONDS, 2.0 ** (troubles - 1))


def crash_pause(tries: int) -> float:
    """Seconds before a job whose process died is restarted: longer each time."""
    return min(MAX_PAUSE_SECONDS, 2.0**tries)
