"""Which names are used anywhere in a project, so that unused names are not searched for in every file."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from zlib import crc32

from mulligan.codecontext.cache import Cache

_NAME = "vocabulary"


class NameIndex:
    """Sorted checksums of names. False positives are possible, from collisions and names no longer used; a name that is
    not in it is used nowhere."""

    def __init__(self, sums: "array[int]") -> None:
        self._sums = sums

    def __contains__(self, name: str) -> bool:
        sums, wanted = self._sums, _sum(name)
        index = bisect_left(sums, wanted)
        return index < len(sums) and sums[index] == wanted

    def learn(self, names: Iterable[str], cache: Cache) -> None:
        """Add these names, and store the result."""
        new = {_sum(name) for name in names if name not in self}
        for each in new:
            self._sums.insert(bisect_left(self._sums, each), each)
        if new:
            self.keep(cache)

    def keep(self, cache: Cache) -> None:
        cache.keep(_NAME, "", bytes(self._sums))


def kept_vocabulary(cache: Cache) -> NameIndex | None:
    kept = cache.packed((_NAME,), "")
    return NameIndex(array("I", kept[_NAME])) if kept else None


def vocabulary_of(names: Iterable[Iterable[str]]) -> NameIndex:
    """The index of all these names. Only their checksums are kept in memory."""
    sums = array("I")
    for some in names:
        sums.extend(map(_sum, some))
    return NameIndex(array("I", sorted(set(sums))))


def _sum(name: str) -> int:
    return crc32(name.encode())
