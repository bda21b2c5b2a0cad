"""Which names fit what somebody is looking for."""

import re
from collections.abc import Sequence

MOST_FUZZY = 60
ALIKE = 78
"""Per cent, by rapidfuzz: two letters swapped or wrong in a name of ten."""
SHORTEST_FUZZY = 4
ENOUGH = 10
"""With so many that fit, nobody has mistyped."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def name_parts(name: str) -> list[str]:
    """The words of `parseHTTPRequest` or `parse_http_request`, in lower case."""
    return [part.lower() for part in _PARTS.findall(name)]


def fits(query: str, names: Sequence[str], lowered: Sequence[str]) -> list[tuple[int, str]]:
    """The names that fit, each with how well, 0 best: the same, the same but for case, begins so, holds the words,
    holds the text, the letters in order, nearly the same."""
    wanted = query.lower()
    words = name_parts(query)
    bare = "".join(words)
    by_letters = 2 < len(wanted) <= 40
    found: list[tuple[int, str]] = []
    for name, low in zip(names, lowered, strict=True):
        if wanted in low:
            found.append((_directly(query, wanted, name, low), name))
        elif len(words) > 1 and _holds_words(words, bare, name, low):
            found.append((3, name))
        elif by_letters and low[0] == wanted[0] and _in_order(wanted, low):
            found.append((5 if _starts_words(wanted, name) else 6, name))
    if len(wanted) >= SHORTEST_FUZZY and len(found) < ENOUGH:
        known = {name for _, name in found}
        found += [(7, name) for name in _alike(wanted, names, lowered) if name not in known]
    return found


def _in_order(letters: str, name: str) -> bool:
    """Whether a name holds all letters, one behind the other, with others between them."""
    place = -1
    for letter in letters:
        place = name.find(letter, place + 1)
        if place < 0:
            return False
    return True


def nearest_names(wanted: str, names: Sequence[str], most: int = 3) -> list[str]:
    from rapidfuzz import fuzz, process

    low = wanted.lower()
    close = process.extract(low, [name.lower() for name in names], scorer=fuzz.ratio, score_cutoff=60, limit=most)
    return [names[place] for _, _, place in close]


def _directly(query: str, wanted: str, name: str, low: str) -> int:
    if name == query:
        return 0
    if low == wanted:
        return 1
    return 2 if low.startswith(wanted) else 4


def _holds_words(words: Sequence[str], bare: str, name: str, low: str) -> bool:
    """All words, in any order, each the beginning of one of the name's."""
    if words[0] not in low:
        return False
    if bare in low.replace("_", ""):
        return True
    parts = name_parts(name)
    return all(any(part.startswith(word) for part in parts) for word in words)


def _starts_words(wanted: str, name: str) -> bool:
    """`phr` for `parse_http_request`."""
    return "".join(part[0] for part in name_parts(name)).startswith(wanted)


def _alike(wanted: str, names: Sequence[str], lowered: Sequence[str]) -> list[str]:
    from rapidfuzz import fuzz, process

    close = process.extract(wanted, lowered, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=MOST_FUZZY)
    return [names[place] for _, _, place in close]
