"""The index of one project's code. Implements the `CodeIndex` protocol."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from mulligan.codecontext.cache import (
    Cache,
    StaleIndex,
    cache_file,
    discard,
    in_memory,
    is_busy,
    open_cache,
    open_kept,
)
from mulligan.codecontext.disk_watch import DiskWatch
from mulligan.codecontext.index_queries import IndexQueries
from mulligan.codecontext.parsing import WORTH_PROCESSES, IndexInterrupted, Stopped
from mulligan.codecontext.partial_index import PartialIndex
from mulligan.codecontext.project_map import make_map, map_from_json, map_to_json
from mulligan.codecontext.snapshot import IndexSnapshot, changes_between, read_snapshot, snapshot_file, write_snapshot
from mulligan.codecontext.update import MAX_TRIES, Updater
from mulligan.codecontext.word_search import files_with_words
from mulligan.ports.code import CodeAnswers
from mulligan.runtime.threads import run_leavable
from mulligan.types.codecontext import (
    CodeFile,
    Dependencies,
    FileAnalysis,
    FileChanges,
    Framework,
    IndexProgress,
    IndexState,
    Neighborhood,
    Overview,
    Symbol,
    SymbolInfo,
    SymbolKind,
)
from mulligan.types.errors import CallRejected

PARTIAL_AFTER_SECONDS = 10.0
"""Seconds to wait for a complete answer: enough to read some thousand files, and as long as a model's next step."""
PARTIAL_AGAIN_AFTER_SECONDS = 1.0
"""The same for further questions while the project is still being read."""
CLOSE_SECONDS = 0.1
"""Seconds to wait for running work when the index is closed."""
WORTH_WATCHING = 1_000
"""Files. Scanning fewer takes a few milliseconds, so watching them is not worth it."""
PROGRESS_INTERVAL = 0.3
"""Seconds between two progress reports."""
SQLITE_STEPS = 100_000
"""SQLite's own steps between two checks whether to stop: a few milliseconds."""

ListFiles = Callable[[], Awaitable[Sequence[str]]]
"""The files that belong to a project, relative to it, with forward slashes."""

T = TypeVar("T")


