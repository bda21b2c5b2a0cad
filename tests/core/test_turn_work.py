import pytest

from mulligan.core.turn_work import turn_work
from mulligan.types.messages import Part, ToolCallPart, ToolResultPart
from mulligan.types.tool_calls import FailureKind


def ran(number: int, command: str, failure: FailureKind | None = None) -> list[Part]:
    call_id = str(number)
    return [
        ToolCallPart(call_id=call_id, name="run_command", arguments={"command": command}),
        ToolResultPart(call_id=call_id, name="run_command", content="x", failure=failure),
    ]


def test_a_turn_that_did_nothing_says_so() -> None:
    work = turn_work([], (), missing=True)
    assert work.missing
    assert work.text == "No file changed; no command run."


def test_the_newest_run_of_a_command_counts() -> None:
    parts = [*ran(1, "pytest", "exec_error"), *ran(2, "ruff check"), *ran(3, "pytest")]
    work = turn_work(parts, ("a.py",), missing=False)
    assert (work.passed, work.failed) == (("ruff check", "pytest"), ())
    assert work.text == "Changed a.py; ruff check and pytest passed."


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("cd app && pytest -q 2>&1", True),
        ("pytest -k 'a; b | c'", True),
        ("pytest > out.txt", True),
        ("pytest; echo done", False),
        ("pytest | tail -3", False),
        ("pytest || true", False),
        ("pytest & wait", False),
        ("pytest\necho done", False),
        ("pytest 'open", False),
    ],
)
def test_only_an_exit_code_that_tells_of_all_of_a_line_says_that_it_passed(command: str, told: bool) -> None:
    work = turn_work(ran(1, command), (), missing=False)
    assert (work.passed, work.ran) == (((command,), ()) if told else ((), (command,)))
    assert work.text.endswith(" passed." if told else " exited with 0.")


def test_a_long_command_is_cut_where_it_is_seen() -> None:
    text = turn_work(ran(1, f"pytest {'x' * 80}"), (), missing=False).text
    assert text == f"No file changed; pytest {'x' * 52}… passed."


def test_a_command_that_was_not_allowed_was_not_run() -> None:
    assert (
        turn_work(ran(1, "sudo rm x", "permission_denied"), (), missing=False).text
        == "No file changed; no command run."
    )


def test_long_lists_are_cut() -> None:
    files = tuple(f"{n}.py" for n in range(9))
    assert turn_work([], files, missing=False).text == ("Changed 0.py, 1.py, 2.py, 3.py and 5 more; no command run.")
