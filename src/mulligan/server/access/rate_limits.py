"""How often somebody may: a bucket that fills slowly and is emptied by use."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_CLIENTS = 1000
"""Beyond that, those that are forgotten first are the ones seen longest ago."""


@dataclass(slots=True)
class Buckets:
    """One for each client."""

    size: int
    """So many at once."""
    a_second: float
    """And so many more each second."""
    clock: Callable[[], float] = time.monotonic
    _left: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """What was left, and when that was."""

    def take(self, client: str) -> float:
        """0 for yes. Else the seconds after which there is one again."""
        now = self.clock()
        left, then = self._left.pop(client, (float(self.size), now))
        left = min(self.size, left + (now - then) * self.a_second)
        wait = 0.0 if left >= 1 else (1 - left) / self.a_second
        self._left[client] = (left if wait else left - 1, now)
        if len(self._left) > MOST_CLIENTS:
            del self._left[next(iter(self._left))]
        return wait
