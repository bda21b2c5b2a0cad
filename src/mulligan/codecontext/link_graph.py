"""Which file of a project uses which, and how much."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

Numbers: TypeAlias = "array[int]"


class PackedRows:
    """A list of rows. Reading a row returns a copy; assign it to change the list."""

    def __init__(self, body: bytes) -> None:
        """`body` is the result of `packed`."""
        numbers = array("i", body)
        count = numbers[0]
        self._numbers = numbers
        self._starts = [*accumulate(numbers[1 : count + 1], initial=count + 1)]
        self._changed: dict[int, Numbers] = {}

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: int) -> Numbers:
        changed = self._changed.get(index)
        return self._numbers[self._starts[index] : self._starts[index + 1]] if changed is None else changed

    def __setitem__(self, index: int, row: Numbers) -> None:
        self._changed[index] = row

    def lengths(self) -> Numbers:
        found = self._numbers[1 : len(self) + 1]
        for index, row in self._changed.items():
            found[index] = len(row)
        return found

    def packed(self) -> bytes:
        """The number of rows, the length of each, and all rows concatenated."""
        numbers = array("i", [len(self)])
        numbers.extend(self.lengths())
        done = self._starts[0]
        for index in sorted(self._changed):
            numbers.extend(self._numbers[done : self._starts[index]])
            numbers.extend(self._changed[index])
            done = self._starts[index + 1]
        numbers.extend(self._numbers[done:])
        return bytes(numbers)


def pack_rows(rows: Iterable[Iterable[int]]) -> PackedRows:
    made = [array("i", row) for row in rows]
    numbers = array("i", [len(made), *map(len, made)])
    for row in made:
        numbers.extend(row)
    return PackedRows(bytes(numbers))


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """The links between files, in both directions. Files are indexes into the sorted list of paths.

    Weights are integers, so that their sums are the same in any order.
    """

    used: PackedRows
    """The files that each file uses, each once."""
    used_weights: PackedRows
    """How much."""
    users: PackedRows
    """The files that use each, in their order."""
    users_weights: PackedRows
    """How much."""

    def replace(self, index: int, targets: Sequence[int], weights: Sequence[int]) -> None:
        """Replace the files that a file uses."""
        for target in self.used[index]:
            users, how_much = self.users[target], self.users_weights[target]
            found = bisect_left(users, index)
            del users[found], how_much[found]
            self.users[target], self.users_weights[target] = users, how_much
        self.used[index], self.used_weights[index] = array("i", targets), array("i", weights)
        for target, weight in zip(targets, weights, strict=True):
            users, how_much = self.users[target], self.users_weights[target]
            found = bisect_left(users, index)
            users.insert(found, index)
            how_much.insert(found, weight)
            self.users[target], self.users_weights[target] = users, how_much

    def around(self, index: int) -> Iterator[int]:
        """The files that use a file or are used by it. A file that does both comes twice."""
        yield from self.used[index]
        yield from self.users[index]

    def bonds(self, index: int) -> dict[int, int]:
        """The total weight of the links between a file and each related file."""
        bonds = dict(zip(self.used[index], self.used_weights[index], strict=True))
        for user, weight in zip(self.users[index], self.users_weights[index], strict=True):
            bonds[user] = bonds.get(user, 0) + weight
        return bonds

    def strength(self, index: int) -> int:
        """The total weight of a file's links."""
        return sum(self.used_weights[index]) + sum(self.users_weights[index])


def empty_link_graph(files: int) -> LinkGraph:
    nothing = [()] * files
    return LinkGraph(pack_rows(nothing), pack_rows(nothing), pack_rows(nothing), pack_rows(nothing))
