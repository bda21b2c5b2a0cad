from collections.abc import Callable

from tests.cli.conftest import Terminal


def test_a_drill_in_a_terminal_shows_what_is_played_then_its_row_and_the_summary(
    in_terminal: Callable[..., Terminal],
) -> None:
    terminal = in_terminal("drill", "--only", "same-call", columns=100)
    for sign in ("0 of 1 done", "what Mulligan did", "the same call for ever", "holds", "1 of 1 fault held"):
        terminal.sees(sign)
    assert terminal.leaves() == 0
