"""`mulligan chat` in a real terminal, against a scripted server."""

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.script import ScriptedCall, ScriptedReply

Start = Callable[..., Any]

SAME_CALL = ScriptedReply(tool_calls=(ScriptedCall(name="view_file", arguments={"path": "turn.py"}),), times=3)
QUESTION = ScriptedReply(
    tool_calls=(ScriptedCall(name="ask_user", arguments={"question": "Which colour?", "options": ["red", "blue"]}),)
)


def last_prompt(server: Any) -> str:
    """What the model was last asked by the user."""
    request = server.requests()[-1]
    return [message["content"] for message in request["body"]["messages"] if message["role"] == "user"][-1]


@pytest.fixture
def chat(in_terminal: Start) -> Start:
    return lambda *arguments, **options: in_terminal("chat", *arguments, **options)


def test_it_says_where_it_is_who_answers_and_with_what(serve: Start, chat: Start, project: Path) -> None:
    server = serve(ScriptedReply(text="unused"))
    terminal = chat("--model", "qwen", "--agent", "reviewer", columns=200)
    terminal.sees(f"Mulligan in {project}")
    terminal.sees(f"reviewer answers, with qwen at {server.base_url}")


def test_messages_are_answered_one_after_the_other_in_one_chat(serve: Start, chat: Start, run: Start) -> None:
    server = serve(ScriptedReply(text="It is in **turn.py**."), ScriptedReply(text="Line one."))
    terminal = chat()
    terminal.says("where is the turn?")
    terminal.sees("turn.py")
    terminal.sees("answered")
    terminal.says("which line?")
    terminal.sees("Line one.")
    terminal.says("/quit")
    terminal.sees("The chat is saved. To continue it: mulligan chat --chat ")
    assert terminal.leaves() == 0
    assert len(server.requests()[-1]["body"]["messages"]) == 4
    assert run("chats", "list", "--json").stdout.count("\n") == 1


def test_ctrl_c_stops_an_answer_and_the_chat_goes_on(serve: Start, chat: Start) -> None:
    server = serve(
        ScriptedReply(text="A story without an end.", chunk_size=8, hang=2), ScriptedReply(text="Yes, still here.")
    )
    terminal = chat()
    terminal.says("tell me a story")
    terminal.sees("A story ")
    terminal.types("\x03")
    terminal.sees("Stopped by you.")
    terminal.says("are you there?")
    terminal.sees("Yes, still here.")
    assert last_prompt(server) == "are you there?"
    assert server.requests()[0]["disconnected"]


def test_ctrl_c_pressed_again_and_again_ends_only_the_turn(serve: Start, chat: Start) -> None:
    serve(ScriptedReply(text="A story without an end.", chunk_size=8, hang=2), ScriptedReply(text="Yes, still here."))
    terminal = chat()
    terminal.says("tell me a story")
    terminal.sees("A story ")
    for _ in range(5):
        os.kill(terminal.pid, signal.SIGINT)
    terminal.sees("stopped by you")
    terminal.says("are you there?")
    terminal.sees("Yes, still here.")


def test_a_kill_during_a_turn_closes_it_and_ends_the_chat(serve: Start, chat: Start, run: Start) -> None:
    serve(ScriptedReply(text="A story without an end.", chunk_size=8, hang=2))
    terminal = chat()
    terminal.says("tell me a story")
    terminal.sees("A story ")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.sees("stopped by you")
    assert terminal.leaves() == 0
    assert '"ended": "stopped by you"' in run("chats", "list", "--json").stdout


def test_continue_goes_on_after_a_doom_loop(serve: Start, chat: Start) -> None:
    serve(SAME_CALL, ScriptedReply(text="I went in circles."), ScriptedReply(text="Now I know."))
    terminal = chat()
    terminal.says("look")
    terminal.sees("To continue: /continue")
    terminal.sees("I went in circles.")
    terminal.sees("stopped: going in circles")
    terminal.says("/continue")
    terminal.sees("Now I know.")


def test_continue_without_a_stopped_turn_says_that_there_is_nothing(serve: Start, chat: Start) -> None:
    serve(ScriptedReply(text="Done."))
    terminal = chat()
    terminal.says("/continue")
    terminal.sees("there is nothing to continue")
    terminal.says("hi")
    terminal.sees("answered")
    terminal.says("/continue")
    terminal.sees("there is nothing to continue")


def test_a_question_is_answered_by_the_number_of_an_option(serve: Start, chat: Start) -> None:
    server = serve(QUESTION, ScriptedReply(text="Blue it is."))
    terminal = chat()
    terminal.says("paint it")
    terminal.sees("Which colour?")
    terminal.sees("2. blue")
    terminal.sees("paused to ask you")
    terminal.says("2")
    terminal.sees("Blue it is.")
    assert last_prompt(server) == "blue"


