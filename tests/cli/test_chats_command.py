"""`mulligan chats` against chats that `mulligan ask` made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.chat_export import ChatExport
from mulligan.models.scripted.script import ScriptedCall, ScriptedReply

Start = Callable[..., Any]


@pytest.fixture
def chat_id(serve: Start, run: Start) -> str:
    """A chat of one answered turn."""
    serve(
        ScriptedReply(tool_calls=(ScriptedCall(name="view_file", arguments='{"path": "turn.py",}'),)),
        ScriptedReply(text="It returns `one`."),
    )
    done = run("ask", "what does turn return?")
    assert done.returncode == 0, done.stderr
    return done.stderr.rsplit("--chat ", 1)[1].strip()


def test_ask_prints_the_answer_alone_and_tells_the_rest_beside_it(serve: Start, run: Start) -> None:
    serve(
        ScriptedReply(
            text="Let me see.", tool_calls=(ScriptedCall(name="view_file", arguments='{"path": "turn.py",}'),)
        ),
        ScriptedReply(text="Half an ans", cut_after=1),
        ScriptedReply(text="It returns `one`."),
    )
    done = run("ask", "what does turn return?")
    assert done.stdout == "It returns `one`.\n"
    assert "✓ view_file turn.py" in done.stderr
    assert "repaired: trailing_comma" in done.stderr
    assert "↻ attempt 1 of 3 failed" in done.stderr


def test_bare_chats_lists_the_projects_chats(chat_id: str, run: Start) -> None:
    done = run("chats")
    heading, row = done.stdout.splitlines()
    assert heading.split() == ["id", "last", "used", "agent", "title", "ended"]
    assert row.startswith(chat_id)
    assert row.endswith("what does turn return?  answered")


@pytest.mark.usefixtures("chat_id")
def test_other_projects_are_listed_only_if_asked_for(run: Start, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run("chats", "list", "-C", str(elsewhere)).stdout == ""
    (line,) = run("chats", "list", "-C", str(elsewhere), "--all", "--json").stdout.splitlines()
    listed = json.loads(line)
    assert (listed["title"], listed["ended"]) == ("what does turn return?", "answered")


def test_a_list_says_how_many_it_left_out(serve: Start, run: Start) -> None:
    serve(ScriptedReply(text="Yes.", times=2))
    run("ask", "first?")
    run("ask", "second?")
    done = run("chats", "list", "--limit", "1")
    assert "second?" in done.stdout
    assert "first?" not in done.stdout
    assert "1 older" in done.stderr


def test_show_takes_the_beginning_of_an_id(chat_id: str, run: Start) -> None:
    shown = run("chats", "show", chat_id[:4]).stdout
    assert "## You\n\nwhat does turn return?\n" in shown
    assert "- ✓ `view_file turn.py`" in shown
    assert "It returns `one`." in shown


def test_show_renders_on_a_terminal(chat_id: str, in_terminal: Start) -> None:
    terminal = in_terminal("chats", "show", chat_id)
    terminal.sees("what does turn return?")
    terminal.sees("It returns")
    assert terminal.leaves() == 0


def test_a_json_export_loads_back(chat_id: str, run: Start) -> None:
    exported = ChatExport.model_validate_json(run("chats", "export", chat_id, "--format", "json").stdout)
    assert exported.chat.id == chat_id
    assert [message.role for message in exported.messages] == ["user", "assistant"]
    assert exported == ChatExport.model_validate_json(run("chats", "show", chat_id, "--json").stdout)


def test_an_export_overwrites_a_file_only_if_told_to(chat_id: str, run: Start, tmp_path: Path) -> None:
    file = tmp_path / "chat.md"
    file.write_text("mine", encoding="utf-8")
    refused = run("chats", "export", chat_id, "--output", str(file))
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert file.read_text(encoding="utf-8") == "mine"
    assert run("chats", "export", chat_id, "--output", str(file), "--force").returncode == 0
    assert file.read_text(encoding="utf-8").startswith("# what does turn return?\n")


def test_an_export_to_a_place_that_is_none_is_a_usage_error(chat_id: str, run: Start, tmp_path: Path) -> None:
    done = run("chats", "export", chat_id, "--output", str(tmp_path / "no" / "chat.md"))
    assert done.returncode == 2
    assert "can't be written" in done.stderr


@pytest.mark.parametrize("command", ["show", "export"])
def test_an_unknown_chat_is_said_to_be_unknown(run: Start, command: str) -> None:
    done = run("chats", command, "zzzz")
    assert done.returncode == 2
    assert done.stderr == "mulligan: there is no chat 'zzzz': `mulligan chats` lists them\n"
