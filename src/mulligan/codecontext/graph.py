"""The files of a project as a graph: how much each matters, what belongs together, which names are used most."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from mulligan.codecontext.cache import Cache, StaleIndex
from mulligan.codecontext.link_graph import LinkGraph, empty_link_graph
from mulligan.codecontext.neighbors import names_for
from mulligan.codecontext.ranking import find_ranks, follow_ranks, shares_of
from mulligan.codecontext.rows import KnownFile, links_from
from mulligan.codecontext.stored_graph import Steps, StoredGraph, changed_since, keep_graph, kept_graph, kept_steps

MAX_SYMBOLS = 400
MAX_SYMBOLS_PER_GROUP = 8
MAX_NAMES = 2_500
"""How many of the most used names to count. There are far more that are used less, and in a large project nobody asks
for those."""


class Graph:
    """Files are indexes into `paths`. Everything is computed from the files with code and the links between them."""

    def __init__(self, cache: Cache, ids: Mapping[int, int], paths: Sequence[str], stored: StoredGraph) -> None:
        """`ids` maps files' ids in the cache to their indexes."""
        self._cache = cache
        self._ids = ids
        self.paths = paths
        """Sorted."""
        self.shares = shares_of(stored.ranks)
        """Each file's share of all importance."""
        self.used_by = stored.used_by
        """How many files use each."""
        self.groups = stored.groups
        """Neighborhoods, the largest first; in each, the most important file first."""

    @cached_property
    def index_of(self) -> dict[str, int]:
        return {path: index for index, path in enumerate(self.paths)}

    @cached_property
    def ranked(self) -> list[int]:
        """The most important first."""
        # `paths` is sorted, so files with equal shares are sorted by path.
        return sorted(range(len(self.paths)), key=self.shares.__getitem__, reverse=True)

    @cached_property
    def rank(self) -> dict[str, int]:
        return {self.paths[index]: number for number, index in enumerate(self.ranked, 1)}

    @cached_property
    def symbols(self) -> list[tuple[int, str, int]]:
        """The most used symbols: the file that defines it, its name, how many files use it."""
        return self._most_used[:MAX_SYMBOLS]

    @cached_property
    def uses(self) -> Mapping[tuple[str, str], int]:
        """For the most used symbols, by file and name: how many files use it."""
        return {(self.paths[index], name): count for index, name, count in self.symbols}

    @cached_property
    def group_symbols(self) -> list[list[str]]:
        """The symbols of each group that other files use most."""
        group_of = {index: number for number, group in enumerate(self.groups) for index in group}
        found: list[list[str]] = [[] for _ in self.groups]
        for index, name, _ in self._most_used:
            number = group_of.get(index)
            if number is not None and len(found[number]) < MAX_SYMBOLS_PER_GROUP and name not in found[number]:
                found[number].append(name)
        return found

    def share(self, path: str) -> float:
        index = self.index_of.get(path)
        return 0.0 if index is None else self.shares[index]

    def named_groups(self) -> Iterator[tuple[str, list[str]]]:
        """Each group's name and its files. Names are computed on demand, because that takes time."""
        groups = [[self.paths[index] for index in group] for group in self.groups]
        return zip(names_for(groups), groups, strict=True)

    @cached_property
    def _most_used(self) -> list[tuple[int, str, int]]:
        run, ids = self._cache.connection.execute, self._ids
        too_many = run("SELECT files FROM uses ORDER BY files DESC LIMIT 1 OFFSET ?", (MAX_NAMES,)).fetchone()
        rows = run("SELECT -files, target, name FROM uses WHERE files > ?", too_many or (0,))
        counted = sorted([(files, ids[target], name) for files, target, name in rows if target in ids])
        return [(index, name, -files) for files, index, name in counted]


def load_graph(cache: Cache, files: Mapping[str, KnownFile], others_wrote: int) -> Graph:
    """The stored graph, updated where links have changed.

    Raises `StaleIndex` if the cache's counter of others' writes is no longer `others_wrote`.
    """
    code = sorted((path, each.id) for path, each in files.items() if each.grammar is not None)
    ids = {number: index for index, (_, number) in enumerate(code)}
    paths = [path for path, _ in code]
    digest = hashlib.sha256("\n".join(paths).encode()).hexdigest()
    stored = kept_graph(cache, digest)
    if stored is None or changed_since(cache):
        with cache.writing():
            if cache.others_wrote() != others_wrote:
                raise StaleIndex
            stored = _computed(cache, ids, paths, digest)
    return Graph(cache, ids, paths, stored)


def _computed(cache: Cache, ids: Mapping[int, int], paths: Sequence[str], digest: str) -> StoredGraph:
    from mulligan.codecontext.neighbors import find_neighbors, follow_neighbors, groups_of  # not needed if unchanged

    before = kept_steps(cache, digest)
    if before is None:
        links = empty_link_graph(len(paths))
        _relink(cache, ids, links, None)
        rounds, neighbors = find_ranks(paths, links), find_neighbors(paths, links)
    else:
        links = before.links
        changed = [number for number in changed_since(cache) if number in ids]
        touched = [ids[number] for number in changed]
        _relink(cache, ids, links, changed)
        rounds = follow_ranks(before.rounds, links, touched)
        neighbors = follow_neighbors(before.neighbors, paths, links, touched)
    ranks = rounds[-1]
    # Each group is sorted, so files with equal ranks are sorted by path.
    groups = [sorted(group, key=ranks.__getitem__, reverse=True) for group in groups_of(paths, neighbors)]
    stored = StoredGraph(ranks, links.users.lengths(), groups)
    keep_graph(cache, digest, stored, Steps(links, rounds, neighbors))
    return stored


def _relink(cache: Cache, ids: Mapping[int, int], links: LinkGraph, changed: Sequence[int] | None) -> None:
    """Read the links of the changed files, or of all."""
    found: dict[int, tuple[list[int], list[int]]] = {number: ([], []) for number in changed or ()}
    for source, target, weight in links_from(cache, changed):
        # A link may lead to a file that is not code, such as imported JSON.
        if target in ids:
            targets, weights = found.setdefault(source, ([], []))
            targets.append(ids[target])
            weights.append(weight)
    for number, (targets, weights) in found.items():
        links.replace(ids[number], targets, weights)
