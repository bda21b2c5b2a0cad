"""Which file of a project uses which, and how much."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from mulligan.codecontext.packed_rows import PackedRows, pack_rows


class LinkGraph:
    """The links between files, from both ends. Files stand for their place in the sorted list of paths.

    Weights are whole numbers: their sums are the same in any order.
    """

    def __init__(
        self, used: PackedRows, used_weights: PackedRows, users: PackedRows, users_weights: PackedRows
    ) -> None:
        self.used = used
        """The files that each file uses, each once."""
        self.used_weights = used_weights
        """How much."""
        self.users = users
        """The files that use each, in their order."""
        self.users_weights = users_weights
        """How much."""

    def replace(self, place: int, targets: Sequence[int], weights: Sequence[int]) -> None:
        """Let a file use these, and what it used before no more."""
        for target in self.used[place]:
            users, how_much = self.users[target], self.users_weights[target]
            found = bisect_left(users, place)
            del users[found], how_much[found]
            self.users[target], self.users_weights[target] = users, how_much
        self.used[place], self.used_weights[place] = array("i", targets), array("i", weights)
        for target, weight in zip(targets, weights, strict=True):
            users, how_much = self.users[target], self.users_weights[target]
            found = bisect_left(users, place)
            users.insert(found, place)
            how_much.insert(found, weight)
            self.users[target], self.users_weights[target] = users, how_much

    def around(self, place: int) -> Iterator[int]:
        """All that use a file or are used by it; both for some."""
        yield from self.used[place]
        yield from self.users[place]

    def bonds(self, place: int) -> dict[int, int]:
        """How close a file is to each of those around it."""
        bonds = dict(zip(self.used[place], self.used_weights[place], strict=True))
        for user, weight in zip(self.users[place], self.users_weights[place], strict=True):
            bonds[user] = bonds.get(user, 0) + weight
        return bonds

    def strength(self, place: int) -> int:
        """Of all its bonds."""
        return sum(self.used_weights[place]) + sum(self.users_weights[place])


def empty_link_graph(files: int) -> LinkGraph:
    nothing = [()] * files
    return LinkGraph(pack_rows(nothing), pack_rows(nothing), pack_rows(nothing), pack_rows(nothing))
