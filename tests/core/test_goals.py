import pytest

from mulligan.core.goals import asks_for_change


@pytest.mark.parametrize(
    "message",
    [
        "Fix the bug in cart.py",
        "fix it",
        "please add a test for parse_date",
        "Please, rename `a` to `b` everywhere.",
        "Can you make the tests pass?",
        "could you please update the README?",
        "Now remove the dead code",
        "Find the bug and fix it.",
        "look at app.py, then add a --verbose flag",
        "I want you to rewrite the parser",
        "Implement the missing function\n\nIt should return the sum.",
        "use pathlib instead of os.path",
    ],
)
def test_a_message_that_tells_to_change_something(message: str) -> None:
    assert asks_for_change(message)


@pytest.mark.parametrize(
    "message",
    [
        "What does cart.py do?",
        "where is the port set",
        "How do I add a test?",
        "Why does the build fail?",
        "Should we rename it?",
        "explain the parser",
        "Run the tests",
        "Review my changes.",
        "list the files that use Cart",
        "Is it possible to make this faster?",
        "thanks",
        "",
        "See to it.",
        "Continue from where you stopped.",
        "Which functions change the state and write files?",
    ],
)
def test_a_message_that_does_not(message: str) -> None:
    assert not asks_for_change(message)
