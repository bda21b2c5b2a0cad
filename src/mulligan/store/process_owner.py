"""Which process a streaming message belongs to, and whether that process is still there."""

import json
import os
import socket
import sys
from dataclasses import asdict
from pathlib import Path

from mulligan.types.frozen import frozen

STALE_AFTER = 300.0
"""Seconds without a heartbeat after which a process counts as gone."""

GONE = "the process that was answering is gone"
SILENT = "no sign of life for 5 minutes"

PROC = Path("/proc")


@frozen
class Owner:
    host: str
    pid: int
    started: str | None
    """Distinguishes the process from a later one with the same pid. None if the system does not report it."""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, body: str) -> "Owner":
        """Ignores fields that a newer program may have added."""
        fields = json.loads(body)
        return cls(host=fields["host"], pid=fields["pid"], started=fields.get("started"))


def this_process() -> Owner:
    pid = os.getpid()
    return Owner(host=socket.gethostname(), pid=pid, started=_started(pid))


def why_given_up(owner: Owner, *, silence: float, host: str) -> str | None:
    """Why the owner will not finish its message, as seen from `host`; None if it still may."""
    if owner.host == host and not is_running(owner):
        return GONE
    if silence >= STALE_AFTER:
        return SILENT
    return None


def will_not_finish(owner: Owner, *, silence: float, host: str) -> bool:
    """Whether the process that started to write files will not continue.

    A process that is known to be alive is never given up, however long it is suspended: it may wake up and write.
    """
    if owner.host == host and owner.started is not None:
        return not is_running(owner)
    return why_given_up(owner, silence=silence, host=host) is not None


def is_running(owner: Owner) -> bool:
    """Whether this process runs on this machine, not another one that reused its pid."""
    started = _started(owner.pid)
    if owner.started is None or started is None:
        return _pid_exists(owner.pid)
    return started == owner.started


def _started(pid: int) -> str | None:
    """Boot id and clock tick of the process's start; empty for a zombie.

    None if the system does not report it: there is no /proc, or it hides other users' processes.
    """
    try:
        stat = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        boot = (PROC / "sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    # The command's name is in parentheses and may contain anything, so the fields are counted from its end.
    fields = stat.rpartition(")")[2].split()
    state, start_tick = fields[0], fields[19]
    return "" if state in "ZX" else f"{boot}/{start_tick}"


def _pid_exists(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # signal 0 is Ctrl-C there; a missing heartbeat will show it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it exists and belongs to another user
    return True
