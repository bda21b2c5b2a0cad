"""Reads and writes the tables of a cache, in the index's own types."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.linking import FileFacts, FileLinks
from mulligan.syntax.parsed_file import ParsedFile, counts_of, read_imports, without_lines, written_imports
from mulligan.types.codecontext import SkipReason, Symbol

SYMBOL_COLUMNS = "s.name, s.kind, f.path, s.line, s.end_line, s.signature, s.doc, s.parent, s.is_declaration"
LINKABLE = (
    "s.kind != 'module' AND length(s.name) > 1 AND s.name NOT LIKE '\\_\\_%' ESCAPE '\\'"
    " AND (s.kind != 'variable' OR s.parent = '') AND s.name NOT IN ('default', 'constructor', 'main')"
)
"""SQL condition: symbols whose names may be used in other files."""
MEMBER = "(s.kind = 'method' OR (s.kind IN ('constant', 'variable') AND s.parent != ''))"
"""SQL condition: symbols that are used as part of something."""
_OF_FILES = (("texts", "file"), ("symbols", "file"), ("links", "source"), ("externals", "source"), ("files", "id"))
"""Tables and their columns with a file's id. Foreign keys would cost a third of the time to write."""
AT_ONCE = 500
"""Values in one statement."""


UNSETTLED = -1
"""Replaces a modification time so recent that another change might not alter it."""


class Stamp(NamedTuple):
    """Tells whether a file is unchanged."""

    size: int
    mtime: int
    """Nanoseconds, or `UNSETTLED`."""
    ctime: int


class KnownFile(NamedTuple):
    id: int
    stamp: Stamp
    hash: str
    """Of the content; for a file that is not read, a string that changes with it."""
    grammar: str | None
    language: str | None
    lines: int
    skipped: SkipReason | None


def known_files(cache: Cache, paths: Sequence[str] | None = None) -> dict[str, KnownFile]:
    """The files with these paths, or all files."""
    query = "SELECT path, id, size, mtime, ctime, hash, grammar, language, lines, skipped FROM files"
    rows = cache.connection.execute(query) if paths is None else _for_each(cache, f"{query} WHERE path IN", paths)
    return {
        path: KnownFile(number, Stamp(size, mtime, ctime), content, grammar, language, lines, skipped)
        for path, number, size, mtime, ctime, content, grammar, language, lines, skipped in rows
    }


def restamp(cache: Cache, stamps: Mapping[str, Stamp]) -> None:
    values = [(stamp.size, stamp.mtime, stamp.ctime, path) for path, stamp in stamps.items()]
    cache.connection.executemany("UPDATE files SET size = ?, mtime = ?, ctime = ? WHERE path = ?", values)


