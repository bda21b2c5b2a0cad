"""The map of a project: builds its `Overview` and `Framework`s."""

import json
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.examined_file import read_text
from mulligan.codecontext.graph import Graph
from mulligan.codecontext.rows import KnownFile, symbols_named, symbols_where
from mulligan.syntax.file_types import DOCUMENTS
from mulligan.syntax.project_paths import ProjectPaths, ancestors
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.base import validate
from mulligan.types.codecontext import (
    EntryPoint,
    Framework,
    LanguageShare,
    Neighborhood,
    Overview,
    RankedFile,
    SkipReason,
    Symbol,
)
from mulligan.types.plain_values import plain

MAX_IMPORTANT_FILES = 40
MAX_SYMBOLS = 40
MAX_NEIGHBORHOODS = 30
MAX_ENTRY_POINTS = 40
MAX_DOCUMENTS = 60
MAX_FOLDERS = 80

_PLAIN_DOCUMENTS = frozenset({"readme", "readme.txt", "contributing", "changelog", "changes.txt", "todo"})
_LEFT_OUT = ("vendored", "generated", "minified", "binary")
"""Files that the project's authors did not write."""


def make_map(
    cache: Cache, root: Path, files: Mapping[str, KnownFile], graph: Graph
) -> tuple[Overview, tuple[Framework, ...]]:
    own = {path: each for path, each in files.items() if each.skipped not in _LEFT_OUT}
    frameworks, points = _frameworks(cache, root, files, own)
    starts = {point.path: point.what for point in reversed(points)}
    overview = Overview(
        files=len(files),
        lines=sum(each.lines for each in own.values()),
        languages=_languages(own.values()),
        entry_points=tuple(points[:MAX_ENTRY_POINTS]),
        important=_important(graph, starts),
        symbols=_most_used(cache, graph),
        neighborhoods=tuple(islice(neighborhoods(graph), MAX_NEIGHBORHOODS)),
        documents=tuple(_documents(own)[:MAX_DOCUMENTS]),
        folders=_folders(own),
        skipped=_skipped(files.values()),
    )
    return overview, frameworks


def _frameworks(
    cache: Cache, root: Path, files: Mapping[str, KnownFile], own: Mapping[str, KnownFile]
) -> tuple[tuple[Framework, ...], list[EntryPoint]]:
    """What each manifest says, with the entry points below its folder, the outermost first; and all entry points."""
    from mulligan.codecontext.entry_points import NAMES, entry_points
    from mulligan.codecontext.manifests import is_manifest, read_manifest

    manifests = [path for path in files if is_manifest(path) and files[path].skipped not in ("vendored", "too large")]
    manifests.sort(key=lambda path: (path.count("/"), path))
    paths = ProjectPaths(files)
    found = [each for path in manifests if (each := read_manifest(path, read_text(root, path), paths))]
    listed = [point for each in found for point in each.entry_points]
    candidates = [symbol for symbol in symbols_named(cache, NAMES) if symbol.path in own]
    candidates.sort(key=lambda symbol: (symbol.path, symbol.line))
    everything = entry_points(own, candidates, listed)
    return tuple(_with_entry_points(found, everything)), everything


def neighborhoods(graph: Graph) -> Iterator[Neighborhood]:
    """The largest first."""
    for (name, files), symbols in zip(graph.named_groups(), graph.group_symbols, strict=True):
        yield Neighborhood(name, tuple(files), tuple(symbols))


def map_to_json(overview: Overview, frameworks: tuple[Framework, ...]) -> str:
    return json.dumps(plain((overview, frameworks), mode="json"))


def map_from_json(text: str) -> tuple[Overview, tuple[Framework, ...]]:
    return validate(tuple[Overview, tuple[Framework, ...]], json.loads(text))


def _with_entry_points(found: Sequence[Framework], points: Sequence[EntryPoint]) -> Iterable[Framework]:
    """Each entry point belongs to the innermost manifest around it; if a folder has several, to the first."""
    first: dict[str, Framework] = {}
    for each in found:
        first.setdefault(posixpath.dirname(each.manifest), each)
    owned: dict[str, list[EntryPoint]] = {}
    for point in points:
        owner = next((first[folder] for folder in ancestors(point.path) if folder in first), None)
        owned.setdefault(owner.manifest if owner else "", []).append(point)
    for each in found:
        yield replace(each, entry_points=tuple(owned.get(each.manifest, ())))


def _languages(known: Iterable[KnownFile]) -> tuple[LanguageShare, ...]:
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for each in known:
        if language := each.language:
            files[language] += 1
            lines[language] += each.lines
    shares = [LanguageShare(language, files[language], lines[language]) for language in files]
    return tuple(sorted(shares, key=lambda each: (-each.lines, -each.files, each.language)))


def _important(graph: Graph, starts: Mapping[str, str]) -> tuple[RankedFile, ...]:
    best: dict[int, tuple[str, int]] = {}
    for index, name, count in graph.symbols:
        best.setdefault(index, (name, count))
    found: list[RankedFile] = []
    for index in graph.ranked[:MAX_IMPORTANT_FILES]:
        path = graph.paths[index]
        why: list[str] = []
        if used := graph.used_by[index]:
            why.append(f"used by {used} file{'s' if used > 1 else ''}")
        if path in starts:
            why.append(f"entry point: {starts[path]}")
        if index in best and best[index][1] > 1:
            why.append(f"defines {best[index][0]}, used in {best[index][1]} files")
        if is_test_file(path):
            why.append("test")
        found.append(RankedFile(path, round(graph.shares[index], 6), tuple(why)))
    return tuple(found)


def _most_used(cache: Cache, graph: Graph) -> tuple[Symbol, ...]:
    used = ((name, graph.paths[index]) for index, name, _ in graph.symbols if not is_test_file(graph.paths[index]))
    # Top-level symbols before members.
    first = "s.name = ? AND f.path = ? ORDER BY s.parent, s.line LIMIT 1"
    return tuple(symbol for pair in islice(used, MAX_SYMBOLS) for symbol in symbols_where(cache, first, pair))


def _documents(known: Mapping[str, KnownFile]) -> list[str]:
    written = ((path, each.language) for path, each in known.items() if each.grammar is None)
    named = [path for path, language in written if language in DOCUMENTS or _is_plain_document(path)]
    return sorted(named, key=lambda path: (path.count("/"), path.lower(), path))


def _is_plain_document(path: str) -> bool:
    return path.rpartition("/")[2].lower() in _PLAIN_DOCUMENTS


def _folders(paths: Iterable[str]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for folder, files in Counter([path.rpartition("/")[0] for path in paths]).items():
        parts = folder.split("/") if folder else []
        for depth in range(1, min(len(parts), 2) + 1):
            counts["/".join(parts[:depth])] += files
    kept = sorted(counts, key=lambda folder: (-counts[folder], folder))[:MAX_FOLDERS]
    return tuple((folder, counts[folder]) for folder in sorted(kept))


def _skipped(known: Iterable[KnownFile]) -> tuple[tuple[SkipReason, int], ...]:
    counts: Counter[SkipReason] = Counter([each.skipped for each in known if each.skipped])
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
