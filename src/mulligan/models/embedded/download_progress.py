"""What is told of a download: while it runs, and when it fails."""

from collections.abc import Callable

from mulligan.types.errors import MulliganError
from mulligan.types.frozen import frozen


@frozen
class Waiting:
    """Another process downloads the same file."""

    file: str


@frozen
class Checking:
    """What is on the disk already is hashed."""

    done: int
    total: int


@frozen
class Downloading:
    done: int
    """Bytes of the file, those of an earlier download included."""
    total: int
    mirror: str


@frozen
class MirrorSkipped:
    """This mirror could not give the file; the next one is tried."""

    mirror: str
    reason: str


Progress = Waiting | Checking | Downloading | MirrorSkipped

Report = Callable[[Progress], None]
"""Where progress goes. It must not block and must not raise."""


class DownloadError(MulliganError):
    """A model's file could not be had. What came so far is kept, and the next try goes on from there."""


class MirrorFailed(MulliganError):
    """One mirror could not give the file. Its text ends a sentence that begins with the mirror's name."""
