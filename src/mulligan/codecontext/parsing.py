"""Parses many files: on all cores if that is worth starting processes, else in this process.

Large or slow files are never parsed in this process. A parser can't be interrupted and blocks everything else in its
process; another process can be killed, because the user wants it, or because a file was crafted to take hours.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from mulligan.codecontext.examined_file import Examined, Job, examine, unreadable
from mulligan.runtime.own_secrets import without_secrets
from mulligan.syntax.grammars import TooSlow
from mulligan.syntax.parsed_file import from_json
from mulligan.types.errors import MulliganError

WORTH_PROCESSES = 150
"""Files. Starting the processes costs as much as parsing about fifty."""
BATCH = 12
"""Files to give to a process at a time."""
MAX_BATCH_BYTES = 200_000
POLL_SECONDS = 0.05
"""Seconds between two checks, while waiting, whether to stop."""
MAX_WAITING = 100
"""Most parsed files that are not stored yet."""
MAX_PROCESSES = 8
LARGE = 16_384
"""Bytes. A file crafted to be hard to parse takes a gigabyte of memory at this size, and sixteen at four times that."""
LONG = 0.2
"""Seconds for a file that is parsed in this process, which is also the longest wait for a stop. A file of `LARGE` bytes
takes a tenth of a second."""
SLOWEST = 60.0
"""Seconds for one file. One of a million bytes takes two, or ten if it is crafted to be slow."""

Stopped = Callable[[], bool]
"""Called now and then: returns whether to stop, because nobody needs the rest."""


class IndexInterrupted(MulliganError):
    """Nobody waits for the index any more."""

    def __init__(self) -> None:
        super().__init__("The reading of the project's code was given up.")


def examine_all(root: Path, jobs: Sequence[Job], stopped: Stopped) -> Iterator[Examined]:
    """Every file, in any order, until stopped. Closing the iterator ends the processes that it started."""
    processes = min(_cores(), MAX_PROCESSES, len(jobs) // BATCH)
    if len(jobs) < WORTH_PROCESSES or processes < 2:
        apart = [job for job in jobs if job.size > LARGE]
        yield from _here(root, [job for job in jobs if job.size <= LARGE], stopped, apart)
        jobs, processes = apart, 1
    if not jobs or stopped():
        return
    pool = Pool(root, jobs)
    with ExitStack() as stack:
        stack.callback(pool.close)
        pool.start(processes)
        yield from pool.results(stopped)


def _here(root: Path, jobs: Sequence[Job], stopped: Stopped, apart: list[Job]) -> Iterator[Examined]:
    """Parse in this process. Files that take too long are added to `apart`, to be parsed in another."""
    for job in jobs:
        if stopped():
            return
        try:
            yield examine(root, job, LONG)
        except TooSlow:
            apart.append(job)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class Pool:
    """Worker processes, each fed by a thread, always one batch ahead. Results go into a bounded queue, so that workers
    don't run far ahead of the writer. A file that kills its process twice, or keeps it too long, is reported as
    broken."""

    def __init__(self, root: Path, jobs: Sequence[Job], *, slowest: float = SLOWEST) -> None:
        self._root = root
        self._slowest = slowest
        self._todo: deque[Sequence[Job]] = deque(_batches(jobs))
        self._missing = len(jobs)
        self._done: queue.Queue[Examined] = queue.Queue(MAX_WAITING)
        self._closed = False
        self._lock = threading.Lock()
        self._suspected: set[str] = set()
        self._waiting_since: dict[subprocess.Popen[str], float] = {}
        """When we started to wait for each process."""
        self.running: set[subprocess.Popen[str]] = set()
        self._threads: list[threading.Thread] = []

    def start(self, processes: int) -> None:
        self._threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(processes)]
        for thread in self._threads:
            thread.start()

    def results(self, stopped: Stopped) -> Iterator[Examined]:
        while self._missing and not stopped():
            self._end_slow()
            try:
                found = self._done.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if any(thread.is_alive() for thread in self._threads) or not self._done.empty():
                    continue
                # No process could be started: the system may have reached its limit.
                late: list[Job] = []
                yield from _here(self._root, [job for batch in self._todo for job in batch], stopped, late)
                yield from (unreadable(job.path, "fatal") for job in late)
                return
            self._missing -= 1
            yield found

    def _end_slow(self) -> None:
        late = time.monotonic() - self._slowest
        for process, since in list(self._waiting_since.items()):
            if since < late:
                process.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for process in self.running:
                process.kill()
        for thread in self._threads:
            thread.join()

    def _feed(self) -> None:
        while batch := self._next():
            process = self._process()
            if process is None:
                self._todo.append(batch)
                return
            with process:
                self._give_back(self._converse(process, batch))
                if process.stdin:
                    with suppress(OSError):  # it died with input in its pipe
                        process.stdin.close()
            with self._lock:
                self.running.discard(process)

    def _next(self) -> Sequence[Job]:
        try:
            return () if self._closed else self._todo.popleft()
        except IndexError:
            return ()

    def _process(self) -> "subprocess.Popen[str] | None":
        command = [sys.executable, "-P", "-m", "mulligan.codecontext.worker", str(self._root)]
        with self._lock:
            if self._closed:
                return None
            try:
                process = subprocess.Popen(  # noqa: S603 - our own module
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    encoding="utf-8",
                    env=without_secrets(os.environ)
                    | {"PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                )
            except OSError:
                return None
            self.running.add(process)
            return process

    def _converse(self, process: "subprocess.Popen[str]", batch: Sequence[Job]) -> list[Job]:
        """Send one batch after the other and receive the results, in the same order. Returns the jobs without a result,
        if the process died."""
        if process.stdin is None or process.stdout is None:
            return [*batch]
        asked: deque[Job] = deque()
        while True:
            while batch:
                asked.extend(batch)
                try:
                    process.stdin.write(json.dumps([(job.path, job.known) for job in batch]) + "\n")
                    process.stdin.flush()
                except OSError:
                    return [*asked]
                batch = self._next() if len(asked) <= BATCH else ()
            if not asked:
                return []
            self._waiting_since[process] = time.monotonic()
            line = process.stdout.readline()
            del self._waiting_since[process]
            if not line.endswith("\n"):
                return [*asked]
            path, content, parsed = json.loads(line)
            asked.popleft()
            self._put(Examined(path, content, from_json(parsed) if parsed is not None else None))
            if len(asked) < BATCH:
                batch = self._next()

    def _put(self, found: Examined) -> None:
        while not self._closed:
            with suppress(queue.Full):
                self._done.put(found, timeout=POLL_SECONDS)
                return

    def _give_back(self, left: Sequence[Job]) -> None:
        """Files are parsed in order, so the first one is to blame, unless something else killed the process."""
        if not left or self._closed:
            return
        first, *others = left
        self._todo.extend([job] for job in others)
        if first.path in self._suspected:
            self._put(unreadable(first.path, "fatal"))
        else:
            self._suspected.add(first.path)
            self._todo.append([first])


def _batches(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    batch: list[Job] = []
    size = 0
    for job in jobs:
        if batch and (len(batch) == BATCH or size + job.size > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += job.size
    if batch:
        yield batch
