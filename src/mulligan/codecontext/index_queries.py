"""Queries on an up-to-date index: files, symbols and how they are related."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.graph import Graph, load_graph
from mulligan.codecontext.project_map import neighborhoods
from mulligan.codecontext.rows import SymbolKey, symbol_at, symbol_keys_named, symbols_named, symbols_where
from mulligan.codecontext.symbol_search import NameList, fits, nearest_names
from mulligan.codecontext.update import Updated
from mulligan.runtime.regular_files import read_regular
from mulligan.syntax.parsed_file import first_use
from mulligan.syntax.registry import language_of
from mulligan.syntax.skipping import MAX_FILE_BYTES
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.codecontext import (
    Dependencies,
    FileAnalysis,
    Link,
    Neighborhood,
    Reference,
    Symbol,
    SymbolInfo,
    SymbolKind,
)
from mulligan.types.errors import CallRejected

MAX_REFERENCES = 20
NAMES_AT_ONCE = 100
"""Names per lookup, the best first, until there are enough symbols."""
MAX_SOURCE_LINES = 60
MAX_DESCRIBED_SYMBOLS = 3
"""Most symbols of one name to describe in full."""
_IMPORTS = re.compile(
    r"\s*(?:import|from|use|using|#\s*include|require|require_relative|export\s*\{|mod)\b|.*\brequire\("
)


_SortKey = tuple[bool, bool, int, float, str, int]


class IndexQueries:
    """Queries on one state of a project."""

    def __init__(self, cache: Cache, root: Path, state: Updated) -> None:
        self.cache = cache
        self.root = root
        self.files = state.files
        self._others_wrote = state.others_wrote
        self._file_sort_keys: dict[int, tuple[bool, float, str]] = {}

    @cached_property
    def graph(self) -> Graph:
        return self.make_graph()

    def make_graph(self) -> Graph:
        return load_graph(self.cache, self.files, self._others_wrote)

    @cached_property
    def _neighborhoods(self) -> tuple[Neighborhood, ...]:
        return tuple(neighborhoods(self.graph))

    @cached_property
    def _names(self) -> NameList:
        return NameList(name for (name,) in self.cache.connection.execute("SELECT DISTINCT name FROM symbols"))

    def file(self, path: str) -> FileAnalysis:
        path = self.known_path(path)
        row = self.cache.connection.execute(
            "SELECT language, lines, doc, skipped FROM files WHERE path = ?", (path,)
        ).fetchone()
        language, lines, doc, skipped = row
        return FileAnalysis(
            path=path,
            language=language,
            lines=lines,
            doc=doc,
            symbols=tuple(symbols_where(self.cache, "f.path = ? ORDER BY s.place", (path,))),
            dependencies=self.dependencies(path),
            rank=self.graph.rank.get(path, len(self.graph.paths) + 1),
            skipped=skipped,
        )

    def dependencies(self, path: str) -> Dependencies:
        path = self.known_path(path)
        found = self.cache.connection.execute(
            "SELECT modules FROM externals e JOIN files f ON f.id = e.source WHERE f.path = ?", (path,)
        ).fetchone()
        return Dependencies(
            path=path,
            imports=self._links("target", "source", path),
            imported_by=self._links("source", "target", path),
            external=tuple(found[0].split("\n")) if found and found[0] else (),
        )

    def neighborhoods(self, around: str | None) -> tuple[Neighborhood, ...]:
        graph = self.graph
        if around is None:
            return self._neighborhoods
        paths = self._files_around(around)
        group_of = {graph.paths[index]: number for number, group in enumerate(graph.groups) for index in group}
        touched = [
            link.path
            for path in paths
            for link in (*self._links("target", "source", path), *self._links("source", "target", path))
        ]
        own = list(dict.fromkeys(group_of[path] for path in paths if path in group_of))
        counts = Counter(group_of[path] for path in touched if path in group_of)
        others = sorted(
            (number for number in counts if number not in own), key=lambda number: (-counts[number], number)
        )
        found = [self._neighborhoods[number] for number in (*own, *others)]
        if not own and touched:
            found.insert(0, Neighborhood(paths[0], tuple(dict.fromkeys([*paths, *touched])), ()))
        return tuple(found)

    def search(self, query: str, kind: SymbolKind | None, limit: int) -> tuple[Symbol, ...]:
        parent, _, name = query.strip().replace("::", ".").rpartition(".")
        if not name:
            return ()
        found = sorted(fits(name, self._names), key=lambda each: (each[0], len(each[1]), each[1]))
        fit = {known: quality for quality, known in reversed(found)}
        keys: list[SymbolKey] = []
        for start in range(0, len(found), NAMES_AT_ONCE):
            some = [known for _, known in found[start : start + NAMES_AT_ONCE]]
            keys += symbol_keys_named(self.cache, some, kind, parent)
            if len(keys) >= limit:
                break
        # A name may be defined a thousand times: only symbols that are shown are read completely.
        keys.sort(key=lambda each: (fit[each.name], *self._sort_key_of(each)))
        return tuple(symbol_at(self.cache, each) for each in keys[:limit])

    def symbol(self, name: str, path: str | None) -> tuple[SymbolInfo, ...]:
        parent, _, short_name = name.strip().replace("::", ".").rpartition(".")
        within = self.known_path(path) if path else None
        named = [each for each in symbols_named(self.cache, [short_name]) if _is_within(each, parent)]
        found = [each for each in named if within in (None, each.path)]
        if not found:
            raise CallRejected("exec_error", self._no_symbol(name, short_name, within, named))
        found.sort(key=self._sort_key)
        return tuple(self._info(each, named, found) for each in found[:MAX_DESCRIBED_SYMBOLS])

    def known_path(self, path: str) -> str:
        """The path as the index has it. Raises `CallRejected`."""
        wanted = path.strip().replace("\\", "/")
        base = f"{self.root.as_posix()}/"
        wanted = wanted.removeprefix(base)
        while wanted.startswith("./"):
            wanted = wanted[2:]
        if wanted in self.files:
            return wanted
        if any(each.startswith(f"{wanted.rstrip('/')}/") for each in self.files):
            raise CallRejected("exec_error", f"{path} is a folder; name one of its files.")
        near = _nearest_paths(wanted, list(self.files))
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise CallRejected("exec_error", f"{path} is not among the files of the project.{hint}")

    def _files_around(self, around: str) -> list[str]:
        try:
            return [self.known_path(around)]
        except CallRejected:
            parent, _, short_name = around.replace("::", ".").rpartition(".")
            named = [each for each in symbols_named(self.cache, [short_name]) if _is_within(each, parent)]
            if not named:
                raise
            named.sort(key=self._sort_key)
            return list(dict.fromkeys(each.path for each in named))[:3]

    def _no_symbol(self, name: str, short_name: str, within: str | None, elsewhere: Sequence[Symbol]) -> str:
        if elsewhere and within:
            return (
                f"{within} has no symbol {name}; it is in {', '.join(sorted({each.path for each in elsewhere})[:3])}."
            )
        near = nearest_names(short_name, self._names.names)
        hint = f" Did you mean {' or '.join(near)}?" if near else " Use search_symbols to look for it."
        return f"There is no symbol {name} in the project.{hint}"

    def _sort_key(self, symbol: Symbol) -> _SortKey:
        """The sort key for symbols that match equally well."""
        uses = self.graph.uses.get((symbol.path, symbol.name), 0)
        share = self.graph.share(symbol.path)
        return is_test_file(symbol.path), symbol.is_declaration, -uses, -share, symbol.path, symbol.line

    def _sort_key_of(self, at: SymbolKey) -> _SortKey:
        is_test, share, path = self._file_sort_key(at.file)
        return is_test, bool(at.is_declaration), -self.graph.uses.get((path, at.name), 0), share, path, at.line

    def _file_sort_key(self, file: int) -> tuple[bool, float, str]:
        if file not in self._file_sort_keys:
            path = self._paths[file]
            self._file_sort_keys[file] = (is_test_file(path), -self.graph.share(path), path)
        return self._file_sort_keys[file]

    @cached_property
    def _paths(self) -> dict[int, str]:
        return {each.id: path for path, each in self.files.items()}

    def _links(self, end: str, begin: str, path: str) -> tuple[Link, ...]:
        rows = self.cache.connection.execute(
            f"SELECT o.path, l.names, l.weight FROM links l JOIN files o ON o.id = l.{end}"  # noqa: S608 - two fixed words
            f" JOIN files f ON f.id = l.{begin} WHERE f.path = ?",
            (path,),
        ).fetchall()
        rows.sort(key=lambda row: (-row[2], row[0]))
        return tuple(Link(other, tuple(names.split(" ")[::2]) if names else ()) for other, names, _ in rows)

    def _info(self, symbol: Symbol, named: Sequence[Symbol], asked: Sequence[Symbol]) -> SymbolInfo:
        whole = f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name
        folder, language = symbol.path.rpartition("/")[0], language_of(symbol.path)
        shared = language is not None and language.shares_folder
        members = [
            each
            for each in symbols_where(
                self.cache, "s.parent = ? ORDER BY f.path != ?, f.path, s.place", (whole, symbol.path)
            )
            if each.path == symbol.path or (shared and each.path.rpartition("/")[0] == folder)
        ]
        users = self._users(symbol, named)
        return SymbolInfo(
            symbol=symbol,
            source=tuple(self._lines(symbol.path)[symbol.line - 1 : symbol.end_line][:MAX_SOURCE_LINES]),
            references=tuple(
                _reference(path, self._lines(path), symbol.name, line) for path, line in users[:MAX_REFERENCES]
            ),
            using_files=len(users),
            own_references=tuple(self._uses_in(symbol.path, symbol.name)),
            members=tuple(members),
            others=tuple(each for each in asked if each != symbol),
        )

    def _users(self, symbol: Symbol, named: Sequence[Symbol]) -> list[tuple[str, int]]:
        """Other files that use a symbol, each with the first line to show. Some only use a header's declaration."""
        declaring = {each.path for each in self._declarations(symbol, named)}
        found = {path: line for home in (symbol.path, *declaring) for path, line in self._linked(home, symbol.name)}
        for path in declaring:
            found.pop(path, None)
            if inside := self._uses_in(path, symbol.name):
                found[path] = inside[0].line
        found.pop(symbol.path, None)
        return sorted(found.items(), key=lambda user: (is_test_file(user[0]), -self.graph.share(user[0]), user[0]))

    def _declarations(self, symbol: Symbol, named: Sequence[Symbol]) -> list[Symbol]:
        """The symbol's declarations in files that its definition's file uses, such as an included header."""
        if symbol.is_declaration:
            return []
        seen = {link.path for link in self._links("target", "source", symbol.path)}
        return [each for each in named if each.is_declaration and each.path in seen and _share_parent(each, symbol)]

    def _linked(self, path: str, name: str) -> list[tuple[str, int]]:
        """The files that use a name of this file, and the line where each first does."""
        rows = self.cache.connection.execute(
            "SELECT o.path, t.names, l.names FROM links l JOIN files f ON f.id = l.target"
            " JOIN files o ON o.id = l.source JOIN texts t ON t.file = o.id WHERE f.path = ? AND ' ' || l.names LIKE ?",
            (path, f"% {name} %"),
        ).fetchall()
        return [
            (user, use[1])
            for user, names, linked in rows
            if name in linked.split(" ")[::2] and (use := first_use(names, name))
        ]

    def _uses_in(self, path: str, name: str) -> list[Reference]:
        """Uses of a name in a file that defines it, without the definition itself."""
        same = symbols_where(self.cache, "f.path = ? AND s.name = ?", (path, name))
        named = {each.line for each in same}
        word = re.compile(rf"\b{re.escape(name)}\b")
        return [
            Reference(path, number, text.strip())
            for number, text in enumerate(self._lines(path), 1)
            if number not in named and word.search(text) and not text.lstrip().startswith(("#", "//", "*", "/*"))
        ]

    def _lines(self, path: str) -> list[str]:
        try:
            data = read_regular(self.root / path, limit=MAX_FILE_BYTES, follow=False)
        except OSError:
            return []
        return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")


def _is_within(symbol: Symbol, parent: str) -> bool:
    return not parent or f".{symbol.parent}".endswith(f".{parent}")


def _share_parent(one: Symbol, other: Symbol) -> bool:
    """`Box` and `a.Box`: one file may name the namespace, and the other open it."""
    return f".{one.parent}".endswith(f".{other.parent}") or f".{other.parent}".endswith(f".{one.parent}")


def _reference(path: str, lines: Sequence[str], name: str, first: int) -> Reference:
    """The first use that is not just an import."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    for number in range(first, len(lines) + 1):
        text = lines[number - 1]
        if word.search(text) and not _IMPORTS.match(text) and not text.lstrip().startswith(("#", "//", "*")):
            return Reference(path, number, text.strip())
    return Reference(path, first, lines[first - 1].strip() if first <= len(lines) else "")


def _nearest_paths(wanted: str, paths: Sequence[str], most: int = 3) -> list[str]:
    name = wanted.rpartition("/")[2].lower()
    same = sorted(path for path in paths if path.rpartition("/")[2].lower() == name)
    return same[:most] or nearest_names(wanted, paths, most)
