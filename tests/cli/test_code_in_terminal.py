"""`mulligan code` with a user at the terminal: what they are asked, and what their answers do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mulligan.models.scripted.script import ScriptedCall, ScriptedReply

Start = Callable[..., Any]

BEFORE = "def turn():\n    return 'one'\n"


def calling(name: str, **arguments: str) -> ScriptedReply:
    return ScriptedReply(tool_calls=(ScriptedCall(name=name, arguments=arguments),))


EDIT = calling("edit_file", path="turn.py", old="return 'one'", new="return 'two'")
CREATE = calling("create_file", path="new.py", content="x = 1\n")
TOUCH = calling("run_command", command="touch made.txt")
DONE = ScriptedReply(text="Changed.")


def test_each_change_is_shown_and_done_as_the_user_says(serve: Start, in_terminal: Start, project: Path) -> None:
    serve(EDIT, CREATE, DONE)
    terminal = in_terminal("code", "make it two", columns=120)
    terminal.sees("-    return 'one'")
    terminal.sees("+    return 'two'")
    terminal.sees("1/2 edit turn.py +1 -1: apply?")
    terminal.types("y\r")
    terminal.sees("2/2 create new.py +1 -0: apply?")
    terminal.types("n\r")
    terminal.sees("turn.py: applied")
    assert terminal.leaves() == 4
    assert (project / "turn.py").read_text() == BEFORE.replace("one", "two")
    assert not (project / "new.py").exists()


def test_all_means_all_that_are_left(serve: Start, in_terminal: Start, project: Path) -> None:
    serve(EDIT, CREATE, DONE)
    terminal = in_terminal("code", "make it two", columns=120)
    terminal.sees("apply?")
    terminal.types("a\r")
    assert terminal.leaves() == 0
    assert (project / "turn.py").read_text() == BEFORE.replace("one", "two")
    assert (project / "new.py").read_text() == "x = 1\n"


def test_ctrl_c_while_looking_at_changes_applies_nothing_and_keeps_them(
    serve: Start, in_terminal: Start, run: Start, project: Path
) -> None:
    serve(EDIT, CREATE, DONE)
    terminal = in_terminal("code", "make it two", columns=120)
    terminal.sees("1/2")
    terminal.types("y\r")
    terminal.sees("2/2")
    terminal.types("\x03")
    terminal.sees("Nothing was applied.")
    assert terminal.leaves() == 130
    assert (project / "turn.py").read_text() == BEFORE
    assert run("changes", "list", "--json").stdout.count("\n") == 2


def test_a_command_that_needs_a_yes_is_shown_with_the_reason(serve: Start, in_terminal: Start, project: Path) -> None:
    serve(TOUCH, DONE)
    terminal = in_terminal("code", "make a file", columns=120)
    terminal.sees("touch made.txt")
    terminal.sees("run it?")
    terminal.types("y\r")
    terminal.sees("Changed.")
    assert terminal.leaves() == 0
    assert (project / "made.txt").exists()


def test_no_is_told_to_the_model(serve: Start, in_terminal: Start, project: Path) -> None:
    server = serve(TOUCH, DONE)
    terminal = in_terminal("code", "see to a file", columns=120)
    terminal.sees("run it?")
    terminal.types("\r")
    terminal.sees("Changed.")
    terminal.leaves()
    assert not (project / "made.txt").exists()
    assert "was not run" in server.requests()[-1]["body"]["messages"][-1]["content"]


def test_ctrl_c_at_the_question_ends_the_turn(serve: Start, in_terminal: Start, project: Path) -> None:
    serve(EDIT, TOUCH, DONE)
    terminal = in_terminal("code", "make a file", columns=120)
    terminal.sees("run it?")
    terminal.types("\x03")
    terminal.sees("Stopped by you.")
    terminal.sees("1 change is pending")
    assert terminal.leaves() == 130
    assert not (project / "made.txt").exists()


def test_in_the_chat_changes_are_looked_at_after_the_turn(serve: Start, in_terminal: Start, project: Path) -> None:
    serve(EDIT, DONE)
    terminal = in_terminal("chat", "--agent", "coder", columns=120)
    terminal.says("make it two")
    terminal.sees("apply?")
    terminal.types("l\r")
    terminal.sees("1 change is pending")
    terminal.says("/changes")
    terminal.sees("apply?")
    terminal.types("y\r")
    terminal.sees("turn.py: applied")
    terminal.says("/quit")
    assert terminal.leaves() == 0
    assert (project / "turn.py").read_text() == BEFORE.replace("one", "two")


def test_in_a_pipe_the_diff_follows_the_answer(serve: Start, run: Start, project: Path) -> None:
    serve(EDIT, DONE)
    done = run("code", "make it two")
    assert done.returncode == 6
    assert done.stdout.startswith("Changed.\n--- a/turn.py\n+++ b/turn.py\n")
    assert "1 change is pending: mulligan changes apply" in done.stderr
    assert (project / "turn.py").read_text() == BEFORE
