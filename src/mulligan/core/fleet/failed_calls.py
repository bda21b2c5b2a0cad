"""A call to a model server that failed: whether the server is at fault, or the job that made the call."""

from dataclasses import dataclass
from typing import Literal

OF_THE_MOMENT = frozenset({408, 409, 425, 429, 502, 503, 504, 529})
"""HTTP answers that say that a server is overloaded, starts up or is gone, whatever it was asked."""
MOST_WAITS = 5
"""In a row, after which an internal error counts against the job: where nobody else uses the server, nothing shows
whose fault it is."""
LATER = 2.0
"""Times the server's pause: jobs that may be at fault themselves come back after all others have tried it."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    answered: bool
    """With an error; else there was silence."""
    status: int | None = None
    """Of HTTP, where the answer has one; a reply that breaks off has none."""

    @property
    def unclear(self) -> bool:
        """An internal error may also come from what the job sends."""
        return self.answered and self.status not in OF_THE_MOMENT


def at_fault(call: FailedCall, *, waits: int, server_works: bool) -> Literal["server", "job"]:
    """A server at fault is left alone for a while, and its jobs wait without being charged a try.

    A job is at fault if the server failed for it before (`waits`: how often in a row, without progress), and has
    answered calls since (`server_works`), or failed too often. Else it would keep the server from all others, or wait,
    for ever.
    """
    return "job" if call.unclear and (waits >= MOST_WAITS or (waits > 0 and server_works)) else "server"


def pause_after(call: FailedCall, server_pause: float) -> float:
    """Seconds until the job is begun again."""
    return server_pause * LATER if call.unclear else server_pause
