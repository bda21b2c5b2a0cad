"""Which existing paths a wrong one may have meant."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

AT_MOST = 3
ALIKE = 0.7
"""How alike two names must be, by difflib's ratio."""
MOST_COMPARED = 5_000
"""Names. Comparing costs about 20 µs each."""


def nearest_paths(wanted: str, siblings: Sequence[str], paths: Sequence[str]) -> list[str]:
    """At most three: like-named ones in the same folder, then the same name elsewhere, then like names elsewhere."""
    name = PurePosixPath(wanted).name
    elsewhere = {*paths, *(str(parent) for path in paths for parent in PurePosixPath(path).parents)} - {"."}
    same = sorted(path for path in elsewhere if PurePosixPath(path).name.casefold() == name.casefold())
    near = [*_alike(name, siblings), *same]
    if not near:
        near = _alike(name, sorted(elsewhere))
    return list(dict.fromkeys(near))[:AT_MOST]


def _alike(name: str, paths: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # 7 ms that only a wrong path needs

    by_name: dict[str, str] = {}
    for path in paths:
        by_name.setdefault(PurePosixPath(path).name.casefold(), path)
    close = get_close_matches(name.casefold(), list(by_name)[:MOST_COMPARED], AT_MOST, ALIKE)
    return [by_name[each] for each in close]