def put_file(cache: Cache, path: str, stamp: Stamp, content: str, parsed: ParsedFile) -> None:
    columns = (content, parsed.grammar, parsed.language, parsed.lines, parsed.doc, parsed.skipped)
    run = cache.connection.execute
    found = run("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
    if found:
        number: int = found[0]
        run(
            "UPDATE files SET size = ?, mtime = ?, ctime = ?, hash = ?, grammar = ?, language = ?, lines = ?, doc = ?,"
            " skipped = ? WHERE id = ?",
            (stamp.size, stamp.mtime, stamp.ctime, *columns, number),
        )
        run("DELETE FROM symbols WHERE file = ?", (number,))
        run("DELETE FROM texts WHERE file = ?", (number,))
    else:
        values = (path, stamp.size, stamp.mtime, stamp.ctime, *columns)
        number = cast("int", run("INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values).lastrowid)
    if parsed.grammar is None:
        return
    run("INSERT INTO texts VALUES (?, ?, ?)", (number, written_imports(parsed.imports), parsed.names))
    cache.connection.executemany(
        "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, index, *symbol) for index, symbol in enumerate(parsed.symbols)],
    )


def drop_files(cache: Cache, paths: Iterable[str]) -> None:
    """Delete files with everything stored about them."""
    for path in paths:
        (number,) = cache.connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone() or (None,)
        for table, column in _OF_FILES:
            cache.connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))  # noqa: S608 - those above


def file_facts(cache: Cache, paths: Sequence[str] | None = None) -> Iterable[FileFacts]:
    """The facts about these files, or about all files with names."""
    query = "SELECT f.path, f.grammar, t.imports, t.names FROM texts t JOIN files f ON f.id = t.file"
    rows = cache.connection.execute(query) if paths is None else _for_each(cache, f"{query} WHERE f.path IN", paths)
    return (FileFacts(path, grammar, read_imports(imports), counts_of(names)) for path, grammar, imports, names in rows)


def defining_rows(cache: Cache, names: Sequence[str] | None = None) -> Iterable[tuple[str, int, int]]:
    """Names that may be used elsewhere, these or all, each with the id of a file that defines it and whether it is a
    member there. Rows of one name are adjacent. The index on names covers this query."""
    query = f"SELECT s.name, s.file, {MEMBER} FROM symbols s WHERE {LINKABLE}"  # noqa: S608 - constant
    if names is None:
        return cache.connection.execute(f"{query} ORDER BY s.name")
    found = _for_each(cache, f"{query} AND s.name IN", names, "ORDER BY s.name")
    return cast("Iterable[tuple[str, int, int]]", found)


def defined_in(cache: Cache, file: int) -> Iterable[tuple[str, int]]:
    """The names of one file that may be used elsewhere, and whether each is a member."""
    query = f"SELECT s.name, {MEMBER} FROM symbols s WHERE s.file = ? AND {LINKABLE}"  # noqa: S608 - constant
    return cache.connection.execute(query, (file,))


class LinkSides(NamedTuple):
    """What determines a file's links, and the links to it."""

    defined: set[tuple[str, bool]]
    """What others can link to: names, each with whether it is a member."""
    using: tuple[str, ...]
    """The file's grammar, its imports and the names it uses, without their lines."""


def link_sides(cache: Cache, paths: Sequence[str]) -> dict[str, LinkSides]:
    """For each of these files; empty for unknown files."""
    found = {path: LinkSides(set(), ()) for path in paths}
    texts = "SELECT f.path, f.grammar, t.imports, t.names FROM texts t JOIN files f ON f.id = t.file WHERE f.path IN"
    for path, grammar, imports, names in _for_each(cache, texts, paths):
        found[path] = LinkSides(set(), (grammar, imports, without_lines(names)))
    symbols = (
        f"SELECT DISTINCT f.path, s.name, {MEMBER} FROM symbols s JOIN files f ON f.id = s.file"  # noqa: S608 - constant
        f" WHERE {LINKABLE} AND f.path IN"
    )
    for path, name, is_member in _for_each(cache, symbols, paths):
        found[path].defined.add((name, bool(is_member)))
    return found


def files_naming(cache: Cache, names: Iterable[str]) -> list[str]:
    """The files in which one of these names is used."""
    found: set[int] = set()
    entries = [f"\n{name}\t".encode() for name in names]
    # Comparing bytes is faster than text, and without the paths far fewer pages are read.
    for file, body in cache.connection.execute("SELECT file, CAST(names AS BLOB) FROM texts"):
        for entry in entries:
            if entry in body:
                found.add(file)
                break
    return [path for (path,) in _for_each(cache, "SELECT path FROM files WHERE id IN", sorted(found))]


def namespaces(cache: Cache) -> dict[str, list[str]]:
    query = (
        "SELECT DISTINCT s.name, f.path FROM symbols s JOIN files f ON f.id = s.file"
        " WHERE s.kind = 'module' AND f.grammar = 'c_sharp' ORDER BY f.path"
    )
    found: dict[str, list[str]] = {}
    for name, path in cache.connection.execute(query):
        found.setdefault(name, []).append(path)
    return found


def put_links(cache: Cache, ids: Mapping[str, int], links: Mapping[str, FileLinks]) -> set[int]:
    """Replace the links of these files. Returns the files at both ends of links that changed."""
    now = {
        (ids[path], ids[link.target], link.weight, " ".join(f"{name} {count}" for name, count in link.names))
        for path, found in links.items()
        for link in found.links
    }
    sources = [ids[path] for path in links]
    before = set(_for_each(cache, "SELECT source, target, weight, names FROM links WHERE source IN", sources))
    externals = [(ids[path], "\n".join(found.external)) for path, found in links.items()]
    run = cache.connection.executemany
    run("INSERT OR REPLACE INTO externals VALUES (?, ?)", externals)
    run("DELETE FROM links WHERE source = ? AND target = ?", [each[:2] for each in before - now])
    run("INSERT INTO links VALUES (?, ?, ?, ?)", sorted(now - before))
    _count_uses(cache, before - now, now - before)
    return {end for each in before ^ now for end in each[:2]}


def links_from(cache: Cache, sources: Sequence[int] | None) -> Iterable[tuple[int, int, int]]:
    """The links of these files, or of all: user, used file and weight."""
    query = "SELECT source, target, weight FROM links"
    if sources is None:
        return cache.connection.execute(query)
    return cast("Iterable[tuple[int, int, int]]", _for_each(cache, f"{query} WHERE source IN", sources))


def clear_links(cache: Cache) -> None:
    for table in ("links", "uses", "externals"):
        cache.connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the three above


def _count_uses(cache: Cache, gone: Iterable[tuple[Any, ...]], come: Iterable[tuple[Any, ...]]) -> None:
    """Update how many files use each name, after links were removed and added."""
    more: dict[tuple[int, str], int] = {}
    for links, one in ((gone, -1), (come, 1)):
        for _, target, _, names in links:
            for name in names.split(" ")[::2] if names else ():
                more[target, name] = more.get((target, name), 0) + one
    cache.connection.executemany(
        "INSERT INTO uses VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET files = files + excluded.files",
        [(*key, count) for key, count in more.items() if count],
    )
    lost = [key for key, count in more.items() if count < 0]
    cache.connection.executemany("DELETE FROM uses WHERE target = ? AND name = ? AND files <= 0", lost)


def symbols_where(cache: Cache, condition: str, values: Sequence[object] = ()) -> list[Symbol]:
    query = f"SELECT {SYMBOL_COLUMNS} FROM symbols s JOIN files f ON f.id = s.file WHERE {condition}"  # noqa: S608 - our own conditions
    return [_symbol(row) for row in cache.connection.execute(query, values)]


def symbols_named(cache: Cache, names: Sequence[str]) -> list[Symbol]:
    query = f"SELECT {SYMBOL_COLUMNS} FROM symbols s JOIN files f ON f.id = s.file WHERE s.name IN"  # noqa: S608 - constant
    return [_symbol(row) for row in _for_each(cache, query, names)]


class SymbolKey(NamedTuple):
    """The part of a symbol that is needed to choose it among others. The index on names covers it."""

    name: str
    is_declaration: int
    line: int
    file: int
    ordinal: int


def symbol_keys_named(cache: Cache, names: Sequence[str], kind: str | None, parent: str) -> list[SymbolKey]:
    """The symbols of this kind, or of any kind; within `parent`, unless that is empty."""
    query = "SELECT s.name, s.is_declaration, s.line, s.file, s.place FROM symbols s WHERE"
    end: list[object] = []
    if kind is not None:
        query += " s.kind = ? AND"
        end.append(kind)
    if parent:
        query += " substr('.' || s.parent, ?) = ? AND"
        end += [-len(parent) - 1, f".{parent}"]
    rows = _for_each(cache, f"{query} s.name IN", names, first=end)
    return list(map(SymbolKey._make, rows))


def symbol_at(cache: Cache, at: SymbolKey) -> Symbol:
    (found,) = symbols_where(cache, "s.file = ? AND s.place = ?", (at.file, at.ordinal))
    return found


def _symbol(row: tuple[Any, ...]) -> Symbol:
    return Symbol(*row[:-1], is_declaration=bool(row[-1]))


def _for_each(
    cache: Cache, query: str, values: Sequence[object], end: str = "", first: Sequence[object] = ()
) -> Iterable[tuple[Any, ...]]:
    """The rows for all values, which are appended to the query as a list. `first` are its other parameters."""
    for start in range(0, len(values), AT_ONCE):
        some = values[start : start + AT_ONCE]
        yield from cache.connection.execute(f"{query} ({', '.join('?' * len(some))}) {end}", (*first, *some))
