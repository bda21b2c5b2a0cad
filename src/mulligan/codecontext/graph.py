"""The files of a project as a graph: how much each matters, what belongs together, which names are used most."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.ranking import Edge, importance, names_for, neighborhoods

MOST_SYMBOLS = 400
MOST_OF_GROUP = 8
MANY_NAMES = 5_000


@dataclass(frozen=True)
class Graph:
    """Files stand for their place in `paths`. All of it follows from the files with code and the links between them."""

    paths: list[str] = field(default_factory=list[str])
    """Sorted."""
    shares: list[float] = field(default_factory=list[float])
    used_by: list[int] = field(default_factory=list[int])
    """How many files use each."""
    groups: list[list[int]] = field(default_factory=list[list[int]])
    """Neighbourhoods, the largest first; in each the most important file first."""
    names: list[str] = field(default_factory=list[str])
    """Of the groups."""
    group_symbols: list[list[str]] = field(default_factory=list[list[str]])
    symbols: list[tuple[int, str, int]] = field(default_factory=list[tuple[int, str, int]])
    """The most used: the file that defines it, its name, how many files use it."""

    @cached_property
    def place(self) -> dict[str, int]:
        return {path: place for place, path in enumerate(self.paths)}

    @cached_property
    def ranked(self) -> list[int]:
        """The most important first."""
        # `paths` is sorted, so of equal shares the first path comes first.
        return sorted(range(len(self.paths)), key=self.shares.__getitem__, reverse=True)

    @cached_property
    def rank(self) -> dict[str, int]:
        return {self.paths[place]: number for number, place in enumerate(self.ranked, 1)}

    @cached_property
    def uses(self) -> Mapping[tuple[str, str], int]:
        """For the most used symbols: file and name to the number of files that use it."""
        return {(self.paths[place], name): count for place, name, count in self.symbols}

    def share(self, path: str) -> float:
        place = self.place.get(path)
        return 0.0 if place is None else self.shares[place]


def load_graph(cache: Cache) -> Graph:
    """As it was kept, or made anew where links have changed."""
    paths = [
        path for (path,) in cache.connection.execute("SELECT path FROM files WHERE grammar IS NOT NULL ORDER BY path")
    ]
    digest = hashlib.sha256("\n".join(paths).encode()).hexdigest()
    kept = cache.computed("graph", digest)
    if kept is not None:
        return Graph(**json.loads(kept))
    made = _make(cache, paths)
    with cache.writing():
        cache.keep("graph", digest, json.dumps(fields_of(made)))
    return made


def forget_graph(cache: Cache) -> None:
    cache.connection.execute("DELETE FROM computed WHERE name = 'graph'")


def fields_of(record: Any) -> dict[str, Any]:
    """For JSON; unlike `asdict` it copies nothing."""
    return {each.name: getattr(record, each.name) for each in fields(record)}


def _make(cache: Cache, paths: list[str]) -> Graph:
    place = {path: number for number, path in enumerate(paths)}
    rows = cache.connection.execute("SELECT id, path FROM files WHERE grammar IS NOT NULL")
    ids = {number: place[path] for number, path in rows}
    # A link may lead to a file that is no code, such as imported JSON.
    edges: list[Edge] = sorted(
        (ids[source], ids[target], weight)
        for source, target, weight in cache.connection.execute("SELECT source, target, weight FROM links")
        if target in ids
    )
    used_by = [0] * len(paths)
    for _, used, _ in edges:
        used_by[used] += 1
    shares = importance(paths, edges)
    groups = [sorted(group, key=lambda each: (-shares[each], paths[each])) for group in neighborhoods(paths, edges)]
    most_used = _most_used(cache, ids)
    return Graph(
        paths=paths,
        shares=shares,
        used_by=used_by,
        groups=groups,
        names=names_for(paths, groups),
        group_symbols=_group_symbols(groups, most_used),
        symbols=most_used[:MOST_SYMBOLS],
    )


def _most_used(cache: Cache, ids: Mapping[int, int]) -> list[tuple[int, str, int]]:
    """The file that defines a name, the name, and how many files use it: the most used first."""
    run = cache.connection.execute
    # In a large project nobody asks for what one file alone uses, and there is far more of that.
    fewest = 2 if run("SELECT COUNT(*) FROM uses").fetchone()[0] > MANY_NAMES else 1
    rows = run("SELECT target, name, files FROM uses WHERE files >= ?", (fewest,))
    counted = [(-files, ids[target], name) for target, name, files in rows if target in ids]
    return [(place, name, -files) for files, place, name in sorted(counted)]


def _group_symbols(groups: Sequence[Sequence[int]], most_used: Sequence[tuple[int, str, int]]) -> list[list[str]]:
    group_of = {place: number for number, group in enumerate(groups) for place in group}
    found: list[list[str]] = [[] for _ in groups]
    for place, name, _ in most_used:
        number = group_of.get(place)
        if number is not None and len(found[number]) < MOST_OF_GROUP and name not in found[number]:
            found[number].append(name)
    return found
