"""Stores a project's graph as packed numbers: as text, it takes longer to write than to compute."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from mulligan.codecontext.cache import Cache
from mulligan.codecontext.link_graph import LinkGraph, Numbers, PackedRows, pack_rows

if TYPE_CHECKING:
    from mulligan.codecontext.neighbors import Neighbors
    from mulligan.codecontext.ranking import Ranks


_GRAPH_PARTS = ("graph ranks", "graph used by", "graph groups")
_STEPS = (
    "graph used", "graph used weights", "graph users", "graph users weights", "graph rounds", "graph steps",
    "graph closest", "graph pulls", "graph moves",
)  # fmt: skip


class StoredGraph(NamedTuple):
    """The computed graph. Files are indexes into the sorted list of files with code."""

    ranks: "Ranks"
    used_by: Sequence[int]
    """How many files use each file."""
    groups: Sequence[Sequence[int]]


class Steps(NamedTuple):
    """Intermediate results behind the graph. With them, updating it after a change takes a fraction of the time."""

    links: LinkGraph
    rounds: "Sequence[Ranks]"
    """The ranks after each round."""
    neighbors: "Neighbors"


def kept_graph(cache: Cache, digest: str) -> StoredGraph | None:
    """The stored graph, which may be older than the links: see `changed_since`."""
    kept = cache.packed(_GRAPH_PARTS, digest)
    if not kept:
        return None
    ranks, used_by, groups = (kept[name] for name in _GRAPH_PARTS)
    return StoredGraph(array("i", ranks), array("i", used_by), _rows(groups))


def kept_steps(cache: Cache, digest: str) -> Steps | None:
    """The intermediate results stored with the graph."""
    from mulligan.codecontext.neighbors import Neighbors

    kept = cache.packed(_STEPS, digest)
    if not kept:
        return None
    used, used_weights, users, users_weights, rounds, steps, closest, pulls, moves = (kept[name] for name in _STEPS)
    moved = [dict(zip(each[::2], each[1::2], strict=True)) for each in _rows(moves)]
    return Steps(
        LinkGraph(PackedRows(used), PackedRows(used_weights), PackedRows(users), PackedRows(users_weights)),
        _rows(rounds),
        Neighbors(array("i", steps), array("i", closest), array("d", pulls), moved),
    )


def keep_graph(cache: Cache, digest: str, stored: StoredGraph, steps: Steps) -> None:
    """Store the graph of the current links. To call within a transaction."""
    forget_graph(cache)
    links, neighbors = steps.links, steps.neighbors
    bodies = {
        "graph ranks": bytes(stored.ranks),
        "graph used by": bytes(array("i", stored.used_by)),
        "graph groups": pack_rows(stored.groups).packed(),
        "graph used": links.used.packed(),
        "graph used weights": links.used_weights.packed(),
        "graph users": links.users.packed(),
        "graph users weights": links.users_weights.packed(),
        "graph rounds": pack_rows(steps.rounds).packed(),
        "graph steps": bytes(neighbors.steps),
        "graph closest": bytes(neighbors.closest),
        "graph pulls": bytes(neighbors.pulls),
        "graph moves": pack_rows(chain.from_iterable(moves.items()) for moves in neighbors.rounds).packed(),
    }
    for name, body in bodies.items():
        cache.keep(name, digest, body)


def forget_graph(cache: Cache) -> None:
    cache.connection.execute("DELETE FROM computed WHERE name LIKE 'graph %'")
    cache.connection.execute("DELETE FROM relinked")


def note_changes(cache: Cache, files: Iterable[int]) -> None:
    """Record that the links of these files, by id, changed. To call within the transaction that changes them."""
    cache.connection.executemany("INSERT OR IGNORE INTO relinked VALUES (?)", [(file,) for file in files])


def changed_since(cache: Cache) -> list[int]:
    """The ids of files at either end of links that changed since the graph was stored."""
    return [number for (number,) in cache.connection.execute("SELECT file FROM relinked")]


def _rows(body: bytes) -> list[Numbers]:
    kept = PackedRows(body)
    return [kept[index] for index in range(len(kept))]
