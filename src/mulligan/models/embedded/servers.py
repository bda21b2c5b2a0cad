"""Embedded models: served by llama.cpp in a separate process, which starts on demand and stays warm."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from mulligan.models.embedded.engine import engine_missing
from mulligan.models.embedded.run_files import (
    ALREADY_RUNNING,
    ENGINE,
    ENGINE_MISSING,
    RunRecord,
    ServerFiles,
    find_running,
    is_alive,
    last_error_line,
    lock_holder,
    log_of,
    mark_use,
)
from mulligan.models.wire.openai_chat import list_models
from mulligan.ports.callbacks import Notify
from mulligan.runtime.own_secrets import without_secrets
from mulligan.types.errors import ConfigurationError, ModelError, ModelUnreachable

IDLE_SECONDS = 900.0
"""How long an unused server stays."""
START_LIMIT = 300.0
"""Seconds. A gigabyte loads in 3 to 5 from a fast disk, in a minute from a slow one."""
STOP_LIMIT = 5.0
"""Seconds until a server that was asked to stop is killed."""
DYING = 2.0
"""Seconds that a server may take to exit after its connections have ended."""
POLL_SECONDS = 0.05
TELL_EVERY = 10
"""Seconds between two progress lines."""


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A server that is ready."""

    base_url: str
    api_key: str = field(repr=False)
    model: str
    """The name under which it lists its model."""
    context: int
    """Its context in tokens; fewer than requested if memory is short."""


class EmbeddedServers:
    """The embedded servers of a home folder, shared by all commands that use the folder."""

    def __init__(self, home: Path, *, engine: str = ENGINE, idle_seconds: float = IDLE_SECONDS) -> None:
        self._home = home
        self._engine = engine
        self._idle_seconds = idle_seconds
        self._children: dict[str, _Child] = {}
        self._answered: set[str] = set()
        """Servers that answered us once, by id: as long as their lock is held, we don't ask again."""

    async def ensure(self, name: str, model_file: Path, *, context: int, tell: Notify | None = None) -> EmbeddedServer:
        """The server for this file, started if necessary. Its idle time restarts.

        Raises `ConfigurationError` if xllamacpp is not installed or the folder can't be used, `ModelError` if the model
        can't be loaded, naming the log.
        """
        places = ServerFiles(self._home, name)
        try:
            record = await self._usable(places, model_file, context)
            if record is None:
                record = await self._start(places, model_file, context, tell or _no_progress)
            mark_use(places)
        except OSError as error:
            raise ConfigurationError(f"{error.filename or places.lock} can't be used: {error.strerror}") from error
        return EmbeddedServer(record.base_url, record.api_key, record.id, record.context)

    async def stop(self, name: str) -> bool:
        """Stop the server; whether there was one."""
        places = ServerFiles(self._home, name)
        pid = lock_holder(places)
        if pid is None:
            return False
        for number in (signal.SIGTERM, signal.SIGKILL):
            _signal_child(pid, number)
            if await self._is_gone(places, STOP_LIMIT):
                return True
        raise ConfigurationError(f"the embedded server of {name} can't be stopped; is it on another machine?")

    async def stop_all(self) -> list[str]:
        """Stop every server of the home folder; returns their names."""
        locks = sorted((self._home / "run").glob("embedded-*.lock"))
        names = [lock.stem.removeprefix("embedded-") for lock in locks]
        return [name for name in names if await self.stop(name)]

    def is_up(self, name: str) -> bool:
        """Whether the server is running, or starting."""
        return is_alive(ServerFiles(self._home, name))

    async def has_died(self, name: str) -> bool:
        """Whether the server is gone, or about to be: its connections end before it has freed its memory."""
        return await self._is_gone(ServerFiles(self._home, name), DYING)

    def why_it_died(self, name: str) -> str:
        """How the server ended, if known, and where its log is."""
        places = ServerFiles(self._home, name)
        child = self._children.get(name)
        code = child.poll() if child else None
        error = last_error_line(log_of(places, child.pid if child and code is not None else None))
        how = _killed_by(-code) if code is not None and code < 0 else ""
        return f"{how}Its log is {places.log}" + (f": {error}" if error else "")

    async def _usable(self, places: ServerFiles, model_file: Path, context: int) -> RunRecord | None:
        """The running server, if it fits. Stops one that serves something else, or does not answer."""
        record = find_running(places)
        if record is None:
            return None
        fits = record.model == str(model_file) and record.wanted_context >= context
        if fits and await self._answers(record):
            return record
        await self.stop(places.name)
        return None

    async def _answers(self, record: RunRecord) -> bool:
        if record.id not in self._answered:
            try:
                if record.id not in await list_models(record.base_url, record.api_key):
                    return False
            except ModelError:
                return False
            self._answered.add(record.id)
        return True

    async def _start(self, places: ServerFiles, model_file: Path, context: int, tell: Notify) -> RunRecord:
        """Start a child and wait for it, or for the one that another command started."""
        began = time.monotonic()
        next_report = 0
        child = self._spawn(places, model_file, context)
        while (waited := time.monotonic() - began) < START_LIMIT:
            record = find_running(places)
            if record:
                if lock_holder(places) != child.pid:
                    child.end()  # another command was faster
                    del self._children[places.name]
                return record
            code = child.poll()
            if code == ALREADY_RUNNING and not is_alive(places):
                child = self._spawn(places, model_file, context)  # the other one failed: find out why
            elif code not in (None, ALREADY_RUNNING):
                raise self._failure(places, code)
            if waited >= next_report:
                tell(f"loading {places.name}" + (f", {next_report} s" if next_report else ""))
                next_report += TELL_EVERY
            await asyncio.sleep(POLL_SECONDS)
        await self.stop(places.name)
        raise ModelUnreachable(f"{places.name} did not load within {START_LIMIT:g} s. Its log is {places.log}")

    def _spawn(self, places: ServerFiles, model_file: Path, context: int) -> "_Child":
        places.make_folders()
        options = {
            "home": self._home,
            "name": places.name,
            "model": model_file,
            "context": context,
            "idle": self._idle_seconds,
            "engine": self._engine,
        }
        child = _Child(places.log, [f"--{option}={value}" for option, value in options.items()])
        self._children[places.name] = child
        return child

    def _failure(self, places: ServerFiles, code: int | None) -> Exception:
        if code == ENGINE_MISSING:
            return engine_missing()
        return ModelError(f"The embedded model {places.name} could not be started. {self.why_it_died(places.name)}")

    async def _is_gone(self, places: ServerFiles, limit: float) -> bool:
        deadline = time.monotonic() + limit
        while is_alive(places):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(POLL_SECONDS)
        return True


class _Child:
    """A process that may outlive this one, which `subprocess.Popen` would complain about."""

    def __init__(self, log: Path, arguments: Sequence[str]) -> None:
        self._code: int | None = None
        # -P: files in the current folder must not be imported.
        command = [sys.executable, "-P", "-m", "mulligan.models.embedded.child", *arguments]
        self.pid = os.posix_spawn(
            sys.executable,
            command,
            without_secrets(os.environ),
            setsid=True,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
        )

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def end(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def _signal_child(pid: int, number: signal.Signals) -> None:
    """Signal the process if it is an embedded server. In a home folder shared with a container it may not be."""
    with suppress(OSError):
        if b"mulligan.models.embedded" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _killed_by(number: int) -> str:
    if number == signal.SIGKILL:
        return "It was killed, perhaps because the machine ran out of memory. "
    return f"It was ended by signal {number}. "


def _no_progress(_line: str) -> None:
    """For callers that show no progress."""
