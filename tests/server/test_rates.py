"""How often somebody may."""

from dataclasses import dataclass

import pytest

from mulligan.runtime.serving.token import MAX_CLIENTS, Buckets


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_so_many_at_once_and_then_one_has_to_wait(clock: Clock) -> None:
    buckets = Buckets(size=2, a_second=0.5, clock=clock)
    assert [buckets.take("ada") for _ in range(3)] == [0.0, 0.0, 2.0]


def test_after_the_time_that_was_told_there_is_one_again(clock: Clock) -> None:
    buckets = Buckets(size=1, a_second=0.5, clock=clock)
    buckets.take("ada")
    clock.now += buckets.take("ada")
    assert [buckets.take("ada") for _ in range(2)] == [0.0, 2.0]


def test_a_bucket_does_not_grow_beyond_its_size(clock: Clock) -> None:
    buckets = Buckets(size=2, a_second=1, clock=clock)
    buckets.take("ada")
    clock.now += 1000
    assert [buckets.take("ada") for _ in range(3)] == [0.0, 0.0, 1.0]


def test_each_client_has_one_of_its_own(clock: Clock) -> None:
    buckets = Buckets(size=1, a_second=1, clock=clock)
    assert [buckets.take(who) for who in ("ada", "bob", "ada")] == [0.0, 0.0, 1.0]


def test_many_clients_take_no_more_room_than_some(clock: Clock) -> None:
    buckets = Buckets(size=1, a_second=1, clock=clock)
    for number in range(MAX_CLIENTS * 2):
        buckets.take(str(number))
    assert buckets.take(str(MAX_CLIENTS * 2 - 1)) == 1.0, "the newest are known"
    assert buckets.take("0") == 0.0, "the oldest are forgotten"
