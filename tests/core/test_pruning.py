"""Which checkpoints may go."""

import pytest

from mulligan.core.pruning import DAY, KEPT_CHECKPOINTS, old_checkpoints
from mulligan.types.checkpoints import Checkpoint, CheckpointKind

NOW = 1_000 * DAY


def checkpoint(number: int, *, days: float = 90, kind: CheckpointKind = "turn", chat: str = "old") -> Checkpoint:
    made = NOW - days * DAY
    return Checkpoint(f"c{number}", number, "/p", "0" * 40, "", kind, chat, None, None, None, made)


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
