"""Searches for words in what the index knows about every file: symbols, their documentation, used names."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.linking import WHOLE
from mulligan.codecontext.rows import KnownFile, links_from, symbols_where
from mulligan.types.codecontext import CodeFile, Symbol

SURE = 2 * WHOLE
"""The weight of a link to a file that is imported and used."""


def files_with_words(cache: Cache, files: Mapping[str, KnownFile], words: Sequence[str]) -> tuple[CodeFile, ...]:
    """All files with code, sorted by path."""
    paths = {each.id: path for path, each in files.items() if each.grammar is not None}
    symbols = _symbols(cache, words)
    names = _names(cache, words)
    uses: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for source, target, weight in links_from(cache, None):
        if target in paths:
            uses[source][paths[target]] = min(1.0, weight / SURE)
    docs: dict[int, str] = dict(cache.connection.execute("SELECT id, doc FROM files WHERE grammar IS NOT NULL"))
    found = [
        CodeFile(
            path,
            files[path].lines,
            docs.get(number, ""),
            tuple(symbols.get(path, ())),
            names.get(number, {}),
            uses.get(number, {}),
        )
        for number, path in paths.items()
    ]
    return tuple(sorted(found, key=lambda each: each.path))


def _symbols(cache: Cache, words: Sequence[str]) -> dict[str, list[Symbol]]:
    found: defaultdict[str, list[Symbol]] = defaultdict(list)
    if words:
        condition = " OR ".join(["instr(lower(s.name || ' ' || s.doc), ?)"] * len(words))
        for symbol in symbols_where(cache, condition, words):
            found[symbol.path].append(symbol)
    return found


def _names(cache: Cache, words: Sequence[str]) -> dict[int, dict[str, int]]:
    if not words:
        return {}
    holds = "|".join(map(re.escape, words))
    entry = re.compile(rf"^([^\t\n]*(?:{holds})[^\t\n]*)\t(\d+)", re.IGNORECASE | re.MULTILINE)
    rows = cache.connection.execute("SELECT file, names FROM texts")
    return {file: {name: int(count) for name, count in entry.findall(text)} for file, text in rows}
