"""Which names match a query."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

MAX_FUZZY_MATCHES = 60
ALIKE = 78
"""Per cent, by rapidfuzz: two letters swapped or wrong in a name of ten."""
MIN_FUZZY_CHARS = 4
MIN_INSIDE_CHARS = 3
"""Letters. A shorter text is in half of all names, so it is not searched inside names if many begin with it."""
PLENTY = 100
ENOUGH = 10
"""With so many matches, the query is not a typo."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def name_parts(name: str) -> list[str]:
    """The words of `parseHTTPRequest` or `parse_http_request`, in lower case."""
    return [part.lower() for part in _PARTS.findall(name)]


class NameList:
    """Names to search. They are also kept as one text, one per line: searching that takes a hundredth of the time of
    searching name by name."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names, key=lambda name: (name.lower(), name))
        self.lowered = [name.lower() for name in self.names]
        self._text = "\n".join(self.lowered)
        self._starts = [*accumulate((len(low) + 1 for low in self.lowered), initial=0)]

    def beginning(self, word: str) -> range:
        """The indexes of the names that begin with a word in lower case: they are adjacent."""
        return range(bisect_left(self.lowered, word), bisect_left(self.lowered, word + chr(0x10FFFF)))

    def holding(self, word: str) -> list[int]:
        """The indexes of the names that contain a word in lower case."""
        found: list[int] = []
        start = self._text.find(word)
        while start >= 0 and word:
            index = bisect_right(self._starts, start) - 1
            found.append(index)
            start = self._text.find(word, self._starts[index + 1]) if index + 1 < len(self.names) else -1
        return found

    def with_letters(self, letters: str) -> list[int]:
        """The indexes of the names that begin with the first letter and contain the others in this order, with gaps."""
        first, *others = letters
        steps = "".join(f"[^{re.escape(each)}\\n]*+{re.escape(each)}" for each in others)
        where = self.beginning(first)
        fitting = re.compile(rf"^{re.escape(first)}{steps}", re.MULTILINE)
        found = fitting.finditer(self._text, self._starts[where.start], self._starts[where.stop])
        return [bisect_right(self._starts, each.start()) - 1 for each in found]


def fits(query: str, known: NameList) -> list[tuple[int, str]]:
    """The matching names with their ranks, from 0, the best: equal, equal except for case, begins with the query,
    contains its words, contains its text, contains its letters in order (initials first), similar."""
    wanted = query.lower()
    if "\n" in wanted:
        return []
    words = name_parts(query)
    names, lowered = known.names, known.lowered
    begin = known.beginning(wanted) if len(wanted) < MIN_INSIDE_CHARS else range(0)
    holding = begin if len(begin) >= PLENTY else known.holding(wanted)
    found = {index: _directly(query, wanted, names[index], lowered[index]) for index in holding}
    if len(words) > 1:
        joined_words = "".join(words)
        for index in known.holding(words[0]):
            if index not in found and _holds_words(words, joined_words, names[index], lowered[index]):
                found[index] = 3
    if 2 < len(wanted) <= 40:
        for index in known.with_letters(wanted):
            found.setdefault(index, 5 if _starts_words(wanted, names[index]) else 6)
    if len(wanted) >= MIN_FUZZY_CHARS and len(found) < ENOUGH:
        for index in _alike(wanted, lowered):
            found.setdefault(index, 7)
    return [(quality, names[index]) for index, quality in found.items()]


def nearest_names(wanted: str, names: Sequence[str], most: int = 3) -> list[str]:
    from rapidfuzz import fuzz, process

    low = wanted.lower()
    close = process.extract(low, [name.lower() for name in names], scorer=fuzz.ratio, score_cutoff=60, limit=most)
    return [names[index] for _, _, index in close]


def _directly(query: str, wanted: str, name: str, low: str) -> int:
    if name == query:
        return 0
    if low == wanted:
        return 1
    return 2 if low.startswith(wanted) else 4


def _holds_words(words: Sequence[str], joined_words: str, name: str, low: str) -> bool:
    """Whether the name has all words, in any order, each as the beginning of one of its own."""
    if joined_words in low.replace("_", ""):
        return True
    parts = name_parts(name)
    return all(any(part.startswith(word) for part in parts) for word in words)


def _starts_words(wanted: str, name: str) -> bool:
    """`phr` for `parse_http_request`."""
    return "".join(part[0] for part in name_parts(name)).startswith(wanted)


def _alike(wanted: str, lowered: Sequence[str]) -> list[int]:
    from rapidfuzz import fuzz, process

    close = process.extract(wanted, lowered, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=MAX_FUZZY_MATCHES)
    return [index for _, _, index in close]
