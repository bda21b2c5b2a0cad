"""Events of a download: while it runs, and when it fails."""

from collections.abc import Callable

from mulligan.types.errors import MulliganError
from mulligan.types.frozen import frozen


@frozen
class Waiting:
    """Another process is downloading the same file."""

    file: str


@frozen
class Checking:
    """Hashing what is already on disk."""

    done: int
    total: int


@frozen
class Downloading:
    done: int
    """Bytes of the file, including those of an earlier download."""
    total: int
    mirror: str


@frozen
class MirrorSkipped:
    """This mirror failed; the next one is tried."""

    mirror: str
    reason: str


Progress = Waiting | Checking | Downloading | MirrorSkipped

Report = Callable[[Progress], None]
"""Receives progress. It must not block or raise."""


class DownloadError(MulliganError):
    """A model's file could not be downloaded. The part already downloaded is kept, and the next try resumes."""


class MirrorFailed(MulliganError):
    """One mirror failed. Its text ends a sentence that starts with the mirror's name."""
