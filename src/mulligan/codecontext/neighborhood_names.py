"""Names for groups of files."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from mulligan.syntax.project_paths import ancestors

MOST = 0.6
"""Of its files: what so many share is a group's name."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DULL = frozenset({"init", "index", "main", "mod", "lib", "test", "tests", "spec", "src", "base", "core", "d", "the"})


def names_for(groups: Iterable[Sequence[str]]) -> Iterator[str]:
    """A folder or a word for each group, no two alike."""
    taken: set[str] = set()
    for files in groups:
        name = _name_for(files, taken)
        taken.add(name)
        yield name


def _name_for(files: Sequence[str], taken: Container[str]) -> str:
    folder = _common_folder(files)
    if folder and folder not in taken:
        return folder
    word = _common_word(files)
    told = f"{folder}: {word}" if folder and word else word
    # A file is in one group only, so its path is never taken.
    return told if told and told not in taken else files[0]


def _common_folder(files: Sequence[str]) -> str:
    """The deepest folder that most of them are in."""
    needed = MOST * len(files)
    counts: Counter[str] = Counter()
    for folder, count in Counter([path.rpartition("/")[0] for path in files]).items():
        for around in ancestors(f"{folder}/"):
            counts[around] += count
    most = [folder for folder, count in counts.items() if folder and count >= needed]
    return max(most, key=lambda folder: (folder.count("/"), folder), default="")


def _common_word(files: Sequence[str]) -> str:
    counts: Counter[str] = Counter()
    for path in files:
        stem = path.rpartition("/")[2].partition(".")[0]
        counts.update({word.lower() for word in _WORDS.findall(stem)} - _DULL)
    repeated = [(count, word) for word, count in counts.items() if count > 1]
    return min(repeated, key=lambda each: (-each[0], each[1]))[1] if repeated else ""
