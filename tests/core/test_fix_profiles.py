"""What a profile lets a model ask for, over the whole run."""

import pytest

from mulligan.core.fix_runs.next_node import PROFILES, refuse_command, spend
from mulligan.types.commands import CommandKind
from mulligan.types.fixing import ProfileName, Spent


@pytest.mark.parametrize(
    ("name", "kinds", "spent", "refused"),
    [
        pytest.param("fast", {"read"}, Spent(), False, id="a command"),
        pytest.param("fast", {"read"}, Spent(commands=7), False, id="the last command"),
        pytest.param("fast", {"read"}, Spent(commands=8), True, id="one command too many"),
        pytest.param("fast", {"test"}, Spent(commands=2, tests=2), False, id="the last test run"),
        pytest.param("fast", {"test"}, Spent(commands=3, tests=3), True, id="one test run too many"),
        pytest.param("fast", {"read"}, Spent(commands=3, tests=3), False, id="a command after the last test run"),
        pytest.param("fast", {"install"}, Spent(), True, id="fast installs nothing"),
        pytest.param("fast", {"read", "install"}, Spent(), True, id="an install behind something else"),
        pytest.param("strict", {"install"}, Spent(), False, id="strict installs"),
        pytest.param("yolo", {"git"}, Spent(), True, id="no profile writes branches"),
        pytest.param("smoke", {"app"}, Spent(), True, id="smoke runs no program"),
        pytest.param("yolo", {"app"}, Spent(), False, id="yolo does"),
    ],
)
def test_a_command_is_refused_by_what_was_spent(
    name: ProfileName, kinds: set[CommandKind], spent: Spent, refused: bool
) -> None:
    assert bool(refuse_command(PROFILES[name], spent, kinds)) is refused


def test_a_test_run_counts_as_a_command_too() -> None:
    assert spend(Spent(commands=1), {"test"}) == Spent(commands=2, tests=1)
    assert spend(Spent(commands=1), {"read"}) == Spent(commands=2, tests=0)


def test_the_profiles_are_those_that_are_promised() -> None:
    assert {
        name: (each.commands, each.tests, each.installs, each.app_runs, each.coder_steps)
        for name, each in PROFILES.items()
    } == {
        "strict": (20, 5, True, True, 20),
        "fast": (8, 3, False, True, 12),
        "smoke": (3, 1, False, False, 6),
        "yolo": (15, 4, True, True, 500),
    }
