"""Which files matter most, and which belong together."""

import re
from collections import Counter
from collections.abc import Container, Sequence

from mulligan.codecontext.project_paths import ancestors

PASSED_ON = 0.5
"""The part of its importance that a file passes on to those it uses. With the usual 0.85 what is used by one important
file alone stands above what is used by a hundred."""
TEST_SHARE = 0.3
"""What a test's use of a file, and a test itself, count for."""
ROUNDS = 8
CLOSEST = 8
"""Neighbours a file listens to."""
SAME_FOLDER = 1.6
TOO_LARGE = 0.25
"""Of all files: a larger neighbourhood says little, and is taken apart by folders."""
SMALLEST_LARGE = 24

Edge = tuple[int, int, float]
"""User, used, weight; files by their place in the sorted list of paths."""

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|specs|testing|testdata|fixtures|e2e)/|(?:^|/)(?:test_[^/]*|conftest)\.py$"
    r"|[._-](?:test|spec|tests)\.\w+$|_test\.(?:go|py|rb|c|cc|cpp|rs)$|Tests?\.(?:java|cs|php|kt)$|_spec\.rb$"
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DULL = frozenset({"init", "index", "main", "mod", "lib", "test", "tests", "spec", "src", "base", "core", "d", "the"})


def is_test(path: str) -> bool:
    return _TEST.search(path) is not None


def importance(paths: Sequence[str], edges: Sequence[Edge]) -> list[float]:
    """Each file's share, by PageRank: what is used by files that matter, matters. The shares add up to 1."""
    import rustworkx

    if not paths:
        return []
    graph: rustworkx.PyDiGraph[int, float] = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(paths)))
    worth = [TEST_SHARE if is_test(path) else 1.0 for path in paths]
    graph.add_edges_from([(user, used, weight * worth[user]) for user, used, weight in edges])
    ranks = rustworkx.pagerank(graph, alpha=PASSED_ON, weight_fn=float, tol=1e-8)
    shares = [ranks[place] * worth[place] for place in range(len(paths))]
    total = sum(shares)
    return [share / total for share in shares]


def neighborhoods(paths: Sequence[str], edges: Sequence[Edge]) -> list[list[int]]:
    """Files that refer to each other more than to others: at least two, the largest group first.

    By label propagation in a fixed order: every file takes the label that most of its neighbours have.
    """
    near = _closest(paths, edges)
    listeners: list[list[int]] = [[] for _ in paths]
    for place, neighbours in enumerate(near):
        for other, _ in neighbours:
            listeners[other].append(place)
    labels = list(range(len(paths)))
    stirred = set(labels)
    for _ in range(ROUNDS):
        moved = [place for place in sorted(stirred) if _moves(labels, place, near[place])]
        stirred = {listener for place in moved for listener in listeners[place]}
    groups: dict[int, list[int]] = {}
    for place, label in enumerate(labels):
        groups.setdefault(label, []).append(place)
    apart = (part for group in groups.values() for part in _taken_apart(paths, group))
    return sorted((group for group in apart if len(group) > 1), key=lambda group: (-len(group), group))


def names_for(paths: Sequence[str], groups: Sequence[Sequence[int]]) -> list[str]:
    """A folder or a word for each group, no two alike."""
    names: dict[str, None] = {}
    for group in groups:
        names[_name_for([paths[place] for place in group], names)] = None
    return list(names)


def _name_for(files: Sequence[str], taken: Container[str]) -> str:
    folder = _common_folder(files)
    if folder and folder not in taken:
        return folder
    word = _common_word(files)
    told = f"{folder}: {word}" if folder and word else word
    # A file is in one group only, so its path is never taken.
    return told if told and told not in taken else files[0]


def _closest(paths: Sequence[str], edges: Sequence[Edge]) -> list[list[tuple[int, float]]]:
    bonds: list[dict[int, float]] = [{} for _ in paths]
    for user, used, weight in edges:
        bonds[user][used] = bonds[user].get(used, 0.0) + weight
        bonds[used][user] = bonds[used].get(user, 0.0) + weight
    # What everybody uses binds nobody together.
    pull = [1 / (sum(bond.values()) or 1.0) ** 0.5 for bond in bonds]
    folders = [path.rpartition("/")[0] for path in paths]
    near: list[list[tuple[int, float]]] = []
    for place, bond in enumerate(bonds):
        folder = folders[place]
        heard = [
            (other, weight * pull[other] * (SAME_FOLDER if folders[other] == folder else 1.0))
            for other, weight in bond.items()
        ]
        heard.sort(key=lambda each: (-each[1], each[0]))
        near.append(heard[:CLOSEST])
    return near


def _moves(labels: list[int], place: int, neighbours: Sequence[tuple[int, float]]) -> bool:
    """Take the label that weighs most among the neighbours, if another one does."""
    votes: dict[int, float] = {}
    for other, weight in neighbours:
        label = labels[other]
        votes[label] = votes.get(label, 0.0) + weight
    most = max(votes.values(), default=0.0)
    if votes.get(labels[place], 0.0) >= most:
        return False
    labels[place] = min(label for label, weight in votes.items() if weight >= most)
    return True


def _taken_apart(paths: Sequence[str], group: list[int], depth: int = 1) -> list[list[int]]:
    if len(group) <= max(SMALLEST_LARGE, TOO_LARGE * len(paths)):
        return [group]
    parts: dict[str, list[int]] = {}
    for place in group:
        parts.setdefault("/".join(paths[place].split("/")[:-1][:depth]), []).append(place)
    if len(parts) == 1:
        deeper = any(paths[place].count("/") > depth for place in group)
        return _taken_apart(paths, group, depth + 1) if deeper else [group]
    return [piece for part in parts.values() for piece in _taken_apart(paths, part, depth + 1)]


def _common_folder(files: Sequence[str]) -> str:
    """The deepest folder that most of them are in."""
    needed = 0.6 * len(files)
    counts: Counter[str] = Counter()
    for folder, count in Counter(path.rpartition("/")[0] for path in files).items():
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
