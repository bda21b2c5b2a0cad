"""What can be typed in `mulligan chat` beside messages, in a real terminal."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mulligan.models.scripted.script import ScriptedCall, ScriptedReply
from mulligan.types.model_io import Usage

Start = Callable[..., Any]

EDIT = ScriptedReply(
    tool_calls=(
        ScriptedCall(name="edit_file", arguments={"path": "turn.py", "old": "return 'one'", "new": "return 'two'"}),
    )
)


def sent(server: Any) -> str:
    """All that the user's messages of the last request hold."""
    messages = server.requests()[-1]["body"]["messages"]
    return "\n\n".join(each["content"] for each in messages if each["role"] == "user")


def test_tab_completes_a_file_and_a_symbol_behind_an_at(serve: Start, in_terminal: Start) -> None:
    server = serve(ScriptedReply(text="Read."), ScriptedReply(text="Read it."))
    terminal = in_terminal("chat", columns=120)
    terminal.at_prompt()
    terminal.types("see @turn.\t")
    terminal.sees("py")
    terminal.types(" please\r")
    terminal.sees("given with the message: @turn.py · turn.py (lines 1-2 of 2)")
    terminal.sees("answered")
    assert sent(server).endswith("see @turn.py please")
    terminal.at_prompt()
    terminal.types("what is @turn\t")
    terminal.sees("@turn.py")


def test_own_commands_are_listed_completed_and_said(serve: Start, in_terminal: Start, project: Path) -> None:
    (project / ".claude" / "commands").mkdir(parents=True)
    (project / ".claude" / "commands" / "explain.md").write_text("---\ndescription: In easy words\n---\nExplain $1!")
    server = serve(ScriptedReply(text="So it is."))
    terminal = in_terminal("chat", columns=120)
    terminal.says("/help")
    terminal.sees("/explain   In easy words (.claude/commands/explain.md)")
    terminal.at_prompt()
    terminal.types("/expla\t")
    terminal.sees("in")
    terminal.types(" turns\r")
    terminal.sees("So it is.")
    assert sent(server) == "Explain turns!"


def test_what_a_command_says_is_seen_by_the_model_with_the_next_message(serve: Start, in_terminal: Start) -> None:
    server = serve(ScriptedReply(text="Two lines."))
    terminal = in_terminal("chat", columns=120)
    terminal.says("!cat turn.py")
    terminal.sees("exit code 0")
    terminal.sees("return 'one'")
    terminal.says("how many lines?")
    terminal.sees("Two lines.")
    assert sent(server).startswith("The user ran `cat turn.py`: exit code 0")
    assert sent(server).endswith("def turn():\n    return 'one'\n\nhow many lines?")
    terminal.says("!sudo reboot")
    terminal.sees("The command was not run.")


def test_a_chat_is_forked_renamed_and_exported(serve: Start, in_terminal: Start, project: Path, run: Start) -> None:
    serve(ScriptedReply(text="First.", usage=Usage(prompt_tokens=900, completion_tokens=10)))
    terminal = in_terminal("chat", columns=120)
    terminal.says("/fork")
    terminal.sees("/fork needs a chat")
    terminal.says("hi")
    terminal.sees("answered")
    terminal.says("/context")
    terminal.sees("910 tokens")
    terminal.sees("system prompt")
    terminal.says("/fork")
    terminal.sees("You are now in a copy")
    terminal.says("/rename My chat")
    terminal.sees("The chat is now called My chat.")
    terminal.says("/export out.md")
    terminal.sees("wrote out.md")
    terminal.says("/export out.md")
    terminal.sees("out.md exists")
    assert (project / "out.md").read_text().startswith("# My chat\n")
    assert run("chats", "list", "--json").stdout.count("\n") == 2


def test_undo_in_a_copy_says_that_changes_of_the_first_chat_stay(
    serve: Start, in_terminal: Start, project: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    serve(EDIT, ScriptedReply(text="Changed."))
    terminal = in_terminal("chat", "--agent", "coder", columns=120)
    terminal.says("change it")
    terminal.sees("apply?")
    terminal.types("l\r")
    terminal.says("/fork")
    terminal.sees("You are now in a copy")
    terminal.says("/undo")
    terminal.sees("Its changes stay: this chat has no checkpoint from before it.")


def test_undo_takes_back_a_turn_with_files_and_one_without(serve: Start, in_terminal: Start, project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    serve(EDIT, ScriptedReply(text="Changed."), ScriptedReply(text="Hello."))
    terminal = in_terminal("chat", "--agent", "coder", columns=120)
    terminal.says("change it")
    terminal.sees("apply?")
    terminal.types("y\r")
    terminal.sees("applied")
    terminal.says("/diff")
    terminal.sees("What was changed last:")
    terminal.sees("+    return 'two'")
    terminal.says("/undo")
    terminal.sees("turn.py")
    terminal.sees("undo it?")
    terminal.types("y\r")
    terminal.sees("mulligan restore --undo")
    assert (project / "turn.py").read_text() == "def turn():\n    return 'one'\n"
    terminal.says("/undo")
    terminal.sees("there is nothing to undo")
    terminal.says("/agent default")
    terminal.says("hi")
    terminal.sees("answered")
    terminal.says("/undo")
    terminal.sees("It had changed no file.")
    terminal.says("/undo")
    terminal.sees("there is nothing to undo")
