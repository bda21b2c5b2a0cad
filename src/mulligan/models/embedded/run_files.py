"""How an embedded server and the commands that use it find each other: a lock, a run file and a log.

The server locks the lock file when it starts, and the run file once it is ready; both locks end with the process,
however that ends. So neither a reused pid nor a port that another program took can be mistaken for the server.
"""

import fcntl
import json
import os
import random
import re
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

ALREADY_RUNNING = 75
ENGINE_MISSING = 76
"""Exit codes of the child that mean more than a failure."""

STARTING = "mulligan: this is pid"
READY = "mulligan: ready"
"""The start of the lines that the child writes first, and once the model is loaded."""

_TAIL = 64 * 1024
_LAST_LINES = 30
_TROUBLE = re.compile(r"^[\d.]+ E |^mulligan: |GGML_ASSERT|\berror\b|\bfailed\b|Error: ", re.IGNORECASE)
_STAMP = re.compile(r"^(?:[\d.]+ [A-Z] |mulligan: )")


@dataclass(frozen=True, slots=True)
class ServerFiles:
    """The files of one embedded server."""

    home: Path
    name: str

    @property
    def lock(self) -> Path:
        return self.home / "run" / f"embedded-{self.name}.lock"

    @property
    def run(self) -> Path:
        return self.home / "run" / f"embedded-{self.name}.json"

    @property
    def log(self) -> Path:
        return self.home / "logs" / f"embedded-{self.name}.log"

    def make_folders(self) -> None:
        for folder in (self.lock.parent, self.log.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Content of the run file. Only its owner may read it: it contains the key."""

    id: str
    """The name under which the server lists its model: no other server has it."""
    port: int
    api_key: str
    model: str
    """The file that is loaded."""
    wanted_context: int
    context: int
    """Tokens; fewer than requested if memory is short."""

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def take_lock(places: ServerFiles) -> bool:
    """Hold the lock until this process ends, and write the pid into it; False if another server has it."""
    descriptor = os.open(places.lock, os.O_RDWR | os.O_CREAT, 0o600)
    while not _take(descriptor, fcntl.LOCK_EX):
        if _is_held(descriptor):
            os.close(descriptor)
            return False
        # Another process has the lock only for a moment, to check whether a server holds it.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        time.sleep(random.uniform(0.001, 0.01))
    os.truncate(descriptor, 0)
    os.write(descriptor, str(os.getpid()).encode())
    return True


def is_alive(places: ServerFiles) -> bool:
    """Whether a server is running, or starting."""
    try:
        with places.lock.open("rb") as file:
            return _is_held(file.fileno())
    except FileNotFoundError:
        return False


def lock_holder(places: ServerFiles) -> int | None:
    """The pid of the server that is alive."""
    with suppress(OSError, ValueError):
        return int(places.lock.read_text(encoding="ascii")) if is_alive(places) else None
    return None


def publish(places: ServerFiles, record: RunRecord) -> None:
    """Write the run file atomically, and lock it until this process ends."""
    temporary = places.run.with_suffix(".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.write(descriptor, json.dumps(asdict(record)).encode())
    temporary.replace(places.run)


def find_running(places: ServerFiles) -> RunRecord | None:
    """The server that is alive and ready."""
    try:
        with places.run.open("rb") as file:
            return RunRecord(**json.load(file)) if _is_held(file.fileno()) else None
    except (FileNotFoundError, ValueError, TypeError):  # TypeError: written by another version
        return None


def mark_use(places: ServerFiles) -> None:
    """Tell the server that somebody needs it."""
    with suppress(FileNotFoundError):
        os.utime(places.run)


def log_of(places: ServerFiles, pid: int | None) -> str:
    """The log of the server with that pid; by default of the last one started."""
    try:
        with places.log.open("rb") as file:
            file.seek(max(0, places.log.stat().st_size - _TAIL))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lives = text.split(f"{STARTING} ")
    # The number ends the first line of each run.
    of_pid = [life for life in lives[1:] if pid is None or life.partition("\n")[0] == str(pid)]
    return (of_pid or lives)[-1].partition("\n")[2] if lives[1:] else text


def last_error_line(log: str) -> str:
    """The line that best explains what went wrong; empty if there is none.

    A failed load names its cause first and its consequences after it. A crash names it last.
    """
    before, ready, after = log.rpartition(READY)
    if ready:
        lines = [line.strip() for line in after.splitlines()[1:] if line.strip()][-_LAST_LINES:]
        troubles = [line for line in reversed(lines) if _TROUBLE.search(line)] or lines[-1:]
    else:
        lines = [line.strip() for line in (before or log).splitlines() if line.strip()]
        troubles = [line for line in lines if _TROUBLE.search(line)] or lines[-1:]
    return _STAMP.sub("", troubles[0])[:300] if troubles else ""


def _is_held(descriptor: int) -> bool:
    return not _take(descriptor, fcntl.LOCK_SH)


def _take(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


ENGINE = "mulligan.models.embedded.llama_engine"
"""The engine that ships with Mulligan."""


@dataclass(frozen=True, slots=True)
class ServeOrder:
    """What an engine should serve, on loopback, on a port of its choice."""

    model: Path
    context: int
    id: str
    """The name to list the model under."""
    api_key: str
    """Requests without it are refused."""


class RunningEngine(Protocol):
    """A loaded and served model."""

    @property
    def port(self) -> int: ...

    @property
    def context(self) -> int: ...

    def busy(self) -> bool:
        """Whether a request is being answered."""
        ...


class Engine(Protocol):
    """A module that can serve a model."""

    def start(self, order: ServeOrder) -> RunningEngine:
        """Load the model and serve it. Raises `EngineRefused`, or `ModuleNotFoundError` if it is not installed."""
        ...


class EngineRefused(Exception):
    """The model can't be served here. The text says why."""
