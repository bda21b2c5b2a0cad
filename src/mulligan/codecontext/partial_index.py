"""A partial index, for use while the rest of the project is still being read."""

from array import array
from collections.abc import Sequence
from pathlib import Path

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.graph import Graph
from mulligan.codecontext.index_queries import IndexQueries
from mulligan.codecontext.project_map import make_map
from mulligan.codecontext.rows import known_files
from mulligan.codecontext.stored_graph import StoredGraph
from mulligan.codecontext.update import Updated
from mulligan.codecontext.word_search import files_with_words
from mulligan.runtime.threads import run_leavable
from mulligan.types.codecontext import (
    CodeFile,
    Dependencies,
    FileAnalysis,
    Framework,
    Neighborhood,
    Overview,
    Symbol,
    SymbolInfo,
    SymbolKind,
)


class PartialIndex:
    """Implements `CodeAnswers` from the files read so far. Links are only made when all files are read: until then, the
    largest file counts as the most important, and there are no neighborhoods."""

    def __init__(self, cache: Cache, root: Path) -> None:
        self._cache = cache
        self._root = root
        self._queries = _UnlinkedQueries(cache, root, Updated(known_files(cache), "", cache.others_wrote(), 0))

    @property
    def files(self) -> int:
        return len(self._queries.files)

    async def overview(self) -> Overview:
        return await run_leavable(lambda: self._map()[0])

    async def frameworks(self) -> tuple[Framework, ...]:
        return await run_leavable(lambda: self._map()[1])

    async def neighborhoods(self, around: str | None = None) -> tuple[Neighborhood, ...]:
        return await run_leavable(lambda: self._queries.neighborhoods(around))

    async def search_symbols(
        self, query: str, *, kind: SymbolKind | None = None, limit: int = 40
    ) -> tuple[Symbol, ...]:
        return await run_leavable(lambda: self._queries.search(query, kind, limit))

    async def code_files(self, words: Sequence[str]) -> tuple[CodeFile, ...]:
        return await run_leavable(lambda: files_with_words(self._cache, self._queries.files, words))

    async def dependencies(self, path: str) -> Dependencies:
        return await run_leavable(lambda: self._queries.dependencies(path))

    async def file(self, path: str) -> FileAnalysis:
        return await run_leavable(lambda: self._queries.file(path))

    async def symbol(self, name: str, *, path: str | None = None) -> tuple[SymbolInfo, ...]:
        return await run_leavable(lambda: self._queries.symbol(name, path))

    def close(self) -> None:
        self._cache.close()

    def _map(self) -> tuple[Overview, tuple[Framework, ...]]:
        return make_map(self._cache, self._root, self._queries.files, self._queries.graph)


class _UnlinkedQueries(IndexQueries):
    def make_graph(self) -> Graph:
        code = sorted((path, each.id, each.lines) for path, each in self.files.items() if each.grammar is not None)
        ids = {number: index for index, (_, number, _) in enumerate(code)}
        sizes = array("i", [1 + lines for _, _, lines in code])
        return Graph(self.cache, ids, [path for path, _, _ in code], StoredGraph(sizes, [0] * len(code), []))
