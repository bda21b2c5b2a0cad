"""Which files belong together: those that refer to each other more than to others.

Label propagation in a fixed order: in each round, every file takes the label with the most weight among its closest
neighbors. The moves of each round are stored. After a change, only moves that it can have affected are computed again,
and the result is the same as from scratch.
"""

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import log2
from typing import NamedTuple

from mulligan.codecontext.link_graph import LinkGraph
from mulligan.syntax.project_paths import ancestors

ROUNDS = 8
CLOSEST = 8
"""How many neighbors decide the label of a file."""
SAME_FOLDER = 1.6
STEPS = 4
"""Steps per doubling of a file's strength. Its pull changes in steps, because otherwise one more user of a file that
everybody uses would change the closest files of all of them."""
TOO_LARGE = 0.25
"""Share of all files: a larger neighborhood says little, and is split by folders."""
MIN_LARGE = 24

NOBODY = -1

Moves = dict[int, int]
"""The files that moved in one round, in order, with the labels they took."""


class Neighbors(NamedTuple):
    """The files that are closest to each, and the resulting moves. Files are indexes into the sorted list of paths."""

    steps: "array[int]"
    """Each file's strength in steps, which reduces its pull."""
    closest: "array[int]"
    """For each file the closest first: `CLOSEST` of them, filled up with `NOBODY`."""
    pulls: "array[float]"
    """How much each of these weighs."""
    rounds: list[Moves]

    def closest_to(self, index: int) -> tuple[Sequence[int], Sequence[float]]:
        """The files that are closest to a file, and their pulls."""
        here = slice(CLOSEST * index, CLOSEST * (index + 1))
        return self.closest[here], self.pulls[here]

    def labels(self) -> list[int]:
        labels = list(range(len(self.steps)))
        for moves in self.rounds:
            for index, label in moves.items():
                labels[index] = label
        return labels


def find_neighbors(paths: Sequence[str], links: LinkGraph) -> Neighbors:
    files = len(paths)
    steps, closest = array("i", [0]) * files, array("i", [NOBODY]) * (files * CLOSEST)
    nothing = Neighbors(steps, closest, array("d", [0.0]) * (files * CLOSEST), [])
    return follow_neighbors(nothing, paths, links, range(files))


def follow_neighbors(before: Neighbors, paths: Sequence[str], links: LinkGraph, touched: Collection[int]) -> Neighbors:
    """The neighbors after links of the touched files have changed, with the same result as from scratch."""
    now = Neighbors(before.steps[:], before.closest[:], before.pulls[:], [])
    affected = set(touched)
    for index in touched:
        now.steps[index] = _step(links.strength(index))
        if now.steps[index] != before.steps[index]:
            affected.update(links.around(index))
    changed: list[int] = []
    for index in affected:
        closest_to = _closest(paths, links, now.steps, index)
        if closest_to != before.closest_to(index):
            here = slice(CLOSEST * index, CLOSEST * (index + 1))
            now.closest[here], now.pulls[here] = closest_to
            changed.append(index)
    now.rounds.extend(_propagated(_Replay(now, links, changed), before.rounds) if changed else before.rounds)
    return now


def groups_of(paths: Sequence[str], neighbors: Neighbors) -> list[list[int]]:
    """Groups of at least two files with the same label, the largest first."""
    labelled: dict[int, list[int]] = {}
    for index, label in enumerate(neighbors.labels()):
        labelled.setdefault(label, []).append(index)
    apart = (part for group in labelled.values() for part in _taken_apart(paths, group))
    return sorted((group for group in apart if len(group) > 1), key=lambda group: (-len(group), group))


def _step(strength: int) -> int:
    return round(STEPS * log2(strength)) if strength else 0


def _closest(
    paths: Sequence[str], links: LinkGraph, steps: Sequence[int], index: int
) -> "tuple[array[int], array[float]]":
    folder = paths[index].rpartition("/")[0]
    closest: list[tuple[float, int]] = []
    for other, bond in links.bonds(index).items():
        # Using a file that everybody uses says little, so its pull falls with the square root of its strength.
        pull = bond * 2.0 ** (-steps[other] / (2 * STEPS))
        in_same_folder = paths[other].rpartition("/")[0] == folder
        closest.append((-pull * SAME_FOLDER if in_same_folder else -pull, other))
    closest.sort()
    closest[CLOSEST:] = [(0.0, NOBODY)] * (CLOSEST - len(closest))
    return array("i", [other for _, other in closest]), array("d", [-pull for pull, _ in closest])


def _propagated(replay: "_Replay", before: Sequence[Moves]) -> list[Moves]:
    """The moves of each round. `before` has those of the previous run."""
    rounds: list[Moves] = []
    for number in range(ROUNDS):
        then = before[number] if number < len(before) else {}
        moved = replay.round(then, rounds[-1] if rounds else None)
        if not moved and not then:
            break
        rounds.append(moved)
    return rounds


