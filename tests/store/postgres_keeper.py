"""Runs a throw-away PostgreSQL server for as long as its standard input stays open.

A process of its own, so that the server ends with the tests however those end: a pipe closes even on kill -9.
Prints the folder of the server's socket once it answers.
"""

import os
import sys
import tempfile
from pathlib import Path

from mulligan.store.embedded_postgres import EmbeddedPostgres, others_can_reach

SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "shared_buffers=16MB",
)

HBA = """
local all guarded scram-sha-256
local all all trust
"""
"""Everybody may come in by the socket, but `guarded` must give a password."""


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="mulligan-pg-", dir=_reachable_temp()))
    server = EmbeddedPostgres(folder, folder.with_suffix(".lock"), SETTINGS, HBA)
    try:
        server.start()
        sys.stdout.write(f"{server.sockets}\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        server.stop()
        server.delete()
        server.lock.unlink(missing_ok=True)


def _reachable_temp() -> str:
    temp = tempfile.gettempdir()
    return temp if os.geteuid() != 0 or others_can_reach(Path(temp)) else "/tmp"  # noqa: S108 - mkdtemp follows


if __name__ == "__main__":
    main()