class ProjectIndex:
    """Keeps a cache file for the project in the given folder, and updates it before every answer.

    Several processes may share the cache. A problem with it costs time, never the answer.
    """

    def __init__(
        self,
        root: Path,
        cache: Path,
        list_files: ListFiles,
        *,
        on_progress: Callable[[IndexProgress], None] | None = None,
        partial_after_seconds: float = PARTIAL_AFTER_SECONDS,
    ) -> None:
        """`on_progress` is called now and then in the thread that reads; the last report has nothing left to read."""
        self._root = root.resolve()
        self._folder = cache
        self._list_files = list_files
        self._turn = asyncio.Lock()
        # A cancelled call may still be running in its thread.
        self._work = threading.Lock()
        self._cache: Cache | None = None
        self._updater: Updater | None = None
        self._answers: IndexQueries | None = None
        self._digest, self._others_wrote = "", -1
        self._calls = 0
        """How many were made so far."""
        self._answered = 0
        """Calls up to this one may be answered from the last scan."""
        self._last_snapshot: IndexSnapshot | None = None
        """The last snapshot of `changes` in this process, in case none can be stored."""
        self._watch = DiskWatch(self._root)
        self._reading: set[asyncio.Future[Any]] = set()
        """Questions with a partial answer. They keep running, and so does the reading."""
        self._closing = threading.Event()
        self._under_way: asyncio.Future[Any] | None = None
        self._on_progress = on_progress
        self._partial_after_seconds = partial_after_seconds
        self._progress, self._last_reported = IndexProgress(), IndexProgress()
        self._reported_at = 0.0

    async def refresh(self) -> IndexState:
        started = time.perf_counter()
        files, parsed = await self._ask(lambda answers, parsed: (len(answers.files), parsed))
        return IndexState(files=files, parsed=parsed, seconds=time.perf_counter() - started)

    def progress(self) -> IndexProgress:
        return self._progress

    async def promptly(self, question: Callable[[CodeAnswers], Awaitable[T]]) -> tuple[T, IndexProgress | None]:
        asked = asyncio.ensure_future(question(self))
        try:
            await asyncio.wait(
                {asked},
                timeout=min(PARTIAL_AGAIN_AFTER_SECONDS, self._partial_after_seconds)
                if self._reading
                else self._partial_after_seconds,
            )
            part = None if asked.done() else await run_leavable(self._part)
        except asyncio.CancelledError:
            asked.cancel()
            raise
        if part is None:
            return await asked, None
        self._reading.add(asked)
        asked.add_done_callback(self._was_read)
        so_far = IndexProgress(part.files, part.files + max(0, self._progress.of - self._progress.read))
        try:
            return await question(part), so_far
        except CallRejected as unknown:
            advice = "Not all files have been read yet: use grep, or ask again later."
            raise CallRejected(unknown.kind, f"{unknown} {advice}") from None
        finally:
            part.close()

    async def overview(self) -> Overview:
        return await self._ask(lambda answers, _: self._map(answers)[0])

    async def frameworks(self) -> tuple[Framework, ...]:
        return await self._ask(lambda answers, _: self._map(answers)[1])

    async def neighborhoods(self, around: str | None = None) -> tuple[Neighborhood, ...]:
        return await self._ask(lambda answers, _: answers.neighborhoods(around))

    async def search_symbols(
        self, query: str, *, kind: SymbolKind | None = None, limit: int = 40
    ) -> tuple[Symbol, ...]:
        return await self._ask(lambda answers, _: answers.search(query, kind, limit))

    async def code_files(self, words: Sequence[str]) -> tuple[CodeFile, ...]:
        return await self._ask(lambda answers, _: files_with_words(answers.cache, answers.files, words))

    async def dependencies(self, path: str) -> Dependencies:
        return await self._ask(lambda answers, _: answers.dependencies(path))

    async def file(self, path: str) -> FileAnalysis:
        return await self._ask(lambda answers, _: answers.file(path))

    async def symbol(self, name: str, *, path: str | None = None) -> tuple[SymbolInfo, ...]:
        return await self._ask(lambda answers, _: answers.symbol(name, path))

    async def changes(self) -> FileChanges:
        hashes = await self._ask(lambda answers, _: {path: each.hash for path, each in answers.files.items()})
        async with self._turn:
            now = IndexSnapshot(time.time(), hashes)
            return await run_leavable(lambda: self._compare_snapshots(now))

    def close(self) -> None:
        """Stop running work without waiting for its end. The next process repairs what it leaves unfinished."""
        self._closing.set()
        if self._under_way is not None:
            self._under_way.cancel()
        if self._work.acquire(timeout=CLOSE_SECONDS):
            try:
                self._replace_cache(None)
                self._watch.close()
            finally:
                self._work.release()

    def _was_read(self, asked: "asyncio.Future[Any]") -> None:
        self._reading.discard(asked)
        if not asked.cancelled():
            asked.exception()  # ignored: the next question gets the error again

    def _part(self) -> PartialIndex | None:
        cache = open_kept(self._folder, self._root)
        return PartialIndex(cache, self._root) if cache else None

    def _compare_snapshots(self, now: IndexSnapshot) -> FileChanges:
        path = snapshot_file(self._folder, self._root)
        before, self._last_snapshot = read_snapshot(path) or self._last_snapshot, now
        with contextlib.suppress(OSError):
            write_snapshot(path, now)
        return changes_between(before, now)

    async def _ask(self, answer: Callable[[IndexQueries, int], T]) -> T:
        """Call `answer` with the current state, and with how many files had to be parsed for it.

        Concurrent calls share one scan of the disk, which starts after the last of them was made.
        """
        self._calls += 1
        call = self._calls
        async with self._turn:
            if call <= self._answered:
                with contextlib.suppress(sqlite3.Error, StaleIndex):
                    return await run_leavable(lambda: self._answer_again(answer))
            await asyncio.sleep(0)  # lets the other calls be made
            calls = self._calls
            if self._answers is not None:
                with contextlib.suppress(sqlite3.Error, StaleIndex):
                    return await run_leavable(lambda: self._answer_unchanged(answer))
            listed, _ = await asyncio.gather(self._list_files(), run_leavable(self._prepare))
            stop = threading.Event()
            try:
                found = await self._unless_closed(lambda: self._run(listed, answer, lambda: self._is_over(stop)))
            finally:
                stop.set()
            self._answered = calls
            return found

    async def _unless_closed(self, work: Callable[[], T]) -> T:
        """Raises `IndexInterrupted` as soon as the index is closed, even in the middle of the work."""
        self._under_way = working = asyncio.ensure_future(run_leavable(work))
        try:
            return await working
        except asyncio.CancelledError:
            _refuse_if(self._closing.is_set)
            raise

    def _prepare(self) -> None:
        """Read the cache while the files are being listed. Errors are ignored: they show up again when it is used."""
        with self._work, contextlib.suppress(sqlite3.Error):
            self._open().prepare()

    def _open(self) -> Updater:
        if self._cache is None:
            self._cache = open_cache(self._folder, self._root)
        if self._updater is None:
            self._updater = Updater(self._cache, self._root, self._report)
        return self._updater

    def _report(self, now: IndexProgress) -> None:
        self._progress = now
        if self._on_progress is None or now == self._last_reported:
            return
        clock = time.monotonic()
        begins = now.of >= WORTH_PROCESSES and not self._last_reported.of
        if begins or not now.of or clock - self._reported_at >= PROGRESS_INTERVAL:
            self._reported_at, self._last_reported = clock, now
            self._on_progress(now)

    def _is_over(self, stop: threading.Event) -> bool:
        return stop.is_set() or self._closing.is_set()

    def _answer_unchanged(self, answer: Callable[[IndexQueries, int], T]) -> T:
        """Answer from the last scan if nothing has changed on disk. Raises `StaleIndex` otherwise."""
        with self._work:
            if self._answers is None or not self._watch.is_unchanged():
                # Before the files are listed, so that later changes are noticed.
                if self._answers is not None and len(self._answers.files) >= WORTH_WATCHING:
                    self._watch.begin()
                raise StaleIndex
        return self._answer_again(answer)

    def _answer_again(self, answer: Callable[[IndexQueries, int], T]) -> T:
        """Answer from the last scan. Raises `StaleIndex` if another process has written since."""
        with self._work:
            if self._answers is None or self._updater is None:
                raise StaleIndex
            return _steady(answer, self._answers, 0, self._updater)

    def _run(self, listed: Sequence[str], answer: Callable[[IndexQueries, int], T], stopped: Stopped) -> T:
        with self._work:
            self._reported_at = time.monotonic()
            try:
                return self._answer_somehow(listed, answer, stopped)
            finally:
                self._report(IndexProgress())
                if self._cache is not None:
                    self._cache.connection.set_progress_handler(None, 0)

    def _answer_somehow(self, listed: Sequence[str], answer: Callable[[IndexQueries, int], T], stopped: Stopped) -> T:
        try:
            return self._answer(listed, answer, stopped)
        except (sqlite3.Error, StaleIndex) as error:
            _refuse_if(stopped)
            self._start_afresh(error)
        try:
            return self._answer(listed, answer, stopped)
        except (sqlite3.Error, StaleIndex):
            _refuse_if(stopped)
            self._replace_cache(in_memory())
        return self._answer(listed, answer, stopped)

    def _answer(self, listed: Sequence[str], answer: Callable[[IndexQueries, int], T], stopped: Stopped) -> T:
        """Raises `StaleIndex` if another process keeps writing during the scans."""
        parsed = 0
        for _ in range(MAX_TRIES):
            answers, updater, more = self._bring_up_to_date(listed, stopped)
            parsed += more
            with contextlib.suppress(StaleIndex):
                found = _steady(answer, answers, parsed, updater)
                self._watch.looked()
                return found
        raise StaleIndex

    def _bring_up_to_date(self, listed: Sequence[str], stopped: Stopped) -> tuple[IndexQueries, Updater, int]:
        updater = self._open()
        # This also interrupts long queries.
        updater.cache.connection.set_progress_handler(stopped, SQLITE_STEPS)
        done = updater.update(listed, stopped)
        if self._answers is None or (done.digest, done.others_wrote) != (self._digest, self._others_wrote):
            self._answers = IndexQueries(updater.cache, self._root, done)
            self._digest, self._others_wrote = done.digest, done.others_wrote
        return self._answers, updater, done.parsed

    def _start_afresh(self, error: Exception) -> None:
        if isinstance(error, StaleIndex) or is_busy(error):
            self._replace_cache(in_memory())
            return
        self._replace_cache(None)
        discard(cache_file(self._folder, self._root))

    def _replace_cache(self, cache: Cache | None) -> None:
        if self._cache is not None:
            self._cache.close()
        self._cache, self._updater, self._answers = cache, None, None

    def _map(self, answers: IndexQueries) -> tuple[Overview, tuple[Framework, ...]]:
        kept = answers.cache.computed("overview", self._digest)
        if kept is not None:
            return map_from_json(kept)
        overview, frameworks = make_map(answers.cache, self._root, answers.files, answers.graph)
        with answers.cache.writing():
            # Otherwise a part of it may be from another state.
            if self._updater is not None and not self._updater.is_overtaken():
                answers.cache.keep("overview", self._digest, map_to_json(overview, frameworks))
        return overview, frameworks


def _refuse_if(stopped: Stopped) -> None:
    if stopped():
        raise IndexInterrupted


def _steady(answer: Callable[[IndexQueries, int], T], answers: IndexQueries, parsed: int, updater: Updater) -> T:
    """Raises `StaleIndex` if another process wrote meanwhile: the answer may mix both states."""
    try:
        found = answer(answers, parsed)
    except CallRejected:
        if updater.is_overtaken():
            raise StaleIndex from None
        raise
    if updater.is_overtaken():
        raise StaleIndex
    return found
