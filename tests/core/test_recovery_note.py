from mulligan.core.recovery_note import describe_failure, recovery_note
from mulligan.types.tool_calls import DoneCall, Failed

REFUSED = DoneCall(
    "edit_file",
    {"path": "a.py", "old": "x = 9"},
    Failed("exec_error", "Nothing there is like it. The nearest:\n12  x = 8\n13  y = 2"),
)
MISSING = DoneCall("view_file", {"path": "mian.py"}, Failed("exec_error", "There is no mian.py. Did you mean main.py?"))
UNKNOWN = DoneCall("read", {"path": "a.py"}, Failed("tool_not_found", "There is no tool read. Nearest: view_file."))
TESTS = DoneCall(
    "run_command",
    {"command": "pytest"},
    Failed("exec_error", "exit code 1 (0.4 s)\n" + "\n".join(f"line {n}" for n in range(40)) + "\nE  assert 1 == 2"),
)


def test_each_failure_is_told_in_its_own_words() -> None:
    note = recovery_note([REFUSED, MISSING, UNKNOWN], ["exec_error", "exec_error", "tool_not_found"])
    assert "12  x = 8" in note
    assert "Did you mean main.py?" in note
    assert "Nearest: view_file." in note
    assert "several different errors" in note
    assert "fundamentally different approach" in note


def test_of_a_command_the_end_is_told() -> None:
    told = describe_failure(TESTS)
    assert "exit code 1" in told
    assert "assert 1 == 2" in told
    assert "line 3\n" not in told


def test_three_of_one_kind_are_not_called_different() -> None:
    note = recovery_note([MISSING] * 3, ("exec_error",) * 3)
    assert note.startswith("Your last 3 calls of view_file all failed.")
    assert "different errors" not in note
    assert note.count("Did you mean main.py?") == 1


def test_there_is_one_line_of_help_for_each_kind() -> None:
    note = recovery_note([REFUSED, MISSING, UNKNOWN], ["exec_error", "exec_error", "tool_not_found"])
    assert len(note.partition("What helps:\n")[2].split("\n")) == 2


def test_a_long_failure_is_cut() -> None:
    long = DoneCall("grep", {}, Failed("exec_error", "x" * 5_000))
    assert len(recovery_note([long] * 3, ("exec_error",) * 3)) < 2_000
