"""Which checkpoints and cached repositories may go."""

import pytest

from mulligan.core.pruning import DAY, KEPT_CHECKPOINTS, CachedRepository, old_checkpoints, unneeded_repositories
from mulligan.types.checkpoints import Checkpoint, CheckpointKind

NOW = 1_000 * DAY


def checkpoint(number: int, *, days: float = 90, kind: CheckpointKind = "turn", chat: str = "old") -> Checkpoint:
    made = NOW - days * DAY
    return Checkpoint(f"c{number}", number, "/p", "0" * 40, "", kind, made, chat)


@pytest.mark.parametrize(
    ("first", "goes"),
    [
        pytest.param(checkpoint(0), True, id="old, and its chat too"),
        pytest.param(checkpoint(0, kind="safety"), True, id="what an old restore kept"),
        pytest.param(checkpoint(0, days=29), False, id="not old enough"),
        pytest.param(checkpoint(0, kind="manual"), False, id="made by hand"),
        pytest.param(checkpoint(0, chat="recent"), False, id="of a chat that goes on"),
    ],
)
def test_what_may_go(first: Checkpoint, *, goes: bool) -> None:
    every = [first, *(checkpoint(number) for number in range(1, KEPT_CHECKPOINTS + 1))]
    assert old_checkpoints(every, {"recent"}, NOW) == ([first] if goes else [])


def test_the_newest_stay_however_old_they_are() -> None:
    assert old_checkpoints([checkpoint(number) for number in range(KEPT_CHECKPOINTS)], set(), NOW) == []


def repository(name: str, *, days: float, size: int = 10, in_use: bool = False) -> CachedRepository:
    return CachedRepository(name, size, NOW - days * DAY, in_use=in_use)


@pytest.mark.parametrize(
    ("cached", "most_bytes", "going"),
    [
        pytest.param([repository("a", days=31), repository("b", days=29)], None, ["a"], id="not used for a month"),
        pytest.param([repository("a", days=31, in_use=True)], None, [], id="a job uses it"),
        pytest.param([repository("a", days=1), repository("b", days=2)], 10, ["b"], id="used longest ago, for room"),
        pytest.param([repository("a", days=1), repository("b", days=2)], 20, [], id="there is room"),
        pytest.param([repository("a", days=2, in_use=True), repository("b", days=1)], 10, ["b"], id="room, but in use"),
        pytest.param([repository("a", days=1, size=99)], 10, ["a"], id="it alone is too large"),
    ],
)
def test_which_repositories_may_go(cached: list[CachedRepository], most_bytes: int | None, going: list[str]) -> None:
    assert [each.name for each in unneeded_repositories(cached, NOW, most_bytes=most_bytes)] == going
