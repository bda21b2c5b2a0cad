"""One project's code as an index, behind the `CodeIndex` Protocol."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from mulligan.codecontext.answers import Answers
from mulligan.codecontext.cache import Cache, cache_file, discard, in_memory, is_busy, open_cache
from mulligan.codecontext.parsing import Stopped
from mulligan.codecontext.summary import make_frameworks, make_overview, read_written, written
from mulligan.codecontext.update import Overtaken, Updater
from mulligan.types.codecontext import (
    Dependencies,
    FileAnalysis,
    FileChanges,
    Framework,
    IndexState,
    Neighborhood,
    Overview,
    Symbol,
    SymbolInfo,
    SymbolKind,
)

ListFiles = Callable[[], Awaitable[Sequence[str]]]
"""The files that belong to a project, relative to it, with forward slashes."""

T = TypeVar("T")


class ProjectIndex:
    """Keeps a cache in a folder given to it, one file a project, and brings it up to date before every answer.

    Several processes may share the cache. Whatever goes wrong with it costs time, never the answer.
    """

    def __init__(self, root: Path, cache: Path, list_files: ListFiles) -> None:
        self._root = root.resolve()
        self._folder = cache
        self._list_files = list_files
        self._turn = asyncio.Lock()
        # A call that was cancelled may still be at work in its thread.
        self._work = threading.Lock()
        self._cache: Cache | None = None
        self._updater: Updater | None = None
        self._answers: Answers | None = None
        self._digest = ""
        self._seen: Mapping[str, str] | None = None
        """The files at the last look of `changes`."""

    async def refresh(self) -> IndexState:
        started = time.perf_counter()
        files, parsed = await self._ask(lambda answers, parsed: (len(answers.hashes), parsed))
        return IndexState(files=files, parsed=parsed, seconds=time.perf_counter() - started)

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

    async def dependencies(self, path: str) -> Dependencies:
        return await self._ask(lambda answers, _: answers.dependencies(path))

    async def file(self, path: str) -> FileAnalysis:
        return await self._ask(lambda answers, _: answers.file(path))

    async def symbol(self, name: str, *, path: str | None = None) -> tuple[SymbolInfo, ...]:
        return await self._ask(lambda answers, _: answers.symbol(name, path))

    async def changes(self) -> FileChanges:
        now = await self._ask(lambda answers, _: answers.hashes)
        before, self._seen = self._seen, now
        if before is None:
            return FileChanges((), (), (), first_look=True)
        return FileChanges(
            added=tuple(sorted(now.keys() - before.keys())),
            modified=tuple(sorted(path for path in now.keys() & before.keys() if now[path] != before[path])),
            deleted=tuple(sorted(before.keys() - now.keys())),
            first_look=False,
        )

    def close(self) -> None:
        with self._work:
            self._replace_cache(None)

    async def _ask(self, answer: Callable[[Answers, int], T]) -> T:
        """What `answer` makes of the present state, and of how many files had to be parsed for it."""
        async with self._turn:
            listed = await self._list_files()
            stop = threading.Event()
            try:
                return await asyncio.to_thread(self._run, listed, answer, stop.is_set)
            finally:
                stop.set()

    def _run(self, listed: Sequence[str], answer: Callable[[Answers, int], T], stopped: Stopped) -> T:
        with self._work:
            try:
                return answer(*self._bring_up_to_date(listed, stopped))
            except (sqlite3.Error, Overtaken) as error:
                self._start_afresh(error)
            try:
                return answer(*self._bring_up_to_date(listed, stopped))
            except (sqlite3.Error, Overtaken):
                self._replace_cache(in_memory())
            return answer(*self._bring_up_to_date(listed, stopped))

    def _bring_up_to_date(self, listed: Sequence[str], stopped: Stopped) -> tuple[Answers, int]:
        if self._cache is None:
            self._cache = open_cache(self._folder, self._root)
        if self._updater is None:
            self._updater = Updater(self._cache, self._root)
        done = self._updater.update(listed, stopped)
        if self._answers is None or done.digest != self._digest:
            self._answers = Answers(self._cache, self._root, done.hashes)
            self._digest = done.digest
        return self._answers, done.parsed

    def _start_afresh(self, error: Exception) -> None:
        if isinstance(error, Overtaken) or is_busy(error):
            self._replace_cache(in_memory())
            return
        self._replace_cache(None)
        discard(cache_file(self._folder, self._root))

    def _replace_cache(self, cache: Cache | None) -> None:
        if self._cache is not None:
            self._cache.close()
        self._cache, self._updater, self._answers = cache, None, None

    def _map(self, answers: Answers) -> tuple[Overview, tuple[Framework, ...]]:
        kept = answers.cache.computed("overview", self._digest)
        if kept is not None:
            return read_written(kept)
        frameworks, points = make_frameworks(answers.cache, self._root)
        overview = make_overview(answers.cache, answers.graph, points)
        with answers.cache.writing():
            answers.cache.keep("overview", self._digest, written(overview, frameworks))
        return overview, frameworks
