"""Which files matter most."""

from array import array
from collections.abc import Iterable, Sequence
from operator import mul
from typing import TypeAlias

from mulligan.codecontext.link_graph import LinkGraph
from mulligan.syntax.testfiles import is_test_file

PASSED_ON = 0.5
"""The share of its importance that a file passes on to those it uses. With PageRank's usual 0.85, a file that only one
important file uses would rank above one that a hundred files use."""
ROUNDS = 8
"""More rounds would move less than a thousandth of all importance."""
ONE = 1_000
"""The importance that each file starts with."""
TEST_SHARE = 300
"""The same for a test, which so passes on less."""

Ranks: TypeAlias = "array[int]"
"""The importance of each file, by its index in the sorted list of paths."""


def find_ranks(paths: Sequence[str], links: LinkGraph) -> list[Ranks]:
    """Each file's importance after each round, by PageRank: what is used by files that matter, matters."""
    own = array("i", [TEST_SHARE if is_test_file(path) else ONE for path in paths])
    return _ranked([own] * (ROUNDS + 1), links, range(len(paths)))


def follow_ranks(before: Sequence[Ranks], links: LinkGraph, touched: Iterable[int]) -> list[Ranks]:
    """The ranks after links of the touched files have changed, with the same result as from scratch."""
    reached = {used for index in touched for used in (index, *links.used[index])}
    return _ranked(before, links, reached)


def shares_of(ranks: Ranks) -> list[float]:
    """Each file's share of all importance; they add up to 1."""
    total = sum(ranks)
    return [rank / total for rank in ranks]


def _ranked(before: Sequence[Ranks], links: LinkGraph, reached: Iterable[int]) -> list[Ranks]:
    """Repeat the rounds for the reached files, which may receive another importance now.

    Ranks are integers. A smaller change is not passed on, so most changes do not spread far.
    """
    own = before[0]
    given: dict[int, float] = {}
    """The share of its importance that a file passes on per unit of weight."""
    passed_on: dict[int, tuple[Sequence[int], list[float]]] = {}
    """A file's users, and the share of its importance that each passes on to the file."""
    rounds = [own]
    moved: list[int] = []
    for then in before[1:]:
        ranks, rank_before = array("i", then), rounds[-1].__getitem__
        indexes = {*reached, *(used for index in moved for used in links.used[index])}
        moved = []
        for index in indexes:
            if index not in passed_on:
                passed_on[index] = _passed_on(links, index, given)
            users, shares = passed_on[index]
            rank = own[index] + round(sum(map(mul, shares, map(rank_before, users))))
            if rank != ranks[index]:
                ranks[index] = rank
                moved.append(index)
        rounds.append(ranks)
    return rounds


def _passed_on(links: LinkGraph, index: int, given: dict[int, float]) -> tuple[Sequence[int], list[float]]:
    users = links.users[index]
    for user in users:
        if user not in given:
            given[user] = PASSED_ON / sum(links.used_weights[user])
    return users, [given[user] * weight for user, weight in zip(users, links.users_weights[index], strict=True)]
