"""Which files matter most."""

from array import array
from collections.abc import Iterable, Sequence
from operator import mul
from typing import TypeAlias

from mulligan.codecontext.link_graph import LinkGraph
from mulligan.syntax.test_files import is_test_file

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
"""The importance of each file, by its place in the sorted list of paths."""


def find_ranks(paths: Sequence[str], web: LinkGraph) -> list[Ranks]:
    """Each file's importance after each round, by PageRank: what is used by files that matter, matters."""
    own = array("i", [TEST_SHARE if is_test_file(path) else ONE for path in paths])
    return _ranked([own] * (ROUNDS + 1), web, range(len(paths)))


def follow_ranks(before: Sequence[Ranks], web: LinkGraph, touched: Iterable[int]) -> list[Ranks]:
    """The ranks after links of the touched files have changed, with the same result as from scratch."""
    reached = {used for place in touched for used in (place, *web.used[place])}
    return _ranked(before, web, reached)


def shares_of(ranks: Ranks) -> list[float]:
    """Each file's share of all importance; they add up to 1."""
    total = sum(ranks)
    return [rank / total for rank in ranks]


def _ranked(before: Sequence[Ranks], web: LinkGraph, reached: Iterable[int]) -> list[Ranks]:
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
        places = {*reached, *(used for place in moved for used in web.used[place])}
        moved = []
        for place in places:
            if place not in passed_on:
                passed_on[place] = _passed_on(web, place, given)
            users, shares = passed_on[place]
            rank = own[place] + round(sum(map(mul, shares, map(rank_before, users))))
            if rank != ranks[place]:
                ranks[place] = rank
                moved.append(place)
        rounds.append(ranks)
    return rounds


def _passed_on(web: LinkGraph, place: int, given: dict[int, float]) -> tuple[Sequence[int], list[float]]:
    users = web.users[place]
    for user in users:
        if user not in given:
            given[user] = PASSED_ON / sum(web.used_weights[user])
    return users, [given[user] * weight for user, weight in zip(users, web.users_weights[place], strict=True)]