class _Replay:
    """Follows the previous run and the new one side by side.

    A file whose neighbors and labels are the same in both repeats its previous move; only the others are recomputed.
    """

    def __init__(self, neighbors: Neighbors, links: LinkGraph, changed: Collection[int]) -> None:
        files = len(neighbors.steps)
        self._neighbors = neighbors
        self._links = links
        self._changed = changed
        """Files with other closest files, or other pulls, than in the previous run."""
        self._then, self._now = list(range(files)), list(range(files))
        """The labels in both runs."""
        self._differing: set[int] = set()
        """Files whose labels differ between the runs."""
        self._unlike: Collection[int] = ()
        """Files that moved in only one of the runs in the round before."""
        self._known_dependents: dict[int, list[int]] = {}

    def round(self, then: Moves, previous: Moves | None) -> Moves:
        """The moves of the next round: `then` are those of the previous run, `previous` those of the round before."""
        asked = {*self._changed, *self._differing}
        for index in (*self._differing, *self._unlike):
            asked.update(self._dependents(index))
        agenda = list(asked)
        heapify(agenda)
        moved: Moves = {}
        todo, done = list(then), 0
        while agenda:
            index = heappop(agenda)
            before, done = done, bisect_left(todo, index, done)
            self._repeat(then, todo[before:done], asked, moved)
            label = self._choice(index, previous)
            if label is not None:
                moved[index] = label
            if self._begins_to_differ(index, then.get(index), label):
                # Listeners before this file have had their turn: they react in the next round.
                late = [each for each in self._dependents(index) if each > index and each not in asked]
                asked.update(late)
                for dependent in late:
                    heappush(agenda, dependent)
        self._repeat(then, todo[done:], asked, moved)
        self._unlike = moved.keys() ^ then.keys()
        return moved

    def _repeat(self, then: Moves, indexes: Iterable[int], asked: Container[int], moved: Moves) -> None:
        """Repeat the previous run's moves, except for files that are recomputed."""
        for index in indexes:
            if index not in asked:
                self._then[index] = self._now[index] = moved[index] = then[index]

    def _dependents(self, index: int) -> list[int]:
        known = self._known_dependents.get(index)
        if known is None:
            closest = self._neighbors.closest
            around = set(self._links.around(index))
            known = [each for each in around if index in closest[CLOSEST * each : CLOSEST * (each + 1)]]
            self._known_dependents[index] = known
        return known

    def _choice(self, index: int, previous: Moves | None) -> int | None:
        """The label that a file takes; None if it stays. It only moves if one of its closest files has moved."""
        closest, pulls = self._neighbors.closest_to(index)
        if previous is not None and previous.keys().isdisjoint(closest):
            return None
        return _better(self._now, index, closest, pulls)

    def _begins_to_differ(self, index: int, then: int | None, now: int | None) -> bool:
        """Move a file in both runs. Returns whether its labels were equal until now and differ from now on."""
        if then is not None:
            self._then[index] = then
        if now is not None:
            self._now[index] = now
        if self._then[index] == self._now[index]:
            self._differing.discard(index)
            return False
        begins = index not in self._differing
        self._differing.add(index)
        return begins


def _better(labels: Sequence[int], index: int, closest: Sequence[int], pulls: Sequence[float]) -> int | None:
    """The label with the most weight among the closest files, the first of equal ones. None if its own is as good."""
    votes: dict[int, float] = {}
    for other, pull in zip(closest, pulls, strict=True):
        if other != NOBODY:
            label = labels[other]
            votes[label] = votes.get(label, 0.0) + pull
    most = max(votes.values(), default=0.0)
    if votes.get(labels[index], 0.0) >= most:
        return None
    return min(label for label, weight in votes.items() if weight >= most)


def _taken_apart(paths: Sequence[str], group: list[int], depth: int = 1) -> list[list[int]]:
    if len(group) <= max(MIN_LARGE, TOO_LARGE * len(paths)):
        return [group]
    parts: dict[str, list[int]] = {}
    for index in group:
        parts.setdefault("/".join(paths[index].split("/")[:-1][:depth]), []).append(index)
    if len(parts) == 1:
        deeper = any(paths[index].count("/") > depth for index in group)
        return _taken_apart(paths, group, depth + 1) if deeper else [group]
    return [piece for part in parts.values() for piece in _taken_apart(paths, part, depth + 1)]


MIN_FOLDER_SHARE = 0.6
"""Share of a group's files that must be in a folder for it to name the group."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DULL = frozenset({"init", "index", "main", "mod", "lib", "test", "tests", "spec", "src", "base", "core", "d", "the"})


def names_for(groups: Iterable[Sequence[str]]) -> Iterator[str]:
    """A unique name for each group: a folder or a word."""
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
    name = f"{folder}: {word}" if folder and word else word
    # A file is in one group only, so its path is never taken.
    return name if name and name not in taken else files[0]


def _common_folder(files: Sequence[str]) -> str:
    """The deepest folder that most of them are in."""
    needed = MIN_FOLDER_SHARE * len(files)
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
