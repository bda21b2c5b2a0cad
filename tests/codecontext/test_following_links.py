"""Ranks and neighbours that followed changes of links are the same as those found anew."""

import random

from hypothesis import given
from hypothesis import strategies as st

from mulligan.codecontext.link_graph import LinkGraph, empty_link_graph
from mulligan.codecontext.neighbors import find_neighbors, follow_neighbors, groups_of
from mulligan.codecontext.ranking import ONE, find_ranks, follow_ranks, shares_of

Links = dict[int, dict[int, int]]
"""Of each file: what it uses, and how much."""


def web_of(files: int, links: Links) -> LinkGraph:
    web = empty_link_graph(files)
    for place, used in links.items():
        web.replace(place, list(used), list(used.values()))
    return web


def some_links(chance: random.Random, files: int, place: int) -> dict[int, int]:
    others = [other for other in range(files) if other != place]
    # Few files are used by many, as in real projects.
    chosen = {chance.choice(others[: 1 + chance.randrange(len(others))]) for _ in range(chance.randrange(6))}
    return {other: chance.choice([2_000, 10_000, 10_000, 24_142, 50_000]) for other in sorted(chosen)}


@given(seed=st.integers(0, 1_000_000), files=st.integers(2, 60), rounds=st.integers(1, 5))
def test_what_followed_changes_equals_what_is_found_anew(seed: int, files: int, rounds: int) -> None:
    chance = random.Random(seed)
    paths = sorted(f"{chance.choice(['a/', 'b/', 'b/c/', 'tests/', ''])}{number:02}.py" for number in range(files))
    links = {place: some_links(chance, files, place) for place in range(files)}
    web = web_of(files, links)
    ranks, neighbors = find_ranks(paths, web), find_neighbors(paths, web)
    for _ in range(rounds):
        touched: set[int] = set()
        for place in chance.sample(range(files), chance.randint(1, min(3, files))):
            new = some_links(chance, files, place)
            touched |= {place, *(other for other, _ in links[place].items() ^ new.items())}
            links[place] = new
            web.replace(place, list(new), list(new.values()))
        fresh = web_of(files, links)
        ranks = follow_ranks(ranks, web, touched)
        neighbors = follow_neighbors(neighbors, paths, web, touched)
        found = find_neighbors(paths, fresh)
        assert ranks == find_ranks(paths, fresh)
        assert neighbors[:3] == found[:3]
        assert neighbors.labels() == found.labels()
        assert groups_of(paths, neighbors) == groups_of(paths, found)


def test_both_ends_of_a_link_know_it() -> None:
    web = web_of(3, {0: {2: 10}, 1: {2: 30, 0: 20}})
    web.replace(0, [1], [5])
    assert ([*web.users[2]], [*web.users_weights[2]]) == ([1], [30])
    assert ([*web.users[1]], [*web.users_weights[1]]) == ([0], [5])
    assert web.bonds(0) == {1: 25}


def test_what_a_test_uses_gains_less_than_what_the_program_uses() -> None:
    paths = ["checked.py", "fetched.py", "main.py", "tests/test_main.py"]
    ranks = find_ranks(paths, web_of(4, {2: {1: 10_000}, 3: {0: 10_000}}))[-1]
    assert ranks[1] > ranks[0] > ranks[2] == ONE > ranks[3]


def test_shares_add_up_to_one() -> None:
    ranks = find_ranks(["a.py", "b.py"], web_of(2, {0: {1: 10_000}}))[-1]
    assert sum(shares_of(ranks)) == 1
