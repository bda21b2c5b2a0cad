"""What the files of a project define, read from its cache as linking needs it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.linking import MAX_DEFINERS, Defined, is_distinctive
from mulligan.codecontext.rows import KnownFile, defined_in, defining_rows
from mulligan.syntax.language import Language
from mulligan.syntax.registry import language_with

MAX_CACHED_FILES = 2_000
"""Files whose names are kept in memory. Neighboring files use the same ones, so keeping more would hardly help."""


class StoredDefinitions:
    """The definitions in one state of a project. What linking looks up by name is loaded for all names, or for
    `names`."""

    def __init__(self, cache: Cache, files: Mapping[str, KnownFile], names: Sequence[str] | None = None) -> None:
        self._cache = cache
        self._files = files
        self._paths = {each.id: path for path, each in files.items() if each.grammar is not None}
        self._lone: dict[str, dict[str, str]] = {}
        """Lone names by the name of their language."""
        self._common: tuple[set[str], set[str]] = (set(), set())
        """Names that too many files define: free ones, and members."""
        for name, rows in groupby(defining_rows(cache, names), itemgetter(0)):
            self._hold(name, rows)
        self.of = lru_cache(MAX_CACHED_FILES)(self._defined)

    def language(self, path: str) -> Language | None:
        known = self._files.get(path)
        return language_with(known.grammar) if known and known.grammar else None

    def lone(self, language: Language) -> Mapping[str, str]:
        return self._lone.get(language.name, {})

    def _hold(self, name: str, rows: Iterable[tuple[str, int, int]]) -> None:
        free: set[int] = set()
        members: set[int] = set()
        for _, file, is_member in rows:
            (members if is_member else free).add(file)
        for files, common in zip((free, members), self._common, strict=True):
            if len(files) > MAX_DEFINERS:
                common.add(name)
        if not 0 < len(free) <= MAX_DEFINERS or not is_distinctive(name):
            return
        by_language: dict[str, list[str]] = {}
        for file in free:
            path = self._paths[file]
            if language := self.language(path):
                by_language.setdefault(language.name, []).append(path)
        for language_name, paths in by_language.items():
            if len(paths) == 1:
                self._lone.setdefault(language_name, {})[name] = paths[0]

    def _defined(self, path: str) -> Defined:
        free: set[str] = set()
        members: set[str] = set()
        known = self._files.get(path)
        for name, is_member in defined_in(self._cache, known.id) if known else ():
            if not is_member:
                free.add(name)
            elif is_distinctive(name):
                members.add(name)
        return Defined(frozenset(free - self._common[0]), frozenset(members - self._common[1]))
