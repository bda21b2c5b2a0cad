"""Many short rows of numbers in one piece of memory, taken apart where they are asked for."""

from array import array
from collections.abc import Iterable
from itertools import accumulate
from typing import TypeAlias

Numbers: TypeAlias = "array[int]"


class PackedRows:
    """A list of rows. A row that is taken out is a copy; put it back to change it."""

    def __init__(self, body: bytes) -> None:
        """From what `packed` made."""
        numbers = array("i", body)
        count = numbers[0]
        self._numbers = numbers
        self._starts = [*accumulate(numbers[1 : count + 1], initial=count + 1)]
        self._changed: dict[int, Numbers] = {}

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, place: int) -> Numbers:
        changed = self._changed.get(place)
        return self._numbers[self._starts[place] : self._starts[place + 1]] if changed is None else changed

    def __setitem__(self, place: int, row: Numbers) -> None:
        self._changed[place] = row

    def lengths(self) -> Numbers:
        found = self._numbers[1 : len(self) + 1]
        for place, row in self._changed.items():
            found[place] = len(row)
        return found

    def packed(self) -> bytes:
        """How many rows there are, the length of each, and all of them one after the other."""
        numbers = array("i", [len(self)])
        numbers.extend(self.lengths())
        done = self._starts[0]
        for place in sorted(self._changed):
            numbers.extend(self._numbers[done : self._starts[place]])
            numbers.extend(self._changed[place])
            done = self._starts[place + 1]
        numbers.extend(self._numbers[done:])
        return bytes(numbers)


def pack_rows(rows: Iterable[Iterable[int]]) -> PackedRows:
    made = [array("i", row) for row in rows]
    numbers = array("i", [len(made), *map(len, made)])
    for row in made:
        numbers.extend(row)
    return PackedRows(bytes(numbers))
