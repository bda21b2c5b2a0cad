"""A call to a model server that failed: whether the server is at fault, or the job that made the call."""

from dataclasses import dataclass
from typing import Literal

TEMPORARY_STATUSES = frozenset({408, 409, 425, 429, 502, 503, 504, 529})
"""HTTP statuses of a server that is overloaded, starting or gone, independent of the request."""
MAX_WAITS = 5
"""Waits in a row after which an internal error counts against the job: if no other job uses the server, nothing shows
whose fault it is."""
UNCLEAR_FACTOR = 2.0
"""Factor on the server's pause: a job that may be at fault itself retries after all others have tried the server."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    answered: bool
    """The server answered, with an error. False: it was silent."""
    status: int | None = None
    """The HTTP status; None for a reply that broke off."""

    @property
    def unclear(self) -> bool:
        """Whether the job's request may be the cause, as with an internal error."""
        return self.answered and self.status not in TEMPORARY_STATUSES


def at_fault(call: FailedCall, *, waits: int, server_works: bool) -> Literal["server", "job"]:
    """If the server is at fault, it is not called for a while, and its jobs wait without using up a try.

    The job is at fault if the server failed for it before (`waits`: how often in a row, without progress) and has
    answered other calls since (`server_works`), or has failed for it too often. Otherwise such a job would block the
    server for all others, or wait forever.
    """
    return "job" if call.unclear and (waits >= MAX_WAITS or (waits > 0 and server_works)) else "server"


def pause_after(call: FailedCall, server_pause: float) -> float:
    """Seconds until the job is restarted."""
    return server_pause * UNCLEAR_FACTOR if call.unclear else server_pause