def test_a_resumed_chat_shows_its_last_exchange_and_its_open_question(serve: Start, chat: Start, run: Start) -> None:
    server = serve(QUESTION, ScriptedReply(text="Red it is."))
    paused = run("ask", "paint it")
    assert paused.returncode == 6
    chat_id = paused.stderr.rsplit("--chat ", 1)[1].split()[0]
    terminal = chat("--chat", chat_id[:5])
    terminal.sees(f"Continuing chat {chat_id}: paint it")
    terminal.sees("> paint it")
    terminal.sees("1. red")
    terminal.says("1")
    terminal.sees("Red it is.")
    assert last_prompt(server) == "red"


def test_without_a_server_it_opens_says_what_to_set_and_keeps_what_was_typed(chat: Start, run: Start) -> None:
    terminal = chat()
    terminal.sees("so the embedded model")
    terminal.says("a long question")
    terminal.sees("no model server is set")
    terminal.at_prompt()
    terminal.types("\x1b[A")
    terminal.sees("a long question")
    terminal.types("\x03\x04")
    assert terminal.leaves() == 0
    assert run("chats", "list", "--json").stdout == ""


def test_a_model_error_leaves_one_at_the_prompt(serve: Start, chat: Start) -> None:
    serve(ScriptedReply(status=401, body="wrong key"), ScriptedReply(text="Better."))
    terminal = chat()
    terminal.says("hi")
    terminal.sees("wrong key")
    terminal.sees("· failed")
    terminal.says("again")
    terminal.sees("Better.")


def test_new_lines_and_pasted_lines_stay_in_one_message(serve: Start, chat: Start) -> None:
    server = serve(ScriptedReply(text="Thanks."))
    terminal = chat()
    terminal.at_prompt()
    terminal.types("one\x1b\rtwo\x0athree\x1b[200~\rfour\rfive\x1b[201~\r")
    terminal.sees("Thanks.")
    assert last_prompt(server) == "one\ntwo\nthree\nfour\nfive"


def test_an_unknown_command_says_what_exists_and_stays_to_be_mended(serve: Start, chat: Start) -> None:
    server = serve(ScriptedReply(text="unused"))
    terminal = chat(columns=120)
    terminal.says("/hlp")
    terminal.sees("/hlp is not a command; did you mean /help?")
    terminal.sees("\x1b[?2004h")
    terminal.sees("/hlp")
    terminal.types("\x03/xyzzy\r")
    terminal.sees("there are: /help, /agent, /model, /continue, ")
    assert server.requests() == []


def test_agent_and_model_change_from_the_next_message_on(serve: Start, chat: Start, run: Start) -> None:
    server = serve(ScriptedReply(text="First."), ScriptedReply(text="Second."))
    terminal = chat()
    terminal.says("hi")
    terminal.sees("answered")
    terminal.says("/agent nobody")
    terminal.sees("there is no agent nobody")
    terminal.says("/agent archi\t")
    terminal.sees("architect answers from the next message on")
    terminal.says("/model other")
    terminal.sees("architect answers, with other at")
    terminal.says("hi again")
    terminal.sees("Second.")
    terminal.sees("answered")
    body = server.requests()[-1]["body"]
    assert body["model"] == "other"
    assert "software architect" in body["messages"][0]["content"]
    assert '"agent": "architect"' in run("chats", "list", "--json").stdout


def test_new_begins_another_chat(serve: Start, chat: Start, run: Start) -> None:
    serve(ScriptedReply(text="First."), ScriptedReply(text="Second."))
    terminal = chat()
    terminal.says("hi")
    terminal.sees("answered")
    terminal.says("/new")
    terminal.says("hello")
    terminal.sees("Second.")
    terminal.sees("answered")
    assert run("chats", "list", "--json").stdout.count("\n") == 2


def test_ctrl_d_leaves(chat: Start) -> None:
    terminal = chat()
    terminal.at_prompt()
    terminal.types("\x04")
    assert terminal.leaves() == 0


def test_ctrl_c_clears_the_line_then_asks_then_leaves(serve: Start, chat: Start) -> None:
    server = serve(ScriptedReply(text="unused"))
    terminal = chat()
    terminal.at_prompt()
    terminal.types("never sent\x03")
    terminal.types("\x03")
    terminal.sees("press Ctrl-C again or type /quit to quit")
    terminal.at_prompt()
    terminal.types("\x03")
    assert terminal.leaves() == 0
    assert server.requests() == []


def test_a_kill_at_the_prompt_gives_the_terminal_back(chat: Start) -> None:
    terminal = chat()
    terminal.at_prompt()
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.sees("\x1b[?2004l")
    assert terminal.leaves() == 0


def test_what_was_typed_is_for_the_owner_alone(chat: Start, environment: dict[str, str]) -> None:
    terminal = chat()
    terminal.says("/help")
    terminal.at_prompt()
    history = Path(environment["MULLIGAN_HOME"]) / "chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "+/help" in history.read_text(encoding="utf-8")


def test_without_a_terminal_it_points_to_ask(run: Start) -> None:
    done = run("chat")
    assert done.returncode == 2
    assert "mulligan ask" in done.stderr


def test_an_unknown_chat_is_a_usage_error(in_terminal: Start) -> None:
    terminal = in_terminal("chat", "--chat", "zzzz")
    terminal.sees("there is no chat 'zzzz'")
    assert terminal.leaves() == 2
