"""`/compact` in a real terminal, against a scripted server."""

from collections.abc import Callable
from typing import Any

from mulligan.models.scripted.script import ScriptedCall, ScriptedReply, When

Start = Callable[..., Any]

SUMMARY = ScriptedReply(
    when=When(contains="Sum up the session above"),
    text="## Goal\nFind out where the turn is.\n## Progress\n### Done\n- It is in turn.py.\n",
)


def test_a_chat_is_summed_up_and_goes_on_from_the_summary(serve: Start, in_terminal: Start) -> None:
    viewing = ScriptedReply(tool_calls=(ScriptedCall(name="view_file", arguments={"path": "turn.py"}),))
    story = ScriptedReply(text=" ".join(f"word{number}" for number in range(900)) + " the end.")
    server = serve(SUMMARY, viewing, story, ScriptedReply(text="Line one."), ScriptedReply(text="Still here."))
    terminal = in_terminal("chat", columns=200)
    terminal.says("where is the turn?")
    terminal.sees("the end.")
    terminal.says("which line?")
    terminal.sees("Line one.")
    terminal.says("/compact")
    terminal.sees("Done: the model summed up what came before")
    terminal.says("are you there?")
    terminal.sees("Still here.")
    _, summary, *_ = server.requests()[-1]["body"]["messages"]
    assert "## Goal\nFind out where the turn is." in summary["content"]
    assert "## Files Read\n- turn.py" in summary["content"]
    assert "word42" not in str(server.requests()[-1]["body"]["messages"])


def test_there_is_nothing_to_compact_in_a_new_chat(serve: Start, in_terminal: Start) -> None:
    serve(ScriptedReply(text="Line one."))
    terminal = in_terminal("chat")
    terminal.says("/compact")
    terminal.sees("there is nothing to compact")
    terminal.says("which line?")
    terminal.sees("Line one.")
    terminal.says("/compact")
    terminal.sees("nothing to gain")
