"""Which restores a chat stands on."""

import pytest

from mulligan.core.restore_marks import active_restores
from mulligan.types.checkpoints import Checkpoint, DoneRestore


def checkpoint(name: str) -> Checkpoint:
    return Checkpoint(name, 1, "/p", "c0", "", "turn", 0.0, "chat")


@pytest.mark.parametrize(
    ("done", "marks"),
    [
        pytest.param("", "", id="none"),
        pytest.param("t>s1", "s1", id="one"),
        pytest.param("t>s1 u>s2", "s1 s2", id="two in a row"),
        pytest.param("t>s1 s1>s2", "s2 undoes", id="undone"),
        pytest.param("t>s1 s1>s2 s2>s3", "s3", id="done again"),
        pytest.param("t>s1 s1>s2 s2>s3 s3>s4", "s4 undoes", id="undone again"),
        pytest.param("t>s1 u>s2 s1>s3", "s2 s3 undoes", id="the first of two undone"),
    ],
)
def test_a_restore_stands_until_another_returns_to_what_was_before_it(done: str, marks: str) -> None:
    made = [each.split(">") for each in done.split()]
    restores = [DoneRestore(to, checkpoint(to), checkpoint(safety), 1, 0, 0.0) for to, safety in made]
    standing = active_restores(restores)
    assert " ".join(f"{mark.restore.safety.id}{' undoes' if mark.undoes else ''}" for mark in standing) == marks
